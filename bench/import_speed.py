"""Import of CaptainCook4D into a fresh SQLite file, once as published and once ten times over.

Timed is all of it: reading the files, checking, and writing in one transaction, into a database
with the site's own settings and constraints. Beside it stands the floor: a bare `executemany` of
the very same rows into the same tables of another fresh file. Both sizes
take turns, and growth is the median of the rounds' ratios, so that a busy moment hits both.

    python -m bench.import_speed [--runs 5] [--copies 10]
"""

import argparse
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.measure import in_fresh_process
from bench.shared_data import shared_data_folder

GOAL_SECONDS = 5.0
GROWTH_GOAL = 10.5
ANNOTATIONS = Path("annotation_json", "error_annotations.json")
TABLES = (
    "annotation_dataset",
    "annotation_take",
    "annotation_step",
    "annotation_trace",
    "annotation_event",
    "annotation_tracestep",
    "annotation_taskgraph",
)


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of each import (wall, processor) and of bare inserts of its rows; how many rows."""

    import_seconds: tuple[float, ...]
    processor_seconds: tuple[float, ...]
    floor_seconds: tuple[float, ...]
    row_count: int


def main() -> int:
    """Print both sizes beside their floor; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the import of CaptainCook4D.")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--copies", type=int, default=10, choices=range(2, 11))
    options = parser.parse_args()
    source = shared_data_folder() / "captaincook4d"
    with tempfile.TemporaryDirectory() as folder:
        many = write_copies(source, Path(folder, "many"), options.copies)
        state = Path(folder, "state")
        once, often = in_fresh_process(measure, [source, many], state, options.runs)
    text, is_met = compare(once, often, options.copies)
    sys.stdout.write(f"import of CaptainCook4D into SQLite, median of {options.runs}\n{text}\n")
    return 0 if is_met else 1


def compare(once: Measured, often: Measured, copies: int) -> tuple[str, bool]:
    """The figures as lines of text, and whether every goal is met."""
    growth = _growth(once.import_seconds, often.import_seconds)
    processor_growth = _growth(once.processor_seconds, often.processor_seconds)
    allowed = GROWTH_GOAL * copies / 10
    once_seconds = median(once.import_seconds)
    is_met = once_seconds < GOAL_SECONDS and growth < allowed
    lines = [
        _line("as published", once),
        _line(f"{copies} times", often),
        f"  growth {growth:.2f} for {often.row_count / once.row_count:.2f} times the rows"
        f"   (goal: under {allowed:g}; processor time alone: {processor_growth:.2f})",
        f"  as published {once_seconds:.2f} s   (goal: under {GOAL_SECONDS:g} s)",
        "  goals met" if is_met else "  GOALS MISSED",
    ]
    return "\n".join(lines), is_met


def _growth(small: Sequence[float], large: Sequence[float]) -> float:
    return median(after / before for before, after in zip(small, large, strict=True))


def _line(name: str, measured: Measured) -> str:
    seconds, floor_seconds = median(measured.import_seconds), median(measured.floor_seconds)
    return (
        f"  {name:<14}{seconds:7.2f} s {measured.row_count:8,} rows "
        f"{measured.row_count / seconds:8,.0f} rows/s; "
        f"bare executemany {floor_seconds:.3f} s ({seconds / floor_seconds:.1f} times)"
    )


def write_copies(source: Path, target: Path, copies: int) -> Path:
    """Write a data set in which every recording occurs `copies` times under ids of its own."""
    shutil.copytree(source, target, copy_function=shutil.copyfile)
    recordings = json.loads((source / ANNOTATIONS).read_text())
    # One digit more at the end keeps the ids' form and keeps them apart.
    repeated = [
        recording | {"recording_id": f"{recording['recording_id']}{copy}"}
        for copy in range(copies)
        for recording in recordings
    ]
    (target / ANNOTATIONS.parent).chmod(0o755)
    (target / ANNOTATIONS).write_text(json.dumps(repeated))
    return target


def measure(sources: Sequence[Path], state: Path, runs: int) -> list[Measured]:
    """What `runs` rounds took, in which the sources take turns; one round warms up."""
    os.environ.update(PIEV_STATE=str(state), DJANGO_SETTINGS_MODULE="piev_site.settings")
    os.environ.pop("DATABASE_URL", None)
    # Settings are read on import, so the environment has to come first.
    import django  # noqa: PLC0415

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    connection.close()
    database, empty = state / "piev.sqlite3", state / "empty.sqlite3"
    shutil.copyfile(database, empty)
    rounds = []
    for _round in range(runs + 1):
        rounds.append([])
        for source in sources:
            connection.close()
            _replace(database, empty)
            seconds = _import_seconds(source)
            connection.close()
            rows = _rows_of(database)
            floor_seconds = _floor_seconds(rows, empty, state / "floor.sqlite3")
            row_count = sum(len(table) for table in rows.values())
            rounds[-1].append((*seconds, floor_seconds, row_count))
    measured = []
    for turns in zip(*rounds[1:], strict=True):
        imports, processor, floors, row_counts = zip(*turns, strict=True)
        measured.append(Measured(imports, processor, floors, row_counts[0]))
    return measured


def _import_seconds(source: Path) -> tuple[float, float]:
    """The wall time and the processor time of one import."""
    from annotation.engine.corpus.formats.registry import available_formats  # noqa: PLC0415
    from annotation.services.corpus.imports import (  # noqa: PLC0415
        ImportTarget,
        import_reading,
        read_files,
    )

    started, processor_started = time.perf_counter(), time.process_time()
    reading = read_files(available_formats()["captaincook4d"], source)
    import_reading(reading, target=ImportTarget("CaptainCook4D", "captaincook4d"))
    return time.perf_counter() - started, time.process_time() - processor_started


def _replace(database: Path, empty: Path) -> None:
    for suffix in ("-wal", "-shm"):
        Path(f"{database}{suffix}").unlink(missing_ok=True)
    shutil.copyfile(empty, database)


def _rows_of(database: Path) -> dict[str, list[tuple[object, ...]]]:
    connection = sqlite3.connect(database)
    rows = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}  # noqa: S608
    connection.close()
    return rows


def _floor_seconds(rows: dict[str, list[tuple[object, ...]]], empty: Path, database: Path) -> float:
    _replace(database, empty)
    connection = sqlite3.connect(database)
    connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
    started = time.perf_counter()
    for table, values in rows.items():
        if not values:
            continue
        places = ",".join("?" * len(values[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({places})", values)  # noqa: S608
    connection.commit()
    seconds = time.perf_counter() - started
    connection.close()
    return seconds


if __name__ == "__main__":
    sys.exit(main())
