"""How far the ingestion of a data set's recordings is."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    Count,
    IntegerField,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.utils import timezone

from annotation.models import AT_WORK, Dataset, JobStatus, Video, VideoIngest

LACKING_DETAIL = "its sound and small pictures for labelling are not made yet"
LACKING_COPY = "its copy for raters is not made yet, so only researchers can watch it"
TELLING_PROXY = "its proxy is of an earlier version and is copied once more"
BEING_PREPARED = "is being prepared for you. Try again in a minute"
NOT_PREPARED = "could not be prepared. The researcher of the campaign sees why"
# The page lists so many recordings of each state.
SHOWN_ITEMS = 100


class IngestState(StrEnum):
    """The state of a recording, in the words that people read."""

    FAILED = "failed"
    WORKING = "being made"
    WAITING = "waiting"
    CANCELLED = "cancelled"
    NONE = "not ingested"
    PROXY = "proxy made"
    AS_IT_IS = "as it is"


STATE_OF_JOB = {
    JobStatus.QUEUED: IngestState.WAITING,
    JobStatus.RUNNING: IngestState.WORKING,
    JobStatus.FAILED: IngestState.FAILED,
    JobStatus.CANCELLED: IngestState.CANCELLED,
}
STATES = tuple(IngestState)
OPEN_STATES = frozenset({IngestState.WAITING, IngestState.WORKING})
DONE_STATES = frozenset({IngestState.PROXY, IngestState.AS_IT_IS})


@dataclass(frozen=True, slots=True)
class IngestItem:
    """One recording: `detail` is why it failed, why it has a proxy, or notes on it.

    `done_count` of `total_count` frames are made while it is worked on; 0 while unknown.
    `is_lacking`: it was ingested before there was what labelling needs.
    """

    stem: str
    state: IngestState
    detail: str
    done_count: int
    total_count: int
    is_lacking: bool = False

    def to_dict(self) -> dict[str, object]:
        return {
            "stem": self.stem,
            "state": self.state,
            "detail": self.detail,
            "done_frames": self.done_count,
            "total_frames": self.total_count,
        }


@dataclass(frozen=True, slots=True)
class IngestReport:
    """How many recordings of a data set are in each state, and some of those worth a look.

    `left_s` is how long the rest will take at the pace so far; None where there is no pace.
    `may_queue`: some recording neither waits nor is done, or lacks something. `has_warnings`: the
    file of some recording is doubtful.
    """

    counts: dict[str, int]
    left_s: float | None
    may_queue: bool
    has_warnings: bool
    failed: tuple[IngestItem, ...]
    working: tuple[IngestItem, ...]
    proxies: tuple[IngestItem, ...]

    @property
    def is_finished(self) -> bool:
        return not OPEN_STATES & self.counts.keys()


def ingest_report(dataset: Dataset) -> IngestReport:
    """How far the recordings of a data set are (a query, and one for each of three lists)."""
    groups = (
        _with_states(dataset)
        .order_by()
        .values("place", "is_lacking")
        .annotate(
            count=Count("pk"),
            recorded_s=Sum("duration_s"),
            took_s=Sum("ingest__seconds"),
            warned=Count("pk", filter=~Q(warnings=[])),
        )
    )
    counts: Counter[IngestState] = Counter()
    recorded_s: Counter[IngestState] = Counter()
    took_s, may_queue, has_warnings = 0.0, False, False
    for group in groups:
        state = STATES[group["place"]]
        counts[state] += group["count"]
        recorded_s[state] += group["recorded_s"]
        has_warnings |= group["warned"] > 0
        may_queue |= group["is_lacking"] or state not in OPEN_STATES | DONE_STATES
        took_s += group["took_s"] if state in DONE_STATES else 0.0

    def shown(state: IngestState) -> list[Video]:
        return list(_videos_in(dataset, state)[:SHOWN_ITEMS]) if counts[state] else []

    # As many as there are workers.
    working = list(_videos_in(dataset, IngestState.WORKING)) if counts[IngestState.WORKING] else []
    done_s = sum(recorded_s[state] for state in DONE_STATES)
    pace = took_s / done_s if done_s else None
    running = [_running_left_s(video.ingest, timezone.now()) for video in working]
    return IngestReport(
        counts={str(state): counts[state] for state in IngestState if counts[state]},
        left_s=_left_s(running, recorded_s[IngestState.WAITING], pace),
        may_queue=may_queue,
        has_warnings=has_warnings,
        failed=tuple(map(ingest_item, shown(IngestState.FAILED))),
        working=tuple(map(ingest_item, working[:SHOWN_ITEMS])),
        proxies=tuple(map(ingest_item, shown(IngestState.PROXY))),
    )


def ingested_videos(dataset: Dataset) -> "QuerySet[Any]":
    """The recordings of a data set for `ingest_item`, those that need attention first."""
    heavy = ("ingest__peaks", "ingest__thumbnails", "ingest__sprite")
    videos = _with_states(dataset).select_related("ingest__job").defer(*heavy)
    return videos.order_by("place", "stem")


def _videos_in(dataset: Dataset, state: IngestState) -> "QuerySet[Any]":
    return ingested_videos(dataset).filter(place=STATES.index(state))


def _with_states(dataset: Dataset) -> "QuerySet[Any]":
    """The recordings with `place`, which is that of their state, and `is_lacking`, as rows say it.

    A data set may have thousands of recordings, and their pictures and sound lie in the same rows.
    """
    is_finished = Q(ingest__folder__gt="")
    has_proxy = ~Q(ingest__proxy={})
    lacks = (
        Q(ingest__detail={})
        | Q(ingest__proxy={}, ingest__copy={})
        | (has_proxy & ~Q(ingest__proxy__has_key="name"))
    )
    is_left = Q(ingest__job=None) | ~Q(ingest__job__status__in=AT_WORK)
    of_jobs = (
        When(ingest__job__status=status, then=Value(STATES.index(state)))
        for status, state in STATE_OF_JOB.items()
    )
    return Video.objects.filter(dataset=dataset).annotate(
        place=Case(
            When(is_finished & has_proxy, then=Value(STATES.index(IngestState.PROXY))),
            When(is_finished, then=Value(STATES.index(IngestState.AS_IT_IS))),
            *of_jobs,
            default=Value(STATES.index(IngestState.NONE)),
            output_field=IntegerField(),
        ),
        is_lacking=Case(
            When(is_finished & lacks & is_left, then=True),
            default=False,
            output_field=BooleanField(),
        ),
    )


def ingest_item(video: Video) -> IngestItem:
    """What is to be said of a recording of `ingested_videos` (no query)."""
    ingest = _ingest_of(video)
    job = ingest.job if ingest else None
    state, detail, counts, is_lacking = IngestState.NONE, "", (0, 0), False
    if ingest and ingest.folder:
        state = IngestState.PROXY if ingest.proxy else IngestState.AS_IT_IS
        is_lacking = ingest.is_lacking and (job is None or job.status not in AT_WORK)
        lacks = [
            *([] if ingest.detail else [LACKING_DETAIL]),
            *([] if ingest.is_watchable else [LACKING_COPY]),
            *([TELLING_PROXY] if ingest.has_telling_proxy else []),
        ]
        failure = [job.error] if job is not None and job.status == JobStatus.FAILED else []
        said = [*ingest.reasons, *ingest.notes, *[*lacks, *failure] * is_lacking]
        detail = "; ".join(said)
    elif job is not None:
        state, detail = STATE_OF_JOB.get(JobStatus(job.status), IngestState.NONE), job.error
        if state == IngestState.WORKING:
            counts = (job.done_count, job.total_count)
    return IngestItem(video.stem, state, detail, *counts, is_lacking)


def why_not_played(video: Video) -> str:
    """What people are told of a recording that nobody can watch yet, after "this video"."""
    ingest = _ingest_of(video)
    has_failed = ingest and ingest.job and ingest.job.status == JobStatus.FAILED
    return NOT_PREPARED if has_failed else BEING_PREPARED


def _ingest_of(video: Video) -> VideoIngest | None:
    return getattr(video, "ingest", None)


def _left_s(running: list[float | None], waiting_s: float, pace: float | None) -> float | None:
    """The seconds that the rest takes.

    What is worked on goes on at its own pace in frames; what waits takes as long for a second of
    recording as the others took.
    """
    if not running and not waiting_s:
        return None
    if any(left_s is None for left_s in running) or (waiting_s and pace is None):
        return None
    worker_count = max(1, len(running))
    at_work_s = max((left_s for left_s in running if left_s is not None), default=0.0)
    return max(at_work_s, (at_work_s * worker_count + waiting_s * (pace or 0.0)) / worker_count)


def _running_left_s(ingest: VideoIngest, now: datetime) -> float | None:
    job = ingest.job
    if job is None or job.started_at is None or not job.done_count or not job.total_count:
        return None
    elapsed_s = (now - job.started_at).total_seconds()
    return elapsed_s * (job.total_count - job.done_count) / job.done_count
