"""Who pays for the calls of a run: its budget, its owner's models, and when to stop asking."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from django.db.models import QuerySet

from annotation.models import Job, JobStatus
from generation.engine.progress import UNWATCHED
from generation.engine.run_options import RunOptions
from generation.models import Run, RunTake
from generation.selectors.runs import may_ask
from generation.services.calls.payer import Payer
from generation.services.stage import TakeWork

# How long a take waits for a place at an endpoint before it lets other jobs run; shorter if takes
# of its run already wait on the queue for one, since a free place is then unlikely.
PATIENCE_S, SHORT_PATIENCE_S = 5.0, 0.5


def paused_jobs(run_id: int) -> QuerySet[Job]:
    """The jobs of a run's takes that found no free place and wait on the queue."""
    return Job.objects.filter(
        run_take__run=run_id, status=JobStatus.QUEUED, lease_until__isnull=False
    )


def payer_of(
    run_take: RunTake, budget: Decimal | None = None, check: Callable[[], None] = UNWATCHED.check
) -> Payer:
    """The payer of calls for a take; the budget is that of the whole run."""
    run = run_take.run
    jobs = Job.objects.filter(pk=run_take.job_id, status=JobStatus.CANCELLED)
    return Payer(
        key=run.payer_key,
        part=run_take.position,
        name=f"the run {run.name!r}",
        budget=budget,
        budget_now=lambda: RunOptions.from_dict(Run.objects.get(pk=run.pk).options).budget,
        check=check,
        may_ask=lambda endpoint: may_ask(run.pk, endpoint),
        is_cancelled=jobs.exists,
    )


def take_payer(take: TakeWork) -> Payer:
    """The payer of a take that a worker has, which waits only a short time for a place."""
    payer = payer_of(take.run_take, take.settings.options.budget, take.progress.check)
    is_crowded = paused_jobs(take.run_take.run_id).exists()
    return replace(payer, patience_s=SHORT_PATIENCE_S if is_crowded else PATIENCE_S)
