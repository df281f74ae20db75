"""Making and freezing an item set of 30,000 items and one of ten times as many, as a worker does.

A site on SQLite holds a data set of recordings with 15 steps, one item each, of 400 takes. Timed
are the two jobs, each in a process of its own that holds what a worker holds: items, names and
hash, baselines with their figures and intervals, and every row. The peer is `bulk_create` of the
very same rows, already made, into the same tables of the same file. "Their rows alone" may be read
as all rows that the jobs store, items and answers of baselines, or as the items' rows: both ratios
are shown, and both are held to the goal. They take turns, and ratios are medians of the rounds, by
the clock and by the time of the processor, which is judged where others use the machine too.
Memory is the peak of the jobs above the idle process. The shortcut audit, whose work has a limit
whatever the size of the set, is timed apart and in no ratio.
Meanwhile two other connections write five times a second, one in its turn (`writing_turn`) as saves
of raters do, one as SQLite lets it; the longest wait of each is shown.

    python -m bench.item_sets [--items 30000] [--times 10] [--runs 3]
"""

import argparse
import fcntl
import os
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

from bench.saving import ask_site, site_environment

SITE = "bench.item_sets_site"
DATABASE = "piev.sqlite3"
WRITE_EVERY_S = 0.2
MOST_TIMES_ROWS, MOST_GROWTH, MOST_ADDED_MB = 3.0, 10.5, 300.0
CLOCK, PROCESSOR = "clock", "processor"
# The figures of a part by what measures them: its whole, of all rows, of the items' rows.
KEYS = {
    CLOCK: ("seconds", "seconds", "item_seconds"),
    PROCESSOR: ("processor_s", "processor_s", "item_processor_s"),
}
# From this load for each processor on, the machine is not this bench's alone.
MOST_LOAD = 0.5

Parts = Mapping[str, Mapping[str, float]]


def main() -> int:
    """Print the figures beside the peer; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure making and freezing item sets.")
    parser.add_argument("--items", type=int, default=30_000)
    parser.add_argument("--times", type=int, default=10, help="how much larger the large set is")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    # On a machine that others use too, the clock measures them.
    load = os.getloadavg()[0]
    judged = PROCESSOR if load > MOST_LOAD * (os.cpu_count() or 1) else CLOCK
    with tempfile.TemporaryDirectory() as folder:
        ask = _site(Path(folder, "few"), options.items)
        few = []
        for _ in range(options.runs):
            few.append({name: ask(name) for name in ("make", "audit", "freeze", "rows")})
            _print(options.items, few[-1])
        many = None
        if options.times > 1:
            ask = _site(Path(folder, "many"), options.items * options.times)
            many = {name: ask(name) for name in ("make", "audit", "freeze")}
            _print(options.items * options.times, many)
    goals = []
    for kind in (CLOCK, PROCESSOR):
        of_kind = _goals(few, many, options.times, kind)
        goals += of_kind if kind == judged else []
        for words, value, most in of_kind:
            print(f"  {words}, by the {kind}: {value:.2f}   (goal: at most {most:g})")
    largest = few if many is None else [many]
    added_mb = max(parts[name]["megabytes"] for parts in largest for name in ("make", "freeze"))
    goals.append(("MB added by the largest", added_mb, MOST_ADDED_MB))
    print(f"  judged by the {judged}, load at the beginning {load:.1f}:")
    for words, value, most in goals:
        print(f"  {words}: {value:.2f} ({'goal' if value <= most else 'MISSED'}: at most {most:g})")
    is_met = all(value <= most for _, value, most in goals)
    print("  goals met" if is_met else "  GOALS MISSED")
    return 0 if is_met else 1


def _goals(
    few: Sequence[Parts], many: Parts | None, times: int, kind: str
) -> list[tuple[str, float, float]]:
    """Each ratio with its goal, by the clock or by the time of the processor."""
    total, all_rows, items = KEYS[kind]

    def times_rows(key: str) -> float:
        return median(_total(parts, total) / parts["rows"][key] for parts in few)

    goals = [
        ("times all its rows alone, baselines' too", times_rows(all_rows), MOST_TIMES_ROWS),
        ("times the rows of its items alone", times_rows(items), MOST_TIMES_ROWS),
    ]
    if many is not None:
        growth = _total(many, total) / median(_total(parts, total) for parts in few)
        goals.append((f"growth for {times} times as many", growth, MOST_GROWTH))
    return goals


def _total(parts: Parts, key: str) -> float:
    return parts["make"][key] + parts["freeze"][key]


def _site(folder: Path, item_count: int) -> Callable[[str], Any]:
    """A site whose data set gives so many items; what asks it for one of its parts."""
    environment = site_environment(folder, "sqlite")
    ask_site(environment, "prepare", str(item_count), site=SITE)

    def ask(name: str) -> Any:
        is_over, waits_s = threading.Event(), {True: [0.0], False: [0.0]}
        writers = [
            threading.Thread(target=_write, args=(folder / DATABASE, is_over, own_s, in_turn))
            for in_turn, own_s in waits_s.items()
        ]
        for writer in writers:
            writer.start()
        part = ask_site(environment, name, site=SITE)
        is_over.set()
        for writer in writers:
            writer.join()
        return {**part, "save_s": max(waits_s[True]), "write_s": max(waits_s[False])}

    return ask


def _write(database: Path, is_over: threading.Event, waits_s: list[float], in_turn: bool) -> None:
    """Write again and again, and keep how long each took."""
    folder = os.open(database.parent, os.O_RDONLY)
    with closing(sqlite3.connect(database, timeout=60, isolation_level=None)) as connection:
        while not is_over.wait(WRITE_EVERY_S):
            began = time.perf_counter()
            if in_turn:
                # As `annotation.services.records.locks.writing_turn`, which needs Django.
                fcntl.flock(folder, fcntl.LOCK_EX)
            connection.execute("UPDATE annotation_dataset SET is_shared = 1")
            fcntl.flock(folder, fcntl.LOCK_UN)
            waits_s.append(time.perf_counter() - began)
    os.close(folder)


def _print(item_count: int, parts: dict[str, Any]) -> None:
    print(f"{item_count:,} items")
    for name, part in parts.items():
        memory = f", {part['megabytes']:.0f} MB added" if "megabytes" in part else ""
        used = f"({part['processor_s']:.1f} s of the processor)"
        waits = f", a save waited {part['save_s']:.2f} s, any write {part['write_s']:.2f} s at most"
        print(f"  {name:8}{part['seconds']:8.1f} s {used}{memory}{waits}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
