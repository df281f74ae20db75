"""Question sets: import of files as large as EgoErrorVQA's nine, questions, figures.

Timed of the import is what `manage.py questions import` does, on 1,857 made-up rows of multiple
choice and as many of question pairs (the public files have 1,805), into a fresh SQLite file that
holds the data set that those of EgoOops were taken from. Beside it stands the floor, a parse of the
same files with the standard library, and ten times as many rows: both sizes take turns, and growth
is the median of the rounds' ratios. Both are seconds of the processor: a busy machine changes
them less.

Questions by templates are those of 10,000 invented steps in the job that `questions make` works on,
beside a tenth of them, in turns. The figures are those of answers to 1,857 of them that two judges
graded, with 1,000 resamples, from sums that are prepared.

    python -m bench.questions [--runs 3] [--times 10] [--only import | make | figures]
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
MAKING_SECONDS, SAMPLES = 5.0, 10_000
FIGURE_SECONDS, ANSWERS, RESAMPLES = 0.3, 1857, 1000
STEPS_PER_VIDEO = 20
COUNTS = {"captaincook4d": 1000, "egooops": 215, "epic_tent": 182, "assembly101": 460}


def main() -> int:
    """Print all figures beside their goals; return 1 when one is missed."""
    parser = argparse.ArgumentParser(description="Measure question sets of EgoErrorVQA's kind.")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--only", choices=PARTS)
    options = parser.parse_args()
    parts = [options.only] if options.only else list(PARTS)
    are_met = [PARTS[part](options.runs, options.times) for part in parts]
    print("  goals met" if all(are_met) else "  GOALS MISSED")
    return 0 if all(are_met) else 1


def import_part(runs: int, times: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        sources = [write_rows(Path(folder, str(size)), size) for size in (1, times)]
        rounds = in_fresh_process(measure, sources, Path(folder, "state"), runs)
    once, floor, joined = (median(one[0][place] for one in rounds) for place in range(3))
    growth = median(often[0] / small[0] for small, often in rounds)
    allowed = MOST_GROWTH * times / 10
    print(f"  {2 * sum(COUNTS.values()):,} rows {once:.2f} s   (goal: under {GOAL_SECONDS:g} s)")
    print(f"  parsing the same files {floor:.3f} s: {once / floor:.0f} times")
    print(f"  growth for {times} times as many {growth:.2f}   (goal: under {allowed:g})")
    print(f"  rows found in the data set that they are of: {joined:.0f}")
    return once < GOAL_SECONDS and growth < allowed


def make_part(runs: int, times: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        files = [write_steps(Path(folder), SAMPLES // size) for size in (times, 1)]
        rounds = in_fresh_process(measure_making, files, Path(folder, "state"), runs)
    whole = median(often for _, often in rounds)
    growth = median(often / small for small, often in rounds)
    allowed = MOST_GROWTH * times / 10
    goal = f"(goal: under {MAKING_SECONDS:g} s)"
    print(f"  questions about {SAMPLES:,} steps {whole:.2f} s   {goal}")
    print(f"  growth for {times} times as many {growth:.2f}   (goal: under {allowed:g})")
    return whole < MAKING_SECONDS and growth < allowed


def figures_part(runs: int, times: int) -> bool:
    seconds = median(in_fresh_process(measure_figures, runs))
    goal = f"(goal: under {FIGURE_SECONDS:g} s)"
    words = f"figures of {ANSWERS:,} answers with {RESAMPLES:,} resamples"
    print(f"  {words} {seconds:.3f} s   {goal}")
    return seconds < FIGURE_SECONDS


PARTS = {"import": import_part, "make": make_part, "figures": figures_part}


def write_steps(folder: Path, count: int) -> Path:
    """A file of EgoOops with so many steps of invented recordings, each fourth a mistake."""
    steps = [f"Pour drop {n} of water into the {n % 7}th cup of the row" for n in range(40)]
    videos = []
    for first in range(0, count, STEPS_PER_VIDEO):
        segments = [
            {
                "startTime": 8.0 * n,
                "endTime": 8.0 * n + 7,
                "instruction": (first + n) % 40,
                "labels": [5] if n % 4 == 3 else [],
                "caption": "spills it" if n % 4 == 3 else "",
            }
            for n in range(STEPS_PER_VIDEO)
        ]
        videos.append({"video_id": f"S{first:07}", "task_id": "ion", "segments": segments})
    folder = folder / str(count)
    folder.mkdir()
    file = folder / "metadata.json"
    file.write_text(json.dumps({"instructions": {"ion": steps}, "videos": videos}))
    return file


def measure_making(files: Sequence[Path], state: Path, runs: int) -> list[list[float]]:
    """For each round the seconds of the job for each of the files."""
    set_up(state)
    from annotation.engine.corpus.formats.registry import available_formats  # noqa: PLC0415
    from annotation.models import Dataset  # noqa: PLC0415
    from annotation.services.corpus.imports import (  # noqa: PLC0415
        ImportTarget,
        import_reading,
        read_files,
    )
    from benchmarks.engine.questions.samples import ALL, QuestionSettings  # noqa: PLC0415
    from benchmarks.services.questions.sets import (  # noqa: PLC0415
        QuestionSetRequest,
        start_questions,
    )
    from benchmarks.services.questions.work import work_on_question_sets  # noqa: PLC0415

    for file in files:
        reading = read_files(available_formats()["egooops"], file)
        import_reading(reading, target=ImportTarget(file.parent.name, "egooops"))
    rounds = []
    for _round in range(runs + 1):
        turns = []
        for file in files:
            dataset = Dataset.objects.get(name=file.parent.name)
            settings = QuestionSettings(correct=ALL)
            request = QuestionSetRequest("Q", dataset.public_id, settings=settings)
            question_set, job_ids = start_questions(request=request, actor=None)
            started = time.perf_counter()
            work_on_question_sets(job_ids=job_ids)
            turns.append(time.perf_counter() - started)
            question_set.refresh_from_db()
            assert question_set.question_count == 3 * int(file.parent.name)
        rounds.append(turns)
    return rounds[1:]


def measure_figures(runs: int) -> list[float]:
    """The seconds of each run, after the sums are there."""
    import numpy as np  # noqa: PLC0415

    from benchmarks.engine.scoring import score  # noqa: PLC0415
    from benchmarks.engine.task import Answered, AnswerStatus, Item  # noqa: PLC0415
    from benchmarks.engine.tasks.error_questions import TASK  # noqa: PLC0415

    rng = np.random.default_rng(0)
    items, answers = [], []
    for number in range(ANSWERS):
        truth = {"text": "Yes, I did it as the procedure says.", "polarity": "yes"}
        items.append(Item(str(number), f"recording {number % 510}", {}, truth))
        grades = rng.integers(0, 6, 2)
        judged = {str(name): {"score": int(grade)} for name, grade in enumerate(grades)}
        answers.append(Answered(AnswerStatus.READ, {"text": "Yes, I did."}, judged))
    tally = TASK.tally(items, answers)
    seconds = []
    for _run in range(runs + 1):
        started = time.perf_counter()
        score(tally, TASK.measures, resamples=RESAMPLES)
        seconds.append(time.perf_counter() - started)
    return seconds[1:]


def set_up(state: Path) -> None:
    """Begin with a fresh SQLite file in the folder `state`."""
    os.environ.update(PIEV_STATE=str(state), DJANGO_SETTINGS_MODULE="piev_site.settings")
    os.environ.pop("DATABASE_URL", None)
    # Settings are read on import, so the environment has to come first.
    import django  # noqa: PLC0415

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    connection.close()


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
    set_up(state)
    from django.db import connection  # noqa: PLC0415

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
    from annotation.engine.corpus.formats.egoerrorvqa import read_pairs  # noqa: PLC0415
    from annotation.engine.corpus.formats.registry import available_formats  # noqa: PLC0415
    from annotation.models import Dataset  # noqa: PLC0415
    from annotation.services.corpus.imports import (  # noqa: PLC0415
        ImportTarget,
        import_reading,
        read_files,
    )
    from benchmarks.selectors.vqa_rows import check_answers, join_rows  # noqa: PLC0415
    from benchmarks.services.questions.published import store_published  # noqa: PLC0415

    formats = available_formats()
    own = read_files(formats["egooops"], source / "metadata.json")
    import_reading(own, target=ImportTarget("EgoOops", "egooops"))
    started = time.process_time()
    reading = read_files(formats["egoerrorvqa"], source)
    check_answers(reading)
    import_reading(reading, target=ImportTarget("EgoErrorVQA", "egoerrorvqa"))
    dataset = Dataset.objects.get(name="EgoErrorVQA")
    store_published(dataset=dataset, rows=read_pairs(source), actor=None)
    joined = sum(one.found_count for one in join_rows(reading, Dataset.objects.all()))
    return time.process_time() - started, joined


def _parse_seconds(source: Path) -> float:
    started = time.process_time()
    for file in (source / "json").iterdir():
        json.loads(file.read_text())
    return time.process_time() - started


if __name__ == "__main__":
    sys.exit(main())
