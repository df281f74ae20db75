"""What the agreement report counts, straight from SQL: every rating is read once and counted."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from django.db.models import Case, IntegerField, QuerySet, Value, When
from django.db.models.functions import Coalesce

from annotation.analytics.metric_ratings import (
    Flags,
    Integers,
    MetricRatings,
    RatingChunk,
    RatingTally,
)
from annotation.engine.rubric import Scope, current_rubric
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Dataset,
    Event,
    Purpose,
    Rating,
    Trace,
    User,
)
from annotation.selectors.campaigns import visible_campaigns
from annotation.selectors.corpus import visible_datasets

# Ratings held at a time while they are counted.
CHUNK_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class ReportScope:
    """Which ratings a report is about; `campaign` None means all that the reader may see.

    Answers of people who could see the sources before are left out unless `has_informed`.
    """

    dataset: Dataset
    campaigns: QuerySet[Campaign]
    is_submitted_only: bool = False
    has_informed: bool = False


def report_scope(
    user: User | None,
    *,
    dataset: str,
    campaign: str | None = None,
    is_submitted_only: bool = False,
    has_informed: bool = False,
) -> ReportScope:
    """The scope of a report by the names of its data set and campaign.

    `user` None is the command line, which sees everything. Raises `Dataset.DoesNotExist` or
    `Campaign.DoesNotExist` for what is not there or not the user's to see.
    """
    datasets = Dataset.objects.all() if user is None else visible_datasets(user)
    campaigns = Campaign.objects.all() if user is None else visible_campaigns(user)
    found = datasets.get(name=dataset)
    if campaign is not None:
        campaigns = Campaign.objects.filter(pk=campaigns.get(name=campaign).pk)
    return ReportScope(found, campaigns, is_submitted_only, has_informed)


def report_inputs(scope: ReportScope) -> tuple[MetricRatings, ...]:
    """The ratings of each of the nine metrics, in the order of the rubric (5 queries).

    Ratings stream through: what is held grows with events, traces and assignments only.
    """
    work = _Work.read(scope)
    tallies = [
        RatingTally(
            definition.metric,
            unit_count=len(work.units[definition.scope].keys),
            rater_count=work.rater_count,
        )
        for definition in current_rubric().metrics
    ]
    for chunk in _chunks(scope):
        _count(chunk, work, tallies)
    _count_unjudged(scope, work, tallies)
    return tuple(
        tally.ratings(
            dataset=scope.dataset.name,
            expected=units.video_expected if tally.definition.needs_video else units.expected,
            clusters=units.clusters,
            # Ratings of a video that is no longer linked still count.
            is_unit=units.has_video if tally.definition.needs_video else None,
        )
        for tally in tallies
        for units in [work.units[tally.definition.scope]]
    )


@dataclass(frozen=True, slots=True)
class _Units:
    """All events, or all traces, as arrays (N,): database key, trace's place, raters due, video.

    `video_expected` leaves out raters who go without the video: its metrics are not theirs to rate.
    """

    keys: Integers
    clusters: Integers
    expected: Integers
    video_expected: Integers
    has_video: Flags

    def places_of(self, keys: Integers) -> Integers:
        """Where the keys stand; the order of the units is the source's, not that of keys."""
        order = np.argsort(self.keys)
        return order[np.searchsorted(self.keys, keys, sorter=order)]


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be rated, and who has which trace: `assignments` are sorted keys."""

    units: dict[Scope, _Units]
    assignments: Integers
    traces: Integers
    raters: Integers
    rater_count: int

    @classmethod
    def read(cls, scope: ReportScope) -> "_Work":
        """Read it in 3 queries; units stand in the order of the source's own ids."""
        held = _integers(
            _assignments(scope)
            .order_by("pk")
            .values_list("pk", "trace_id", "rater_id", "is_without_video"),
            4,
        )
        people, raters = np.unique(held[:, 2], return_inverse=True)
        found = sorted(
            Trace.objects.filter(dataset=scope.dataset)
            .order_by()
            .values_list("uid", "pk", "video_id")
        )
        traces = np.array([pk for _, pk, _ in found], dtype=np.int64)
        due = Counter(held[:, 1].tolist())
        watching = Counter(held[held[:, 3] == 0, 1].tolist())
        per_trace = _Units(
            keys=traces,
            clusters=np.arange(len(traces)),
            expected=np.array([due[pk] for _, pk, _ in found], dtype=np.int64),
            video_expected=np.array([watching[pk] for _, pk, _ in found], dtype=np.int64),
            has_video=np.array([video is not None for _, _, video in found], dtype=bool),
        )
        places = {pk: place for place, (_, pk, _) in enumerate(found)}
        events = sorted(
            (places[trace_id], event_id, pk)
            for pk, event_id, trace_id in Event.objects.filter(trace__dataset=scope.dataset)
            .order_by()
            .values_list("pk", "event_id", "trace_id")
        )
        clusters = np.array([place for place, _, _ in events], dtype=np.int64)
        per_event = _Units(
            keys=np.array([pk for _, _, pk in events], dtype=np.int64),
            clusters=clusters,
            expected=per_trace.expected[clusters],
            video_expected=per_trace.video_expected[clusters],
            has_video=per_trace.has_video[clusters],
        )
        return cls(
            units={Scope.EVENT: per_event, Scope.TRACE: per_trace},
            assignments=held[:, 0],
            traces=held[:, 1],
            raters=raters.astype(np.int64),
            rater_count=len(people),
        )


def _assignments(scope: ReportScope) -> QuerySet[Assignment]:
    found = Assignment.objects.filter(
        trace__dataset=scope.dataset,
        round__campaign__in=scope.campaigns,
        purpose=Purpose.ORDINARY,
    )
    if scope.is_submitted_only:
        found = found.filter(status=AssignmentStatus.SUBMITTED)
    return found if scope.has_informed else found.filter(is_informed=False)


def _integers(rows: Iterable[tuple[int, ...]], width: int) -> Integers:
    return np.array(list(rows), dtype=np.int64).reshape(-1, width)


def _chunks(scope: ReportScope) -> Iterator[Integers]:
    """Yield the ratings, (M, 6): metric, value, confidence, implied, event, assignment.

    Event and confidence are 0 where there is none. Metrics and values come as their places in
    the rubric, so that no text is held.
    """
    definitions = current_rubric().metrics
    metric = Case(
        *(When(metric=item.metric, then=Value(place)) for place, item in enumerate(definitions)),
        output_field=IntegerField(),
    )
    by_scale = {
        item.values: [other.metric for other in definitions if other.values == item.values]
        for item in definitions
    }
    value = Case(
        *(
            When(metric__in=metrics, value=value, then=Value(place))
            for values, metrics in by_scale.items()
            for place, value in enumerate(values)
        ),
        output_field=IntegerField(),
    )
    rows = (
        Rating.objects.filter(assignment__in=_assignments(scope).order_by())
        .exclude(value="")
        .order_by()
        .values_list(
            metric,
            value,
            Coalesce("confidence", 0),
            Case(When(is_implied=True, then=1), default=0),
            Coalesce("event_id", 0),
            "assignment_id",
        )
    )
    stream = rows.iterator(chunk_size=CHUNK_ROWS)
    while len(chunk := _integers(islice(stream, CHUNK_ROWS), 6)):
        yield chunk


def _count_unjudged(scope: ReportScope, work: _Work, tallies: Sequence[RatingTally]) -> None:
    rows = (
        Rating.objects.filter(assignment__in=_assignments(scope).order_by())
        .exclude(cannot_judge="")
        .order_by()
        .values_list("metric", "event_id", "assignment__trace_id")
    )
    keys: dict[str, list[int]] = defaultdict(list)
    for metric, event_id, trace_id in rows:
        keys[metric].append(trace_id if event_id is None else event_id)
    for tally in tallies:
        units = work.units[tally.definition.scope]
        found = np.array(keys[tally.definition.metric], dtype=np.int64)
        if len(found):
            tally.add_unjudged(units.places_of(found))


def _count(chunk: Integers, work: _Work, tallies: Sequence[RatingTally]) -> None:
    held = np.searchsorted(work.assignments, chunk[:, 5])
    for place, tally in enumerate(tallies):
        of_metric = chunk[:, 0] == place
        if not of_metric.any():
            continue
        rows, own = chunk[of_metric], held[of_metric]
        units = work.units[tally.definition.scope]
        keys = work.traces[own] if tally.definition.scope is Scope.TRACE else rows[:, 4]
        tally.add(
            RatingChunk(
                units=units.places_of(keys),
                values=rows[:, 1],
                confidences=rows[:, 2],
                is_implied=rows[:, 3] > 0,
                raters=work.raters[own],
            )
        )
