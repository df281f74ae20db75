"""Why a run stopped by itself, read from the reason of the take at which it did."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.models import JobStatus
from generation.models import Run, RunTake

# What the reason of a take begins with at which its run was stopped.
STOPPED_BY = "The run was stopped: "
# How such a reason goes on where more money lets the run go on.
BUDGET_IS = "the budget is "


@dataclass(frozen=True, slots=True)
class RunStop:
    """Why a run stopped by itself, and whether a higher budget is all that it wants."""

    reason: str
    wants_money: bool


def stopped_takes(run: Run) -> QuerySet[RunTake]:
    """Return the takes at which a run was stopped: one, or as many as were at work together."""
    return _takes_at_a_stop().filter(run=run)


def stopped_run_ids(rows: Iterable[Run]) -> set[int]:
    """Return which of these runs stopped by themselves (one query)."""
    takes = _takes_at_a_stop().filter(run__in=[run.pk for run in rows])
    return set(takes.values_list("run_id", flat=True))


def _takes_at_a_stop() -> QuerySet[RunTake]:
    is_stop = {"job__status": JobStatus.FAILED, "job__error__startswith": STOPPED_BY}
    return RunTake.objects.filter(**is_stop)


def stop_of(run: Run) -> RunStop | None:
    """Return why the run stopped by itself, None where it did not (one query)."""
    errors = stopped_takes(run).order_by("position").values_list("job__error", flat=True)
    error = errors.first()
    if error is None:
        return None
    reason = error.removeprefix(STOPPED_BY)
    return RunStop(reason[:1].upper() + reason[1:], wants_money=reason.startswith(BUDGET_IS))
