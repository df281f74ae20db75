"""Import of files as large as the nine of EgoErrorVQA: read, checked, stored and joined.

Timed is what `manage.py questions import` does, on 1,857 made-up rows of multiple choice and as
many of question pairs (the public files have 1,805), into a fresh SQLite file that holds the data
set that those of EgoOops were taken from. Beside it stands the floor, a parse of the same files
with the standard library, and ten times as many rows: both sizes take turns, and growth is the
median of the rounds' ratios.

    python -m bench.questions [--runs 3] [--times 10]
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from bench.measure import in_fresh_process
from tests.engine.corpus.formats.egoerrorvqa_folder import (
    assembly,
    cook,
    oops,
    tent,
    write_folder,
)

GOAL_SECONDS, MOST_GROWTH = 3.0, 10.5
# Rows of multiple choice by source.
COUNTS = {"captaincook4d": 1000, "egooops": 215, "epic_tent": 182, "assembly101": 460}


def main() -> int:
    """Print both sizes beside their floor; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the import of EgoErrorVQA's files.")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--times", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sources = [write_rows(Path(folder, str(times)), times) for times in (1, options.times)]
        rounds = in_fresh_process(measure, sources, Path(folder, "state"), options.runs)
    once, floor, joined = (median(one[0][place] for one in rounds) for place in range(3))
    growth = median(often[0] / small[0] for small, often in rounds)
    allowed = MOST_GROWTH * options.times / 10
    is_met = once < GOAL_SECONDS and growth < allowed
    print(f"  {2 * sum(COUNTS.values()):,} rows {once:.2f} s   (goal: under {GOAL_SECONDS:g} s)")
    print(f"  parsing the same files {floor:.3f} s: {once / floor:.0f} times")
    print(f"  growth for {options.times} times as many {growth:.2f}   (goal: under {allowed:g})")
    print(f"  rows found in the data set that they are of: {joined:.0f}")
    print("  goals met" if is_met else "  GOALS MISSED")
    return 0 if is_met else 1


def write_rows(folder: Path, times: int) -> Path:
    """The nine files with as many rows as the public ones, `times` over, of invented recordings."""
    kinds = {"captaincook4d": cook, "egooops": oops, "epic_tent": tent, "assembly101": assembly}
    errors = {"captaincook4d": "Order Error", "egooops": True, "epic_tent": "0",
              "assembly101": "wrong position"}  # fmt: skip
    rows = {
        source: [
            make(n, errors[source]) if n % 4 == 3 else make(n)
            for n in range(times * COUNTS[source])
        ]
        for source, make in kinds.items()
    }
    write_folder(folder, **rows)
    segments: dict[str, list[dict[str, object]]] = {}
    for row in rows["egooops"]:
        segments.setdefault(row["video_id"], []).append({
            "startTime": row["start_time"], "endTime": row["end_time"],
            "instruction": row["instruction"], "labels": [5] if row["is_error"] else [],
            "caption": row["error_caption"] or "",
        })  # fmt: skip
    videos = [{"video_id": uid, "task_id": "ion", "segments": own} for uid, own in segments.items()]
    steps = {"ion": [f"Pour drop {n}" for n in range(3)]}
    (folder / "metadata.json").write_text(json.dumps({"instructions": steps, "videos": videos}))
    return folder


def measure(
    sources: Sequence[Path], state: Path, runs: int
) -> list[list[tuple[float, float, int]]]:
    """For each round and source: seconds of the import, of the parse, and how many rows joined."""
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
        turns = []
        for source in sources:
            connection.close()
            for suffix in ("-wal", "-shm"):
                Path(f"{database}{suffix}").unlink(missing_ok=True)
            shutil.copyfile(empty, database)
            turns.append((*_seconds_of(source), _parse_seconds(source)))
        rounds.append([(seconds, parsed, joined) for seconds, joined, parsed in turns])
    return rounds[1:]


def _seconds_of(source: Path) -> tuple[float, int]:
    from annotation.engine.corpus.formats.registry import available_formats  # noqa: PLC0415
    from annotation.models import Dataset  # noqa: PLC0415
    from annotation.services.corpus.imports import (  # noqa: PLC0415
        ImportTarget,
        import_reading,
        read_files,
    )
    from benchmarks.selectors.vqa_rows import check_answers, join_rows  # noqa: PLC0415

    formats = available_formats()
    own = read_files(formats["egooops"], source / "metadata.json")
    import_reading(own, target=ImportTarget("EgoOops", "egooops"))
    started = time.perf_counter()
    reading = read_files(formats["egoerrorvqa"], source)
    check_answers(reading)
    import_reading(reading, target=ImportTarget("EgoErrorVQA", "egoerrorvqa"))
    joined = sum(one.found_count for one in join_rows(reading, Dataset.objects.all()))
    return time.perf_counter() - started, joined


def _parse_seconds(source: Path) -> float:
    started = time.perf_counter()
    for file in (source / "json").iterdir():
        json.loads(file.read_text())
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
