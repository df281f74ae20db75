"""Start runs: write the rows, then send the messages once they are committed."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec, cast

from django.db import transaction

from annotation.launch import send_jobs
from annotation.models import User
from generation.engine.run_options import RunOptions
from generation.models import Run, RunTake
from generation.services import runs
from generation.services.clips import review
from generation.services.run_work import takes_per_message

P = ParamSpec("P")


@transaction.atomic
def launch_run(*, request: runs.RunRequest, actor: User | None) -> Run:
    """Create a run and queue its takes."""
    return _send_launched(runs.create_run(request=request, actor=actor))


@transaction.atomic
def launch_clone(*, run: Run, seed: int, actor: User | None) -> Run:
    """Launch the same takes with another seed."""
    return _send_launched(runs.clone_run(run=run, seed=seed, actor=actor))


def _send_launched(launched: runs.Launched) -> Run:
    _send(launched.run, launched.job_ids)
    return launched.run


def _queueing(service: Callable[P, list[int]]) -> Callable[P, int]:
    """A service that queues takes of a `run` again, and sends the messages; returns their count."""

    @wraps(service)
    @transaction.atomic
    def queue(*args: P.args, **details: P.kwargs) -> int:
        job_ids = service(*args, **details)
        _send(cast("Run", details["run"]), job_ids)
        return len(job_ids)

    return queue


resume_run = _queueing(runs.resume_run)
retry_failed_takes = _queueing(runs.retry_failed_takes)
publish_withheld = _queueing(runs.publish_withheld)
raise_budget = _queueing(runs.raise_budget)


@transaction.atomic
def approve_prompts(*, run_take: RunTake, seen: str, actor: User) -> None:
    """Approve the prompts of a take and queue it again."""
    job_ids = review.approve_prompts(run_take=run_take, seen=seen, actor=actor)
    _send(run_take.run, job_ids)


@transaction.atomic
def make_video(*, run_take: RunTake, actor: User) -> None:
    """Queue a take that has all its clips again."""
    job_ids = review.make_video(run_take=run_take, actor=actor)
    _send(run_take.run, job_ids)


def _send(run: Run, job_ids: Sequence[int]) -> None:
    batch_size = takes_per_message(run.stages, RunOptions.from_dict(run.options))
    send_jobs(kind=runs.JOB_KIND, job_ids=job_ids, batch_size=batch_size)
