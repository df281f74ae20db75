"""What the agreement report counts, straight from SQL: value counts per unit, never row by row."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from annotation.analytics.metric_ratings import (
    MetricRatings,
    RatedUnit,
    RatingCell,
    tabulate_ratings,
)
from annotation.engine.rubric import Metric, MetricDefinition, Scope, current_rubric
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Dataset,
    Event,
    Rating,
    Trace,
    User,
)
from annotation.selectors.campaigns import visible_campaigns
from annotation.selectors.corpus import visible_datasets


@dataclass(frozen=True, slots=True)
class ReportScope:
    """Which ratings a report is about; `campaign` None means all that the reader may see."""

    dataset: Dataset
    campaigns: QuerySet[Campaign]
    is_submitted_only: bool = False


@dataclass(frozen=True, slots=True)
class _UnitRow:
    """One event or trace as the report meets it; `cluster` numbers the traces by their uid."""

    key: int
    trace_id: int
    cluster: int
    has_video: bool


def report_scope(
    user: User | None,
    *,
    dataset: str,
    campaign: str | None = None,
    is_submitted_only: bool = False,
) -> ReportScope:
    """Return the scope of a report by the names of its data set and campaign.

    `user` None is the command line, which sees everything. Raises `Dataset.DoesNotExist` or
    `Campaign.DoesNotExist` for what is not there or not the user's to see.
    """
    datasets = Dataset.objects.all() if user is None else visible_datasets(user)
    campaigns = Campaign.objects.all() if user is None else visible_campaigns(user)
    found = datasets.get(name=dataset)
    if campaign is not None:
        campaigns = Campaign.objects.filter(pk=campaigns.get(name=campaign).pk)
    return ReportScope(found, campaigns, is_submitted_only)


def report_inputs(scope: ReportScope) -> tuple[MetricRatings, ...]:
    """Return the ratings of each of the nine metrics, in the order of the rubric (5 queries)."""
    cells = _cells(scope)
    raters = _rater_counts(scope)
    expected = _expected_by_trace(scope)
    units = _units(scope)
    return tuple(
        tabulate_ratings(
            dataset=scope.dataset.name,
            metric=definition.metric,
            units=[
                RatedUnit(row.key, row.cluster, expected.get(row.trace_id, 0))
                for row in _units_of(definition, units, cells[definition.metric])
            ],
            cells=cells[definition.metric],
            rater_count=raters.get(definition.metric, 0),
        )
        for definition in current_rubric().metrics
    )


def _assignments(scope: ReportScope) -> Q:
    """Return the condition on a rating's assignment."""
    condition = Q(
        assignment__trace__dataset=scope.dataset, assignment__campaign__in=scope.campaigns
    )
    if scope.is_submitted_only:
        condition &= Q(assignment__status=AssignmentStatus.SUBMITTED)
    return condition


def _cells(scope: ReportScope) -> dict[Metric, list[RatingCell]]:
    rows = (
        Rating.objects.filter(_assignments(scope))
        .exclude(value="")
        .order_by()
        .values_list("metric", "event_id", "assignment__trace_id", "value", "confidence")
        .annotate(count=Count("pk"), implied=Count("pk", filter=Q(is_implied=True)))
    )
    cells: dict[Metric, list[RatingCell]] = defaultdict(list)
    for metric, event_id, trace_id, value, confidence, count, implied in rows:
        cells[Metric(metric)].append(
            RatingCell(
                unit=trace_id if event_id is None else event_id,
                value=value,
                count=count,
                confidence=confidence,
                implied=implied,
            )
        )
    return cells


def _rater_counts(scope: ReportScope) -> dict[str, int]:
    rows = Rating.objects.filter(_assignments(scope)).exclude(value="").order_by()
    return dict(
        rows.values_list("metric").annotate(raters=Count("assignment__rater", distinct=True))
    )


def _expected_by_trace(scope: ReportScope) -> dict[int, int]:
    rows = Assignment.objects.filter(trace__dataset=scope.dataset, campaign__in=scope.campaigns)
    if scope.is_submitted_only:
        rows = rows.filter(status=AssignmentStatus.SUBMITTED)
    return dict(rows.order_by().values_list("trace_id").annotate(raters=Count("pk")))


def _units(scope: ReportScope) -> dict[Scope, list[_UnitRow]]:
    """Return every event and every trace, ordered by the source's own ids."""
    traces = sorted(
        Trace.objects.filter(dataset=scope.dataset).order_by().values_list("uid", "pk", "video_id")
    )
    places = {trace_id: place for place, (_, trace_id, _) in enumerate(traces)}
    with_video = {trace_id for _, trace_id, video_id in traces if video_id is not None}
    events = sorted(
        (places[trace_id], event_id, key, trace_id)
        for key, event_id, trace_id in Event.objects.filter(trace__dataset=scope.dataset)
        .order_by()
        .values_list("pk", "event_id", "trace_id")
    )
    return {
        Scope.EVENT: [
            _UnitRow(key, trace_id, place, trace_id in with_video)
            for place, _, key, trace_id in events
        ],
        Scope.TRACE: [
            _UnitRow(trace_id, trace_id, places[trace_id], trace_id in with_video)
            for _, trace_id, _ in traces
        ],
    }


def _units_of(
    definition: MetricDefinition, units: dict[Scope, list[_UnitRow]], cells: list[RatingCell]
) -> list[_UnitRow]:
    """Return the units of a metric; ratings of a video that is no longer linked still count."""
    if not definition.needs_video:
        return units[definition.scope]
    rated = {cell.unit for cell in cells}
    return [row for row in units[definition.scope] if row.has_video or row.key in rated]
