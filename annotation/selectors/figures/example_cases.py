"""Cases of the desk that stand for a metric in a paper; nobody who answered is named."""

from collections import defaultdict
from collections.abc import Collection

from django.db.models import Case as Choice
from django.db.models import Count, F, QuerySet, When, Window
from django.db.models.functions import RowNumber

from annotation.analytics.tables.example_cases import ExampleCase
from annotation.engine.ratings.adjudication import SHOWN_CAUSES, Cause
from annotation.engine.ratings.event_headings import heading
from annotation.engine.rubric.rubric import (
    SHOWN_REASONS,
    CannotJudge,
    Metric,
    MetricDefinition,
    current_rubric,
)
from annotation.models import AssignmentStatus, Case, Dataset, Purpose, Rating, Round
from annotation.selectors.ratings.audit import WrittenTable, written_tables

CASES_PER_METRIC = 2
Answered = dict[tuple[int, int, int | None, str], dict[tuple[str, str], int]]


def example_cases(
    datasets: QuerySet[Dataset] | Collection[int], rounds: QuerySet[Round] | Collection[int]
) -> list[ExampleCase]:
    """The cases of closed rounds that tell most about each metric (5 queries).

    The caller says which data sets and rounds may be read.
    """
    cases = _chosen(datasets, rounds)
    answered = _answers(cases)
    tables = written_tables({case.trace_id: case.trace for case in cases}.values())
    definitions = {item.metric.value: item for item in current_rubric().metrics}
    places = {metric.value: place for place, metric in enumerate(Metric)}
    campaigns = {case.round.campaign_id for case in cases}
    examples = []
    for case in sorted(cases, key=lambda item: places[item.metric]):
        definition = definitions[case.metric]
        counts = answered.get((case.round_id, case.trace_id, case.event_id, case.metric), {})
        value = case.adjudicated.value if hasattr(case, "adjudicated") else ""
        name = f"round {case.round.number}"
        examples.append(
            ExampleCase(
                metric=definition.title,
                trace=f"{case.trace.dataset.name}/{case.trace.uid}",
                round=f"{case.round.campaign.name}, {name}" if len(campaigns) > 1 else name,
                event=_event(case, tables[case.trace_id]),
                answers=_counted(definition, counts),
                decision=definition.shown(value) if value else "",
                cause=SHOWN_CAUSES[Cause(case.cause)] if case.cause else "",
                reason=case.reason,
            )
        )
    return examples


def _chosen(
    datasets: QuerySet[Dataset] | Collection[int], rounds: QuerySet[Round] | Collection[int]
) -> list[Case]:
    cases = Case.objects.filter(
        trace__dataset__in=datasets, round__in=rounds, round__closed_at__isnull=False
    ).exclude(metric="")
    ranked = cases.annotate(
        place=Window(
            RowNumber(),
            partition_by="metric",
            # "decided" comes before "discussed" and "open".
            order_by=[
                F("state").asc(),
                Choice(When(reason="", then=1), default=0),
                F("score").desc(nulls_last=True),
                F("pk").asc(),
            ],
        )
    )
    related = "round__campaign", "event", "trace__dataset", "trace__take__dataset", "adjudicated"
    return list(
        ranked.filter(place__lte=CASES_PER_METRIC).select_related(*related).order_by("place")
    )


def _answers(cases: Collection[Case]) -> Answered:
    """How many gave which answer to each case: (value, why it could not be judged) -> count."""
    answers: Answered = defaultdict(dict)
    rows = Rating.objects.filter(
        assignment__round__in={case.round_id for case in cases},
        assignment__trace__in={case.trace_id for case in cases},
        assignment__purpose=Purpose.ORDINARY,
        assignment__status=AssignmentStatus.SUBMITTED,
        metric__in={case.metric for case in cases},
    ).order_by()
    for round_id, trace, event, metric, value, cannot_judge, count in rows.values_list(
        "assignment__round", "assignment__trace", "event", "metric", "value", "cannot_judge"
    ).annotate(count=Count("pk")):
        if value or cannot_judge:
            answers[round_id, trace, event, metric][value, cannot_judge] = count
    return answers


def _counted(definition: MetricDefinition, counts: dict[tuple[str, str], int]) -> str:
    """The answers in the order of the scale, those that could not be judged last."""
    values = [
        f"{definition.shown(value)} × {counts[value, '']}"
        for value in definition.values
        if (value, "") in counts
    ]
    reasons = [
        f"cannot judge ({SHOWN_REASONS[CannotJudge(reason)].lower()}) × {counts['', reason]}"
        for reason in CannotJudge
        if ("", reason) in counts
    ]
    return ", ".join(values + reasons)


def _event(case: Case, written: WrittenTable) -> str:
    if case.event is None:
        return "whole trace"
    labels = {label.index: label for label in written.table.events}
    return heading(written.table, labels[case.event.index])
