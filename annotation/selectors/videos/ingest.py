"""How far the ingestion of a data set's recordings is."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

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
OPEN_STATES = frozenset({IngestState.WAITING, IngestState.WORKING})


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
    """The recordings of a data set, those that need attention first.

    `left_s` is how long the rest will take at the pace so far; None where there is no pace.
    """

    items: tuple[IngestItem, ...]
    left_s: float | None

    @property
    def counts(self) -> dict[str, int]:
        counts = Counter(item.state for item in self.items)
        return {str(state): counts[state] for state in IngestState if counts[state]}

    @property
    def is_finished(self) -> bool:
        return not any(item.state in OPEN_STATES for item in self.items)

    @property
    def may_queue(self) -> bool:
        """Whether some recording neither waits nor is done, or lacks something."""
        done = {IngestState.PROXY, IngestState.AS_IT_IS}
        return any(item.is_lacking or item.state not in OPEN_STATES | done for item in self.items)

    @property
    def failed(self) -> tuple[IngestItem, ...]:
        return self._in_state(IngestState.FAILED)

    @property
    def working(self) -> tuple[IngestItem, ...]:
        return self._in_state(IngestState.WORKING)

    @property
    def proxies(self) -> tuple[IngestItem, ...]:
        return self._in_state(IngestState.PROXY)

    def _in_state(self, state: IngestState) -> tuple[IngestItem, ...]:
        return tuple(item for item in self.items if item.state == state)[:SHOWN_ITEMS]

    def to_dict(self) -> dict[str, object]:
        return {
            "counts": self.counts,
            "left_s": None if self.left_s is None else round(self.left_s, 1),
            "videos": [item.to_dict() for item in self.items],
        }


def ingest_report(dataset: Dataset) -> IngestReport:
    """How far the recordings of a data set are (one query)."""
    videos = list(
        Video.objects.filter(dataset=dataset)
        .select_related("ingest__job")
        .defer("ingest__peaks", "ingest__thumbnails", "ingest__sprite")
        .order_by("stem")
    )
    items = []
    for video in videos:
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
        items.append(IngestItem(video.stem, state, detail, *counts, is_lacking))
    order = list(IngestState)
    items.sort(key=lambda item: order.index(item.state))
    return IngestReport(tuple(items), _left_s(videos, timezone.now()))


def why_not_played(video: Video) -> str:
    """What people are told of a recording that nobody can watch yet, after "this video"."""
    ingest = _ingest_of(video)
    has_failed = ingest and ingest.job and ingest.job.status == JobStatus.FAILED
    return NOT_PREPARED if has_failed else BEING_PREPARED


def _ingest_of(video: Video) -> VideoIngest | None:
    return getattr(video, "ingest", None)


def _left_s(videos: Iterable[Video], now: datetime) -> float | None:
    """The seconds that the rest takes.

    What is worked on goes on at its own pace in frames; what waits takes as long for a second of
    recording as the others took.
    """
    rows = [(video, ingest) for video in videos if (ingest := _ingest_of(video)) is not None]
    running = [_running_left_s(ingest, now) for _, ingest in rows if _is(ingest, JobStatus.RUNNING)]
    waiting_s = sum(video.duration_s for video, ingest in rows if _is(ingest, JobStatus.QUEUED))
    if not running and not waiting_s:
        return None
    finished = [(video.duration_s, ingest.seconds) for video, ingest in rows if ingest.folder]
    recorded_s = sum(duration_s for duration_s, _ in finished)
    if any(left_s is None for left_s in running) or (waiting_s and not recorded_s):
        return None
    pace = sum(seconds for _, seconds in finished) / recorded_s if recorded_s else 0.0
    worker_count = max(1, len(running))
    at_work_s = max((left_s for left_s in running if left_s is not None), default=0.0)
    return max(at_work_s, (at_work_s * worker_count + waiting_s * pace) / worker_count)


def _is(ingest: VideoIngest, status: JobStatus) -> bool:
    return not ingest.folder and ingest.job is not None and ingest.job.status == status


def _running_left_s(ingest: VideoIngest, now: datetime) -> float | None:
    job = ingest.job
    if job is None or job.started_at is None or not job.done_count or not job.total_count:
        return None
    elapsed_s = (now - job.started_at).total_seconds()
    return elapsed_s * (job.total_count - job.done_count) / job.done_count
