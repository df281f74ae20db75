"""Reports on final answers: curves, the task's own tables, differences of two participants."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import TypeVar

from annotation.analytics.agreement.proportions import Discordance, mcnemar
from annotation.analytics.tables.table import Table
from annotation.engine.exceptions import NotNowError
from benchmarks.engine.scoring import differences, mean_tally
from benchmarks.engine.task import AnswerStatus, Curve, Tally
from benchmarks.models import Assessment, ParticipantKind
from benchmarks.selectors.assessments import answers_of, tallies_of
from benchmarks.selectors.item_sets import task_of
from benchmarks.selectors.training import training_tables

# How many assessments' reports a process caches: those of a large one take seconds to compute.
CACHED_ASSESSMENTS = 32

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Finished:
    """The key of cached reports: final answers never change without a new `frozen_at`."""

    pk: int
    frozen_at: str
    # As it was read: the key is that of its row.
    assessment: Assessment = field(compare=False)


def _cached(compute: Callable[[Assessment], Result]) -> Callable[[Assessment], Result]:
    """Keep a report of the last assessments, see `_Finished`."""

    @lru_cache(CACHED_ASSESSMENTS)
    def of_row(finished: _Finished) -> Result:
        return compute(finished.assessment)

    @wraps(compute)
    def of(assessment: Assessment) -> Result:
        return of_row(_Finished(assessment.pk, str(assessment.frozen_at), assessment))

    return of


@_cached
def _report_of(assessment: Assessment) -> tuple[Curve | None, tuple[Table, ...]]:
    """The curve and the tables: both are of the same answers, which are read once."""
    sheet, task = answers_of(assessment), task_of(assessment.item_set)
    about = {
        "settings": assessment.item_set.settings,
        "model": assessment.settings.get("model", ""),
    }
    tables = tuple(task.details(sheet.items, sheet.answers, about))
    if assessment.kind == ParticipantKind.TRAINED:
        tallies = tallies_of(assessment, task, sheet)
        tables = (*training_tables(assessment, task, tallies), *tables)
    return task.curve(sheet.items, sheet.answers), tables


def curve_of(assessment: Assessment) -> Curve | None:
    """The curve over score thresholds of a finished assessment; None without scores."""
    return _report_of(assessment)[0]


def details_of(assessment: Assessment) -> tuple[Table, ...]:
    """The task's own tables about a finished participant, and those of its training."""
    return _report_of(assessment)[1]


def shown_details(assessment: Assessment, *, sees_truth: bool) -> list[Table]:
    """The tables of `details_of` that a user may read, who may see the truth of the set or not."""
    with_truth = task_of(assessment.item_set).details_with_truth
    return [table for table in details_of(assessment) if sees_truth or table.key not in with_truth]


@_cached
def _tally_of(assessment: Assessment) -> Tally:
    task = task_of(assessment.item_set)
    return mean_tally(tallies_of(assessment, task, answers_of(assessment)))


class NotComparableError(NotNowError):
    """Two assessments are not both finished, or not of the same items."""


@dataclass(frozen=True, slots=True)
class Difference:
    measure: str
    title: str
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    reason: str
    method: str = ""


def discordance_of(first: Assessment, second: Assessment) -> Discordance | None:
    """Of how many of the items that both were asked about only one is right, and the exact p.

    None for tasks whose answers are not simply right or wrong. An answer that was not read is not
    right. Of repeats each is compared with the same one of the other.
    """
    task = task_of(first.item_set)
    columns: tuple[list[bool], list[bool]] = ([], [])
    sheets = [answers_of(one) for one in (first, second)]
    are_sampled = ["sampled" in one.settings for one in (first, second)]
    for item, *answers in zip(sheets[0].items, *(sheet.answers for sheet in sheets), strict=False):
        if any(
            is_sampled and answer.status is AnswerStatus.MISSING
            for is_sampled, answer in zip(are_sampled, answers, strict=True)
        ):
            continue
        for column, answer in zip(columns, answers, strict=True):
            is_right = False if answer.value is None else task.is_right(item, answer.value)
            if is_right is None:
                return None
            column.append(is_right)
    return mcnemar(*columns)


def right_and_wrong(first: Assessment, second: Assessment) -> Discordance:
    """`discordance_of` two participants; raises NotComparableError where there is none."""
    _refuse_others(first, second)
    found = discordance_of(first, second)
    if found is None:
        title = task_of(first.item_set).title
        raise NotComparableError(f"{title}: answers are not simply right or wrong.")
    return found


def _refuse_others(first: Assessment, second: Assessment) -> None:
    if first.item_set_id != second.item_set_id or not (first.frozen_at and second.frozen_at):
        words = "Only finished participants of the same item set can be compared."
        raise NotComparableError(words)


def compare_assessments(first: Assessment, second: Assessment) -> list[Difference]:
    """The first participant minus the second on the same items; raises NotComparableError."""
    _refuse_others(first, second)
    measures = task_of(first.item_set).measures
    scored = differences(_tally_of(first), _tally_of(second), measures)
    return [
        Difference(
            measure=measure.key,
            title=measure.title,
            value=difference.value,
            low=difference.interval.low,
            high=difference.interval.high,
            p=difference.p,
            reason=difference.interval.reason,
            method=str(difference.interval.method),
        )
        for measure in measures
        if (difference := scored.get(measure.key))
    ]
