"""Why a run stopped by itself, as recorded at the take where it did."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.models import JobStatus
from generation.models import Run, RunTake, StopReason


@dataclass(frozen=True, slots=True)
class RunStop:
    """Why a run stopped by itself, and whether a higher budget is all that it needs."""

    reason: str
    needs_budget: bool


def stopped_takes(run: Run) -> QuerySet[RunTake]:
    """The takes at which a run stopped: one, or several that were in progress together."""
    return _takes_at_a_stop().filter(run=run)


def stopped_run_ids(rows: Iterable[Run]) -> set[int]:
    """Which of these runs stopped by themselves (one query)."""
    takes = _takes_at_a_stop().filter(run__in=[run.pk for run in rows])
    return set(takes.values_list("run_id", flat=True))


def _takes_at_a_stop() -> QuerySet[RunTake]:
    return RunTake.objects.filter(job__status=JobStatus.FAILED).exclude(stop_reason="")


def stop_of(run: Run) -> RunStop | None:
    """Why the run stopped by itself, None if it did not (one query)."""
    take = stopped_takes(run).order_by("position").only("stop_reason", "stop_words").first()
    if take is None:
        return None
    return RunStop(take.stop_words, needs_budget=take.stop_reason == StopReason.BUDGET_SPENT)
