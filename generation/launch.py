"""Start runs: write the rows, then send the messages once they are committed."""

from collections.abc import Sequence

from django.db import transaction

from annotation.launch import send_jobs
from annotation.models import User
from generation.engine.run_options import RunOptions
from generation.models import Run, RunTake
from generation.services import runs
from generation.services.clips import review
from generation.services.run_work import takes_per_message


@transaction.atomic
def launch_run(*, request: runs.RunRequest, actor: User | None) -> Run:
    """Create a run and queue its takes."""
    launched = runs.create_run(request=request, actor=actor)
    _send(launched.run, launched.job_ids)
    return launched.run


@transaction.atomic
def launch_clone(*, run: Run, seed: int, actor: User | None) -> Run:
    """Launch the same takes with another seed."""
    launched = runs.clone_run(run=run, seed=seed, actor=actor)
    _send(launched.run, launched.job_ids)
    return launched.run


@transaction.atomic
def resume_run(*, run: Run, actor: User | None) -> int:
    """Queue the cancelled takes of a run again and return how many."""
    job_ids = runs.resume_run(run=run, actor=actor)
    _send(run, job_ids)
    return len(job_ids)


@transaction.atomic
def retry_failed_takes(*, run: Run, actor: User | None) -> int:
    """Queue the failed takes of a run again and return how many."""
    job_ids = runs.retry_failed_takes(run=run, actor=actor)
    _send(run, job_ids)
    return len(job_ids)


@transaction.atomic
def approve_prompts(*, run_take: RunTake, seen: str, actor: User) -> None:
    """Approve the prompts of a take and queue it again."""
    job_ids = review.approve_prompts(run_take=run_take, seen=seen, actor=actor)
    _send(run_take.run, job_ids)


@transaction.atomic
def make_video(*, run_take: RunTake, actor: User) -> None:
    """Queue a take again whose clips are there."""
    job_ids = review.make_video(run_take=run_take, actor=actor)
    _send(run_take.run, job_ids)


@transaction.atomic
def publish_withheld(*, run: Run, actor: User | None) -> int:
    """Queue the takes again that hard findings kept from being published; return how many."""
    job_ids = runs.publish_withheld(run=run, actor=actor)
    _send(run, job_ids)
    return len(job_ids)


@transaction.atomic
def raise_budget(*, run: Run, budget_usd: float, actor: User | None) -> int:
    """Raise a run's budget, queue the takes that it had stopped and return how many."""
    job_ids = runs.raise_budget(run=run, budget_usd=budget_usd, actor=actor)
    _send(run, job_ids)
    return len(job_ids)


def _send(run: Run, job_ids: Sequence[int]) -> None:
    batch_size = takes_per_message(run.stages, RunOptions.from_dict(run.options))
    send_jobs(kind=runs.JOB_KIND, job_ids=job_ids, batch_size=batch_size)
