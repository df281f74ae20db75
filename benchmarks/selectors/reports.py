"""What one participant's page says beside its figures: curves, and the task's own tables."""

from functools import lru_cache

from annotation.analytics.table import Table
from benchmarks.engine.task import Curve
from benchmarks.models import Assessment
from benchmarks.selectors.assessments import answers_of, truth_of
from benchmarks.selectors.item_sets import task_of

# Final answers never change, so a process need not compute of them twice.
KEPT = 64


def curve_of(assessment: Assessment) -> Curve | None:
    """The curve over thresholds of a finished assessment; None where it has no scores."""
    return _curve(assessment.pk, str(assessment.frozen_at))


def details_of(assessment: Assessment) -> tuple[Table, ...]:
    """The tables that the task has to say about a finished participant."""
    return _details(assessment.pk, str(assessment.frozen_at))


@lru_cache(KEPT)
def _curve(pk: int, frozen_at: str) -> Curve | None:
    assessment = Assessment.objects.select_related("item_set").get(pk=pk)
    scored = answers_of(assessment, truth_of(assessment.item_set))
    return task_of(assessment.item_set).curve(scored.items, scored.answers)


@lru_cache(KEPT)
def _details(pk: int, frozen_at: str) -> tuple[Table, ...]:
    assessment = Assessment.objects.select_related("item_set").get(pk=pk)
    scored = answers_of(assessment, truth_of(assessment.item_set))
    about = {
        "settings": assessment.item_set.settings,
        "model": assessment.settings.get("model", ""),
    }
    return tuple(task_of(assessment.item_set).details(scored.items, scored.answers, about))
