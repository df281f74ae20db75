"""What is computed of final answers: curves, the task's own tables, how two participants differ."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import TypeVar

from annotation.analytics.table import Table
from annotation.engine.exceptions import NotNowError
from benchmarks.engine.scoring import differences, mean_tally
from benchmarks.engine.task import Curve, Tally
from benchmarks.models import Assessment, ParticipantKind
from benchmarks.selectors.assessments import answers_of, tallies_of
from benchmarks.selectors.item_sets import task_of
from benchmarks.selectors.training import training_tables

# Of so many assessments a process keeps each: what is of a large one takes seconds to make.
KEPT = 32

Found = TypeVar("Found")


def _kept(compute: Callable[[Assessment], Found]) -> Callable[[Assessment], Found]:
    """Compute it once: final answers never change without another `frozen_at`."""

    @lru_cache(KEPT)
    def of_row(pk: int, frozen_at: str) -> Found:
        return compute(Assessment.objects.select_related("item_set", "job").get(pk=pk))

    @wraps(compute)
    def of(assessment: Assessment) -> Found:
        return of_row(assessment.pk, str(assessment.frozen_at))

    return of


@_kept
def curve_of(assessment: Assessment) -> Curve | None:
    """The curve over thresholds of a finished assessment; None where it has no scores."""
    whole = answers_of(assessment)
    return task_of(assessment.item_set).curve(whole.items, whole.answers)


@_kept
def details_of(assessment: Assessment) -> tuple[Table, ...]:
    """The tables that the task has to say about a finished participant."""
    whole = answers_of(assessment)
    about = {
        "settings": assessment.item_set.settings,
        "model": assessment.settings.get("model", ""),
    }
    task = task_of(assessment.item_set)
    found = tuple(task.details(whole.items, whole.answers, about))
    if assessment.kind == ParticipantKind.TRAINED:
        return (*training_tables(assessment, task, tallies_of(assessment, task, whole)), *found)
    return found


@_kept
def _tally_of(assessment: Assessment) -> Tally:
    task = task_of(assessment.item_set)
    return mean_tally(tallies_of(assessment, task, answers_of(assessment)))


class NotComparableError(NotNowError):
    """Two assessments are not both finished, or not of the same items."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A measure of one participant less that of another."""

    measure: str
    title: str
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    reason: str


def compared(first: Assessment, second: Assessment) -> list[Difference]:
    """The first participant less the second on the same items; raises NotComparableError."""
    if first.item_set_id != second.item_set_id or not (first.frozen_at and second.frozen_at):
        words = "Only finished participants of the same item set can be compared."
        raise NotComparableError(words)
    found = differences(_tally_of(first), _tally_of(second))
    return [
        Difference(
            measure=measure.key,
            title=measure.title,
            value=one.value,
            low=one.interval.low,
            high=one.interval.high,
            p=one.p,
            reason=one.interval.reason,
        )
        for measure in task_of(first.item_set).measures
        if (one := found.get(measure.key))
    ]
