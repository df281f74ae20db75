"""The inside of `bench.video_memory`: a process with all that a worker holds, at one job.

    python -m bench.video_memory_site prepare FOLDER | job NAME FOLDER | takes

Prints one JSON value. The environment says which state folder.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from annotation.engine.corpus.procedure import Reading, Take  # noqa: E402
from annotation.models import Dataset  # noqa: E402
from annotation.services.corpus.imports import ImportTarget, import_reading  # noqa: E402
from annotation.services.videos.linking import link_videos  # noqa: E402
from bench.measure import forget_peak, peak_memory_bytes  # noqa: E402
from bench.video_jobs import JOBS, RECORDING  # noqa: E402
from generation.engine.english import lemmatiser  # noqa: E402
from generation.engine.planner.profiles import PIEV  # noqa: E402
from generation.engine.stages import Stage  # noqa: E402
from generation.launch import launch_run  # noqa: E402
from generation.models import RunTake, TakeVideo  # noqa: E402
from generation.services.run_work import work_on_takes  # noqa: E402
from generation.services.runs import RunRequest  # noqa: E402
from piev_site.celery import app  # noqa: E402
from sample.corpus import load_corpus  # noqa: E402

TAKE_COUNT, SEED = 4, 7
# The longest of the four has 25 steps, and the recording must not end before them.
STEP_SHARE = 1 / 30
DATASET = "Filmed"


def prepare(folder: str, duration_s: str) -> int:
    """Make a site whose takes all have the recording, and launch a run through every stage."""
    call_command("migrate", verbosity=0, interactive=False)
    step_s = float(duration_s) * STEP_SHARE
    takes = tuple(_filmed(take, step_s) for take in load_corpus().takes[:TAKE_COUNT])
    import_reading(Reading(takes=takes), target=ImportTarget(DATASET, "native", is_shared=True))
    dataset = Dataset.objects.get(name=DATASET)
    link_videos(dataset=dataset, folder=folder, pattern="{stem}" + Path(RECORDING).suffix)
    launch_run(request=RunRequest("Bench", dataset, PIEV, SEED, list(Stage)), actor=None)
    return len(takes)


def _filmed(take: Take, step_s: float) -> Take:
    steps = tuple(
        replace(step, start_s=step_s * index, end_s=step_s * (index + 0.6))
        for index, step in enumerate(take.steps)
    )
    return replace(take, steps=steps, video_stem=Path(RECORDING).stem)


def job(name: str, folder: str) -> list[tuple[float, float]]:
    """Do one job in a process that holds what a worker does; return what it took."""
    return [_mb_of(lambda: JOBS[name](Path(folder)))]


def takes() -> list[tuple[float, float]]:
    """Take every take of the run from plan to published video; return what each took."""
    taken = []
    for run_take in RunTake.objects.order_by("position"):
        taken.append(_mb_of(partial(work_on_takes, job_ids=[run_take.job_id])))
        if not TakeVideo.objects.filter(run_take=run_take, splice_path="packets").exists():
            run_take.job.refresh_from_db()
            raise SystemExit(f"take {run_take.position} has no video: {run_take.job.error}")
    return taken


def _mb_of(work: Callable[[], object]) -> tuple[float, float]:
    """The peak of the process during the work, and what it holds afterwards, in MB."""
    forget_peak()
    work()
    peak_bytes = peak_memory_bytes()
    # Where a peak can be forgotten, the next one begins with what is held now.
    forget_peak()
    return round(peak_bytes / 1e6, 1), round(peak_memory_bytes() / 1e6, 1)


def become_a_worker() -> None:
    """Load what a worker has loaded after the text of a take: its tasks, and the lemmatiser."""
    app.loader.import_default_modules()
    lemmatiser.lemmas("pours")
    lemmatiser.inflected("pour", "VBG")


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    become_a_worker()
    print(json.dumps({"prepare": prepare, "job": job, "takes": takes}[command](*arguments)))
