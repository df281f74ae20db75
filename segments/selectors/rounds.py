"""Rounds of segments, for researchers who run them and in each person's own queue."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Exists, F, OuterRef, Prefetch, Q, QuerySet, When
from django.shortcuts import get_object_or_404

from annotation.engine.ratings.adjudication import SHOWN_CAUSES, Cause
from annotation.models import Campaign, Dataset, Round, RoundRater, User
from annotation.selectors.campaigns.campaigns import get_campaign_for_user, visible_campaigns
from annotation.selectors.campaigns.reading import has_read_a_guideline
from annotation.selectors.corpus.corpus import count_of
from annotation.selectors.ratings.queue import length_of_video
from annotation.selectors.videos.access import not_watchable
from segments.models import (
    CAUSE_QUESTION,
    DONE,
    SEGMENTS,
    Segmentation,
    SegmentationStatus,
    SegmentCheck,
    SegmentRecording,
    Stage,
)
from segments.selectors.segmentations import scheme_of, segmentations_of

# The task as people in the round read it. A second audit reads like a first: it is blind.
STAGE_WORDS = {
    Stage.LABEL: "Label the recording",
    Stage.AUDIT: "Answer questions about each segment",
    Stage.CORRECT: "Correct the segments",
    Stage.REVIEW: "Review the segments",
    Stage.ADJUDICATE: "Decide between two versions",
}
NAMING_WORDS = "Name the given segments"
ONSET_WORDS = "Mark when each mistake begins to show"
SHOWN_SUBMITTED = 200


def task_words(round_: Round) -> str:
    segments = round_.segments
    if segments.stage == Stage.LABEL:
        if segments.has_locked_edges:
            return NAMING_WORDS
        if any(track.is_points for track in scheme_of(round_).tracks):
            return ONSET_WORDS
    return STAGE_WORDS[Stage(segments.stage)]


def segment_rounds(campaign: Campaign) -> QuerySet[Round]:
    """The rounds in order with counts of recordings, people and work, in one query."""
    work = Segmentation.objects.all()
    return (
        campaign.rounds.filter(kind=SEGMENTS)
        .select_related("guideline", "segments__source_round__segments")
        .annotate(
            rater_count=count_of(RoundRater.objects.all(), "round"),
            recording_count=count_of(SegmentRecording.objects.all(), "round"),
            assigned_count=count_of(work, "round"),
            started_count=count_of(work.filter(started_at__isnull=False), "round"),
            submitted_count=count_of(work.filter(status__in=DONE), "round"),
        )
        .order_by("number")
    )


def segment_round_of(campaign: Campaign, number: int) -> Round:
    """A round of segments with its guideline and source; raises Http404."""
    rounds = campaign.rounds.select_related("guideline", "segments__source_round__segments")
    return get_object_or_404(rounds, number=number)


def get_segment_round(user: User, public_id: str, number: int) -> Round:
    """A round of segments with its counts; raises Http404 where the user may not see it."""
    campaign = get_campaign_for_user(user, public_id, SEGMENTS)
    return get_object_or_404(segment_rounds(campaign), number=number)


def recordings_with_work(round_: Round) -> QuerySet[SegmentRecording]:
    """The recordings of a round with the work of each person on them (2 queries)."""
    work = Segmentation.objects.select_related("person").order_by("pk")
    return (
        SegmentRecording.objects.filter(round=round_)
        .select_related("take", "trace")
        .prefetch_related(Prefetch("segmentations", work))
        .order_by("take__scenario", "take__uid", "trace__uid", "pk")
    )


def causes_of(round_: Round) -> list[tuple[str, int]]:
    """Why people differed according to the adjudicators: causes in words with counts; one query."""
    rows = SegmentCheck.objects.filter(segmentation__round=round_, question=CAUSE_QUESTION)
    last = {
        (segmentation, key): cause
        for segmentation, key, cause in rows.order_by("pk").values_list(
            "segmentation", "key", "note"
        )
    }
    counts = Counter(last.values())
    return [(SHOWN_CAUSES[cause], counts[cause]) for cause in Cause if counts[cause]]


@dataclass(frozen=True, slots=True)
class QueuedRecording:
    """One recording in a person's queue; `number` is its place there, counted from 1."""

    public_id: str
    scenario: str
    number: int
    status: str
    is_begun: bool
    submitted_at: datetime | None
    reason: str
    video_s: float | None
    is_unprepared: bool

    @property
    def title(self) -> str:
        return f"{self.scenario}, recording {self.number}"

    @property
    def video(self) -> str:
        return length_of_video(self.video_s)


@dataclass(frozen=True, slots=True)
class SegmentCard:
    """One round in a person's queue; returned recordings come first."""

    round: Round
    task: str
    open_recordings: tuple[QueuedRecording, ...]
    done_recordings: tuple[QueuedRecording, ...]

    @property
    def total(self) -> int:
        return len(self.open_recordings) + len(self.done_recordings)

    @property
    def submitted(self) -> int:
        return len(self.done_recordings)

    @property
    def is_begun(self) -> bool:
        return self.submitted > 0 or any(item.is_begun for item in self.open_recordings)

    @property
    def shown_done(self) -> tuple[QueuedRecording, ...]:
        latest = sorted(
            self.done_recordings,
            key=lambda item: item.submitted_at.timestamp() if item.submitted_at else 0.0,
            reverse=True,
        )
        return tuple(latest[:SHOWN_SUBMITTED])

    @property
    def unprepared_count(self) -> int:
        return sum(item.is_unprepared for item in self.open_recordings)

    @property
    def following(self) -> QueuedRecording | None:
        return self.open_recordings[0] if self.open_recordings else None


def segment_queue(user: User) -> list[SegmentCard]:
    """The rounds of segments in which the user works, closed ones last (2 queries)."""
    rounds = (
        Round.objects.filter(
            kind=SEGMENTS,
            raters__rater=user,
            campaign__raters__rater=user,
            opened_at__isnull=False,
        )
        .select_related("campaign", "segments")
        # What an audit is, or another scheme, is new to somebody who has only labelled.
        .annotate(
            has_read=has_read_a_guideline(
                user,
                version__rounds__segments__scheme=OuterRef("segments__scheme"),
                version__rounds__segments__stage=OuterRef("segments__stage"),
            )
        )
        .order_by(F("closed_at").asc(nulls_first=True), "-opened_at", "campaign__name", "pk")
    )
    rows: dict[int, list[QueuedRecording]] = defaultdict(list)
    unprepared = (
        Q(recording__trace__isnull=True) & not_watchable("recording__take__video")
    ) | not_watchable("recording__trace__video")
    own = (
        segmentations_of(user)
        .select_related("recording__take__video", "recording__trace__video")
        .annotate(is_unprepared=Case(When(unprepared, then=True), default=False))
    )
    for item in own.order_by("round", "position"):
        recording, video = item.recording, item.recording.recorded.video
        rows[item.round_id].append(
            QueuedRecording(
                public_id=item.public_id,
                scenario=recording.take.scenario,
                number=len(rows[item.round_id]) + 1,
                status=item.status,
                is_begun=item.started_at is not None,
                submitted_at=item.submitted_at,
                reason=item.reason if item.status == SegmentationStatus.RETURNED else "",
                video_s=video.duration_s if video else None,
                is_unprepared=item.is_unprepared,
            )
        )
    cards = []
    for round_ in rounds:
        to_do = [item for item in rows[round_.pk] if item.status not in DONE]
        to_do.sort(key=lambda item: item.status != SegmentationStatus.RETURNED)
        finished = [item for item in rows[round_.pk] if item.status in DONE]
        cards.append(SegmentCard(round_, task_words(round_), tuple(to_do), tuple(finished)))
    return cards


def next_segmentation_id(*, user: User, round_id: str) -> str | None:
    """The public id of the user's next segmentation in a round: returned ones first."""
    unfinished = segmentations_of(user).filter(round__public_id=round_id).exclude(status__in=DONE)
    returned = Q(status=SegmentationStatus.RETURNED)
    ordered = unfinished.annotate(is_late=~returned).order_by("is_late", "position")
    return ordered.values_list("public_id", flat=True).first()


def rounds_with_dataset(user: User, dataset: Dataset) -> QuerySet[Round]:
    """The rounds that have recordings of a data set, in campaigns that the user may see."""
    inside = SegmentRecording.objects.filter(round=OuterRef("pk"), take__dataset=dataset)
    rounds = Round.objects.filter(Exists(inside), campaign__in=visible_campaigns(user))
    return rounds.select_related("campaign", "segments").order_by("campaign__name", "number")


def why_rounds_hold(dataset: Dataset) -> str:
    """Why a data set cannot be deleted: rounds have its recordings; "" if none has."""
    count = Round.objects.filter(recordings__take__dataset=dataset).distinct().count()
    if not count:
        return ""
    words = "a round" if count == 1 else f"{count:,} rounds"
    return f"Recordings of {dataset.name} are in {words} of segments, so it cannot be deleted."


def people_working_for_others(user: User) -> QuerySet[Segmentation, int]:
    """The primary keys of people with work in campaigns that the user does not own."""
    work = Segmentation.objects.exclude(round__campaign__owner=user)
    return work.values_list("person", flat=True)
