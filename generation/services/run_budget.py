"""Give a run more money, and let one that was stopped for want of it go on where it was."""

from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.models import User
from annotation.services.audit_log import record
from generation.engine.run_options import RunOptions
from generation.models import Run
from generation.services.runs import requeue_stopped


@transaction.atomic
def raise_budget(*, run: Run, budget_usd: float, actor: User | None) -> list[int]:
    """Raise the budget of a run and return the jobs of the takes that it had stopped.

    The take at which the money ran out and those that were cancelled go back on the queue; they
    take recorded answers, so nothing is paid for twice. Takes that failed for another reason stay.
    Raises ValidationError where the run has no budget, or one as high.
    """
    locked = Run.objects.select_for_update().order_by().only("pk", "options").get(pk=run.pk)
    before = RunOptions.from_dict(locked.options).budget_usd
    if before is None:
        raise ValidationError("This run has no budget, so there is none to raise.")
    if not before < budget_usd < float("inf"):
        raise ValidationError(f"The budget is ${before:.2f}; expected more than that.")
    run.options = {**locked.options, "budget_usd": budget_usd}
    Run.objects.filter(pk=run.pk).update(options=run.options)
    job_ids = requeue_stopped(run)
    record(
        actor=actor,
        action="run.budget",
        subject=f"run:{run.public_id}",
        detail={"before": before, "budget_usd": budget_usd, "takes": len(job_ids)},
    )
    return job_ids
