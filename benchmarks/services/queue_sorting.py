"""Sort the queues of a round by a model's answers, and undo it."""

from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.models import Assignment, Round, User
from annotation.services.ratings.queue_order import movable_assignments, reorder_queues
from annotation.services.records.audit_log import record_round
from benchmarks.engine.tasks.model_as_rater.screening import SortingRule, first_to_look_at
from benchmarks.models import QueueSorting
from benchmarks.selectors.assessments import answers_of
from benchmarks.selectors.queues import Screener, traces_of


def sort_queues(
    *, round_: Round, screener: Screener, rule: str, actor: User | None
) -> QueueSorting:
    """Sort each rater's traces that are not begun by the model's answers.

    Only metrics whose verdict allows it count. Traces without an answer come last. Sorting again
    includes traces that were assigned since. Raises ValidationError.
    """
    assessment = screener.assessment
    if rule not in set(SortingRule):
        words = f"It is {rule!r}; expected one of {', '.join(SortingRule)}."
        raise ValidationError({"rule": words})
    if not round_.is_open:
        raise ValidationError(f"Round {round_.number} is not open: there are no queues to sort.")
    if not screener.metrics:
        words = f"No verdict says that {assessment.name} may screen: have it answer a closed round"
        raise ValidationError(f"{words} first.")
    sheet = answers_of(assessment)
    values = first_to_look_at(sheet.items, sheet.answers, screener.metrics, SortingRule(rule))
    dataset = assessment.item_set.dataset_id
    by_trace = {
        trace: values[name]
        for (trace_dataset, name), trace in traces_of(round_).items()
        if trace_dataset == dataset and name in values
    }

    def key(row: Assignment) -> float:
        # Values are from 0 to 1, so -1 puts traces without an answer last.
        return -by_trace.get(row.trace_id, -1.0)

    with transaction.atomic():
        earlier = QueueSorting.objects.filter(round=round_).first()
        places = {str(row.pk): row.position for row in movable_assignments(round_)}
        moved = reorder_queues(round_=round_, by=key)
        metrics = [metric.value for metric in screener.metrics]
        sorting, _ = QueueSorting.objects.update_or_create(
            round=round_,
            defaults={
                "assessment": assessment,
                "name": assessment.name,
                "rule": rule,
                "metrics": metrics,
                "before": {**places, **(earlier.before if earlier else {})},
                "sorted_by": actor,
            },
        )
        detail = {"assessment": assessment.public_id, "rule": rule, "metrics": metrics}
        record_round(actor, "round.sort_queues", round_, {**detail, "moved": moved})
    return sorting


def unsort_queues(*, round_: Round, actor: User | None) -> int:
    """Restore the earlier order of traces that are not begun; returns how many moved."""
    with transaction.atomic():
        sorting = QueueSorting.objects.filter(round=round_).first()
        if sorting is None:
            return 0
        before = sorting.before
        moved = reorder_queues(round_=round_, by=lambda row: before.get(str(row.pk), row.position))
        sorting.delete()
        record_round(actor, "round.unsort_queues", round_, {"moved": moved})
    return moved


def came_later(sorting: QueueSorting) -> int:
    """How many traces were assigned after the sorting and are not sorted."""
    return sum(str(row.pk) not in sorting.before for row in movable_assignments(sorting.round))
