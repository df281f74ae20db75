"""A rater's queue: what comes next in each round, how long traces take, what is left."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median
from typing import cast

from django.db.models import Case, F, Q, QuerySet, When, Window
from django.db.models.functions import RowNumber

from annotation.engine.campaigns.workload import about, estimate_s, working_s
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Event,
    Phase,
    RatingEvent,
    Round,
    User,
    Viewing,
)
from annotation.selectors.campaigns.reading import has_read_a_guideline
from annotation.selectors.campaigns.rounds import rounds_of_rater
from annotation.selectors.corpus.corpus import count_of
from annotation.selectors.ratings.assignments import assignments_of
from annotation.selectors.ratings.desk import cases_to_discuss
from annotation.selectors.videos.access import not_watchable

# Of each round the queue lists this many submitted traces, the latest first.
SHOWN_SUBMITTED = 200
# So many of the latest submitted traces tell how long one takes.
TIMED = 20
# Skipped traces come again after all others, the one that was skipped first before the rest.
QUEUE_ORDER = (F("skipped_at").asc(nulls_first=True), "position")
LATEST_FIRST = ("-submitted_at", "-pk")


@dataclass(frozen=True, slots=True)
class QueuedTrace:
    """One trace of a rater; `units` are its events and the trace itself.

    `is_unprepared`: one of its recordings cannot be watched yet.
    """

    public_id: str
    scenario: str
    event_count: int
    video_s: float | None
    submitted_at: datetime | None
    skipped_at: datetime | None
    is_begun: bool
    is_unprepared: bool
    took: str = ""

    @property
    def units(self) -> int:
        return self.event_count + 1

    @property
    def video(self) -> str:
        return length_of_video(self.video_s)


def length_of_video(video_s: float | None) -> str:
    """In minutes and seconds, empty where there is no video."""
    if video_s is None:
        return ""
    minutes, seconds = divmod(round(video_s), 60)
    return f"{minutes}:{seconds:02}"


@dataclass(frozen=True, slots=True)
class QueueCard:
    """One round of a rater; `per_trace` and `left` are times in words, empty if unknown.

    `case_count` are the cases of a closed round that are still to be discussed.
    """

    round: Round
    total: int
    open_traces: tuple[QueuedTrace, ...]
    submitted_traces: tuple[QueuedTrace, ...]
    per_trace: str
    left: str
    case_count: int = 0

    @property
    def submitted(self) -> int:
        return self.total - len(self.open_traces)

    @property
    def following(self) -> QueuedTrace | None:
        return self.open_traces[0] if self.open_traces else None

    @property
    def is_begun(self) -> bool:
        return self.submitted > 0 or any(item.is_begun for item in self.open_traces)

    @property
    def unprepared_count(self) -> int:
        return sum(item.is_unprepared for item in self.open_traces)

    @property
    def skipped(self) -> tuple[QueuedTrace, ...]:
        return tuple(item for item in self.open_traces if item.skipped_at is not None)


def queue_of(user: User) -> list[QueueCard]:
    """The rater's rounds, closed ones last (6 queries, however many there are)."""
    own = assignments_of(user)
    rounds = (
        rounds_of_rater(user)
        .select_related("campaign", "checks")
        .annotate(total=count_of(own, "round"), has_read=has_read_a_guideline(user))
        .order_by(
            F("closed_at").asc(nulls_first=True),
            # What has to be passed comes before what it opens.
            Case(When(phase=Phase.TRAINING, then=0), default=1),
            "-opened_at",
            "campaign__name",
        )
    )
    open_traces = _traces(own.filter(status=AssignmentStatus.OPEN).order_by("round", *QUEUE_ORDER))
    latest = Window(RowNumber(), partition_by="round", order_by=LATEST_FIRST)
    finished_rows = own.filter(status=AssignmentStatus.SUBMITTED).annotate(place=latest)
    submitted = _traces(finished_rows.filter(place__lte=SHOWN_SUBMITTED).order_by(*LATEST_FIRST))
    timed = {pk for rows in submitted.values() for pk, _ in rows[:TIMED]}
    seconds = working_times(timed)
    case_counts = cases_to_discuss(user)
    cards = []
    for round_ in rounds:
        to_do, finished = open_traces[round_.pk], submitted[round_.pk]
        timings = [(seconds[pk], item.units) for pk, item in finished if pk in seconds]
        left_s = estimate_s(timings, sum(item.units for _, item in to_do))
        card = QueueCard(
            round=round_,
            total=round_.total,
            open_traces=tuple(item for _, item in to_do),
            submitted_traces=tuple(
                replace(item, took=about(seconds[pk]) if pk in seconds else "")
                for pk, item in finished
            ),
            per_trace=about(median(took for took, _ in timings)) if timings else "",
            left=about(left_s) if left_s else "",
            case_count=case_counts.get(round_.pk, 0),
        )
        cards.append(card)
    return cards


def _traces(rows: QuerySet[Assignment]) -> dict[int, list[tuple[int, QueuedTrace]]]:
    """The assignments by round, in the order of the rows: (row id, what is shown)."""
    queued: dict[int, list[tuple[int, QueuedTrace]]] = defaultdict(list)
    fields = (
        "round_id", "pk", "public_id", "trace__take__scenario", "event_count",
        "video_s", "submitted_at", "skipped_at", "started_at", "is_unprepared",
    )  # fmt: skip
    # Placeholders are not shown.
    own = not_watchable("trace__video") & Q(trace__has_placeholders=False)
    unprepared = own | not_watchable("trace__take__video")
    counted = rows.annotate(
        video_s=Case(When(trace__has_placeholders=False, then="trace__video__duration_s")),
        event_count=count_of(Event.objects.all(), "trace", outer="trace_id"),
        is_unprepared=Case(When(unprepared, then=True), default=False),
    )
    for row in counted.values_list(*fields):
        round_id, pk, public_id, scenario, events, video_s, *rest = row
        submitted_at, skipped_at, started, is_unprepared = rest
        trace = QueuedTrace(
            public_id=public_id,
            scenario=scenario,
            event_count=events,
            video_s=video_s,
            submitted_at=submitted_at,
            skipped_at=skipped_at,
            is_begun=started is not None,
            is_unprepared=is_unprepared,
        )
        queued[round_id].append((pk, trace))
    return queued


def working_times(assignment_ids: Iterable[int]) -> dict[int, float]:
    """The seconds of work at each assignment, from opening its page to its last answer."""
    ids = list(assignment_ids)
    moments: dict[int, list[datetime]] = defaultdict(list)
    answered = RatingEvent.objects.filter(assignment__in=ids, rated_at__isnull=False).order_by()
    for pk, at in answered.values_list("assignment_id", "rated_at").distinct():
        moments[pk].append(cast("datetime", at))
    opened = Viewing.objects.filter(assignment__in=ids).order_by()
    for pk, at in opened.values_list("assignment_id", "opened_at"):
        moments[pk].append(at)
    found = {pk: working_s(times) for pk, times in moments.items()}
    return {pk: seconds for pk, seconds in found.items() if seconds}


def next_assignment_id(*, user: User, round_id: str, leave_out: str = "") -> str | None:
    """The public id of the rater's first open assignment in a round, if any is left.

    `leave_out` is the public id of the one that the rater has just skipped.
    """
    return (
        assignments_of(user)
        .filter(round__public_id=round_id, status=AssignmentStatus.OPEN)
        .exclude(public_id=leave_out)
        .order_by(*QUEUE_ORDER)
        .values_list("public_id", flat=True)
        .first()
    )
