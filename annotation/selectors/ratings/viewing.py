"""What raters had watched of an event when they answered, read a whole campaign at a time."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from annotation.engine.corpus.side_by_side import Span
from annotation.engine.ratings.changes import CLEARED
from annotation.engine.ratings.viewing import (
    EventStep,
    Evidence,
    ViewingCounts,
    WatchedSpan,
    Windows,
    count_viewing,
    event_windows,
    seconds_within,
)
from annotation.engine.taxonomy import Mod
from annotation.models import Assignment, Rating, Trace, TraceStep, Viewing

# Ratings that a table brought say what it says, and nothing else is known of them.
IMPORT_CLIENT = "import"
UNKNOWN = Evidence(None, None)
# Some ten thousand answers of an ordinary campaign.
BATCH_TRACES = 100
ANSWER_FIELDS = (
    "assignment_id", "assignment__trace_id", "event_id", "client_id", "rated_at",
    "assignment__trace__video_id", "assignment__trace__has_placeholders",
    "reference_watched_s", "trace_watched_s",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerPlace:
    """An answer whose evidence is looked up; `stored` are the seconds of an imported table."""

    assignment_id: int
    trace_id: int
    event_id: int | None
    client_id: str
    rated_at: datetime | None
    has_video: bool
    stored: tuple[float | None, float | None]

    @classmethod
    def of(cls, values: Sequence[Any]) -> "AnswerPlace":
        """The place of a rating of which `values` are its `ANSWER_FIELDS`."""
        assignment, trace, event, client, rated_at, video, has_placeholders, *seconds = values
        has_video = video is not None and not has_placeholders
        reference_s, trace_s = seconds
        return cls(assignment, trace, event, client, rated_at, has_video, (reference_s, trace_s))


@dataclass(frozen=True, slots=True)
class _Watched:
    reference: tuple[WatchedSpan, ...]
    trace: tuple[WatchedSpan, ...]


def evidence_reader(
    viewings: QuerySet[Viewing], traces: QuerySet[Trace]
) -> Callable[[AnswerPlace], Evidence]:
    """A function from an answer to its evidence; two queries, however often it is called."""
    watched = {
        item.assignment_id: _Watched(
            tuple(WatchedSpan.from_list(span) for span in item.reference),
            tuple(WatchedSpan.from_list(span) for span in item.trace),
        )
        for item in viewings.only("assignment_id", "reference", "trace")
    }
    windows, lengths = _windows(traces)

    def read(place: AnswerPlace) -> Evidence:
        if place.stored != (None, None):
            return Evidence(*place.stored)
        viewing = watched.get(place.assignment_id)
        if viewing is None or place.client_id == IMPORT_CLIENT or not place.has_video:
            return UNKNOWN
        assert place.rated_at is not None  # noqa: S101 - only imported answers lack it
        length_s = lengths.get(place.trace_id, 0.0)
        whole = Windows((Span(0.0, float("inf")),), (Span(0.0, length_s),))
        shown = whole if place.event_id is None else windows.get(place.event_id, whole)
        until_s = place.rated_at.timestamp()
        return Evidence(
            reference_s=seconds_within(viewing.reference, shown.reference, until_s=until_s),
            trace_s=seconds_within(viewing.trace, shown.trace, until_s=until_s),
            trace_length_s=sum(window.duration_s for window in shown.trace),
        )

    return read


def _windows(
    traces: QuerySet[Trace],
) -> tuple[dict[int, Windows], dict[int, float]]:
    """The windows of every event of the traces, and how long each trace's video is."""
    steps: defaultdict[int, list[EventStep]] = defaultdict(list)
    lengths: dict[int, float] = {}
    rows = TraceStep.objects.filter(trace__in=traces, trace__video__isnull=False)
    for trace_id, length_s, event_id, mod, start_s, end_s, from_s, to_s in (
        rows.order_by("trace", "index")
        .values_list(
            "trace_id", "trace__video__duration_s", "event_id", "mod", "start_s", "end_s",
            "reference_step__start_s", "reference_step__end_s",
        )
        .iterator(chunk_size=2000)
    ):  # fmt: skip
        lengths[trace_id] = length_s
        steps[trace_id].append(
            EventStep(event_id, Mod(mod), _span(from_s, to_s), _span(start_s, end_s))
        )
    windows: dict[int, Windows] = {}
    for trace_id, found in steps.items():
        windows.update(event_windows(found, trace_duration_s=lengths[trace_id]))
    return windows, lengths


def _span(start_s: float | None, end_s: float | None) -> Span | None:
    return None if start_s is None or end_s is None else Span(start_s, end_s)


def viewing_counts(assignments: QuerySet[Assignment]) -> dict[int, ViewingCounts]:
    """How many answers were given without having watched, by the rater's key.

    Answers that a skip rule filled in are not counted: nobody gave them. Those from a table, from a
    program or from before pages reported viewing count as unknown.
    """
    return count_viewing(_evidence_of(assignments))


def _evidence_of(assignments: QuerySet[Assignment]) -> Iterator[tuple[int, Evidence]]:
    """Yield (rater's key, evidence) of each answer; some traces at a time, to hold no more."""
    for trace_ids in trace_batches(assignments):
        batch = assignments.filter(trace__in=trace_ids).order_by()
        rows = (
            Rating.objects.filter(assignment__in=batch, is_implied=False)
            .exclude(value=CLEARED)
            .order_by()
        )
        if not has_viewing(rows):
            raters = rows.values_list("assignment__rater_id", flat=True)
            yield from ((rater, UNKNOWN) for rater in raters)
            continue
        evidence_of = evidence_reader(
            Viewing.objects.filter(assignment__in=batch), Trace.objects.filter(pk__in=trace_ids)
        )
        for rater, *values in rows.values_list("assignment__rater_id", *ANSWER_FIELDS):
            yield rater, evidence_of(AnswerPlace.of(values))


def trace_batches(assignments: QuerySet[Assignment]) -> Iterator[list[int]]:
    """Yield the keys of the traces that are assigned, as many at a time as one query takes."""
    traces = list(assignments.order_by("trace_id").values_list("trace_id", flat=True).distinct())
    for start in range(0, len(traces), BATCH_TRACES):
        yield traces[start : start + BATCH_TRACES]


def has_viewing(ratings: QuerySet[Rating]) -> bool:
    """Whether it is known of any of the ratings what was watched for it."""
    return ratings.filter(
        Q(reference_watched_s__isnull=False)
        | Q(trace_watched_s__isnull=False)
        | Q(assignment__viewing__isnull=False)
    ).exists()
