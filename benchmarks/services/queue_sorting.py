"""Let a model's answers sort the queues of a round, and put them back."""

from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.models import Assignment, Round, User
from annotation.services.audit_log import record_round
from annotation.services.queue_order import movable_assignments, reorder_queues
from benchmarks.engine.tasks.model_as_rater.screening import SortingRule, first_to_look_at
from benchmarks.models import QueueSorting
from benchmarks.selectors.assessments import answers_of
from benchmarks.selectors.queues import Screener, traces_of


def sort_queues(*, made: Round, screener: Screener, rule: str, actor: User | None) -> QueueSorting:
    """Give every rater of a round what the model points at first, of what they have not begun.

    Only metrics whose verdict allows it count. Traces without an answer come last. Sorting again
    takes in what came later. Raises ValidationError.
    """
    _check_sorting(made, screener, rule)
    assessment = screener.assessment
    whole = answers_of(assessment)
    values = first_to_look_at(whole.items, whole.answers, screener.metrics, SortingRule(rule))
    dataset = assessment.item_set.dataset_id
    by_trace = {
        trace: values[name]
        for (held_in, name), trace in traces_of(made).items()
        if held_in == dataset and name in values
    }

    def key(row: Assignment) -> float:
        # Beyond all others, where the model says nothing.
        return -by_trace.get(row.trace_id, -1.0)

    with transaction.atomic():
        earlier = QueueSorting.objects.filter(round=made).first()
        places = {str(row.pk): row.position for row in movable_assignments(made)}
        moved = reorder_queues(made=made, by=key)
        metrics = [metric.value for metric in screener.metrics]
        sorting, _ = QueueSorting.objects.update_or_create(
            round=made,
            defaults={
                "assessment": assessment,
                "name": assessment.name,
                "rule": rule,
                "metrics": metrics,
                "before": {**places, **(earlier.before if earlier else {})},
                "sorted_by": actor,
            },
        )
        detail = {
            "assessment": assessment.public_id, "rule": rule, "metrics": metrics, "moved": moved,
        }  # fmt: skip
        record_round(actor, "round.sort_queues", made, detail)
    return sorting


def _check_sorting(made: Round, screener: Screener, rule: str) -> None:
    if rule not in set(SortingRule):
        raise ValidationError(
            {"rule": f"It is {rule!r}; expected one of {', '.join(SortingRule)}."}
        )
    if not made.is_open:
        raise ValidationError(f"Round {made.number} is not open: there are no queues to sort.")
    if not screener.metrics:
        name = screener.assessment.name
        raise ValidationError(
            f"No verdict says that {name} may screen: have it answer a closed round first."
        )


def unsort_queues(*, made: Round, actor: User | None) -> int:
    """Put what nobody has begun back into the order that it had; returns how many moved."""
    with transaction.atomic():
        sorting = QueueSorting.objects.filter(round=made).first()
        if sorting is None:
            return 0
        before = sorting.before
        moved = reorder_queues(made=made, by=lambda row: before.get(str(row.pk), row.position))
        sorting.delete()
        record_round(actor, "round.unsort_queues", made, {"moved": moved})
    return moved


def came_later(sorting: QueueSorting) -> int:
    """How many were given out after the queues were sorted, and stand where they were put."""
    return sum(str(row.pk) not in sorting.before for row in movable_assignments(sorting.round))
