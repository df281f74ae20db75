"""The payer of what is asked for a run: its budget, its owner's models, its end."""

from collections.abc import Callable
from decimal import Decimal

from annotation.models import Job, JobStatus
from generation.engine.progress import UNWATCHED
from generation.engine.run_options import RunOptions
from generation.models import Run, RunTake
from generation.selectors.runs import may_ask
from generation.services.calls.payer import Payer
from generation.services.stage import TakeWork


def payer_of(
    run_take: RunTake, budget: Decimal | None = None, check: Callable[[], None] = UNWATCHED.check
) -> Payer:
    """Who pays for what is asked on behalf of a take; the budget is that of the whole run."""
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
    """The payer of a take that is worked on."""
    return payer_of(take.run_take, take.settings.options.budget, take.progress.check)
