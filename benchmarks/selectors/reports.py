"""What one participant's page says beside its figures: curves, and the task's own tables."""

from functools import lru_cache

from annotation.analytics.table import Table
from benchmarks.engine.task import Curve
from benchmarks.models import Assessment, ParticipantKind
from benchmarks.selectors.assessments import answers_of, tallies_of
from benchmarks.selectors.item_sets import task_of
from benchmarks.selectors.training import training_tables

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
    scored = answers_of(assessment)
    return task_of(assessment.item_set).curve(scored.items, scored.answers)


@lru_cache(KEPT)
def _details(pk: int, frozen_at: str) -> tuple[Table, ...]:
    assessment = Assessment.objects.select_related("item_set", "job").get(pk=pk)
    scored = answers_of(assessment)
    about = {
        "settings": assessment.item_set.settings,
        "model": assessment.settings.get("model", ""),
    }
    task = task_of(assessment.item_set)
    found = tuple(task.details(scored.items, scored.answers, about))
    if assessment.kind == ParticipantKind.TRAINED:
        return (*training_tables(assessment, task, tallies_of(assessment, task, scored)), *found)
    return found
