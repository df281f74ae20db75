"""A person's own segments of a recording: what the page shows, and nothing of the source.

Nothing here tells whose proposals they are, which recording of which data set it is, or who
answered before. The person of a segmentation reads it; for everybody else there is none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.engine.corpus.content_hash import content_version
from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.engine.ratings.viewing import WatchedSpan, joined
from annotation.models import Round, Step, Take, User, Video
from segments.engine.model import Segment, as_table, order_in_time
from segments.engine.model import Segmentation as SegmentationValue
from segments.engine.scheme import Scheme, scheme
from segments.formats.exchange import SegmentedRecording
from segments.models import (
    Segmentation,
    SegmentationStatus,
    SegmentCheck,
    SegmentRecording,
    SegmentViewing,
    Stage,
)
from segments.selectors.media import RecordingMedia, recording_media
from segments.selectors.saving import WORKED_ON, StandingAnswer, current_checks, stored_segments

# Whoever's work was looked through sees what became of it.
LOOKED_THROUGH = (SegmentationStatus.RETURNED, SegmentationStatus.ACCEPTED)


def videos_watched_by_segmenters(user: User) -> Q:
    """The recording that the person segments: not the reference of a recording with mistakes."""
    own = segmentations_of(user).filter(
        Q(recording__trace__video=OuterRef("pk"))
        | Q(recording__trace__isnull=True, recording__take__video=OuterRef("pk")),
    )
    return Q(Exists(own))


def segmentations_of(user: User) -> QuerySet[Segmentation]:
    """What the user segments: own ones, in opened rounds of campaigns the user still belongs to."""
    return Segmentation.objects.filter(
        person=user, round__opened_at__isnull=False, round__campaign__raters__rater=user
    )


def segmentation_for_person(user: User, public_id: str) -> Segmentation:
    """One of the user's own with round and recording; raises `Segmentation.DoesNotExist`."""
    return (
        segmentations_of(user)
        .select_related(
            "round__campaign", "round__guideline", "round__segments",
            "recording__take__dataset", "recording__take__video__ingest",
            "recording__trace__video__ingest", "viewing",
        )
        .get(public_id=public_id)
    )  # fmt: skip


def scheme_of(round_: Round) -> Scheme:
    """The scheme of a round, with the step of edges that the round chose."""
    about = round_.segments
    scheme_ = scheme(about.scheme, about.scheme_version)
    return (
        scheme_ if about.resolution_s is None else replace(scheme_, resolution_s=about.resolution_s)
    )


def video_of(recording: SegmentRecording) -> Video | None:
    """The trace's, or the take's where no trace is named."""
    return recording.trace.video if recording.trace else recording.take.video


def content_of_recording(recording: SegmentRecording) -> str:
    """Which version of take and trace there is now, as `segment_context` has it."""
    return content_version(
        trace_hash=recording.trace.content_hash if recording.trace else "",
        take_hash=recording.take.content_hash,
        take_id=recording.take_id,
    )


def media_of(recording: SegmentRecording) -> RecordingMedia:
    """Needs the recording's video with its ingest."""
    return recording_media(video_of(recording))


def procedure_of(take: Take) -> list[dict[str, Any]]:
    """The steps that segments of a take can be of, each once: step_id, text, is_essential.

    Steps of a take that has no ids at all go by their place, counted from 0. Where other steps have
    one, a step without is an action that belongs to no instruction.
    """
    return _procedure(_steps_of(take))


def _steps_of(take: Take) -> list[dict[str, Any]]:
    shown_text = shown_text_of(take.dataset.format)
    rows = Step.objects.filter(take=take).order_by("index")
    fields = ("index", "step_id", "text", "is_essential", "start_s", "end_s")
    steps = [
        {**dict(zip(fields, row, strict=True)), "text": shown_text(row[2])}
        for row in rows.values_list(*fields)
    ]
    if not any(step["step_id"] for step in steps):
        for step in steps:
            step["step_id"] = str(step["index"])
    return [step for step in steps if step["step_id"]]


def _procedure(steps: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    first: dict[str, dict[str, Any]] = {}
    for step in steps:
        shown = {name: step[name] for name in ("step_id", "text", "is_essential")}
        first.setdefault(step["step_id"], shown)
    return list(first.values())


def _reference(
    steps: Iterable[dict[str, Any]], recording: SegmentRecording, duration_s: float | None
) -> list[dict[str, Any]]:
    """The timed steps of a trace's take, stretched to the length of the trace's recording.

    Of a recording that is the take's own there are none: its times are what people are to find.
    """
    if recording.trace is None:
        return []
    video = recording.take.video
    stretch = duration_s / video.duration_s if video and duration_s else 1.0
    return [
        {
            "step_id": step["step_id"],
            "text": step["text"],
            "start_s": round(step["start_s"] * stretch, 6),
            "end_s": round(step["end_s"] * stretch, 6),
        }
        for step in steps
        if step["start_s"] is not None
    ]


@dataclass(frozen=True, slots=True)
class ComparedSegments:
    """Segments to compare one's own with; `title` never is a name."""

    title: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class SegmentPage:
    """Everything on the page of one segmentation."""

    segmentation: Segmentation
    scheme: Scheme
    media: RecordingMedia
    number: int
    total: int
    segments: tuple[Segment, ...]
    checks: tuple[StandingAnswer, ...]
    asked: tuple[StandingAnswer, ...]
    lanes: tuple[ComparedSegments, ...]
    procedure: list[dict[str, Any]]
    reference: list[dict[str, Any]]
    watched: list[list[float]]
    waits_for_author: bool

    @property
    def title(self) -> str:
        return f"Recording {self.number} of {self.total}"

    @property
    def content(self) -> str:
        return content_of_recording(self.segmentation.recording)

    @property
    def is_replaced(self) -> bool:
        """Whether take or trace are others than those that the work began with."""
        own = self.segmentation
        return own.started_at is not None and own.content != self.content

    @property
    def can_edit(self) -> bool:
        """Whether anything of it can be changed; of an audit that is its answers alone."""
        own = self.segmentation
        is_open = own.status in WORKED_ON and not own.round.is_closed
        return is_open and not self.is_replaced and not self.waits_for_author

    def to_dict(self) -> dict[str, Any]:
        own, about = self.segmentation, self.segmentation.round.segments
        return {
            "id": own.public_id,
            "status": own.status,
            "reason": own.reason,
            "reject_reason": own.reject_reason,
            "head": own.head,
            "content": own.content or self.content,
            "is_closed": own.round.is_closed,
            "is_replaced": self.is_replaced,
            "waits_for_author": self.waits_for_author,
            "stage": about.stage,
            "has_locked_edges": about.has_locked_edges,
            "can_edit": self.can_edit,
            "title": self.title,
            "scenario": own.recording.take.scenario,
            "scheme": self.scheme.to_dict(),
            "duration_s": self.media.duration_s,
            "rate": self.media.rate,
            "rate_note": self.media.rate_note,
            "procedure": self.procedure,
            "reference": self.reference,
            "segments": as_table(self.segments),
            "checks": [asdict(check) for check in self.checks],
            "asked": [
                {"key": check.key, "question": check.question, "note": check.note}
                for check in self.asked
            ],
            "lanes": [
                {"title": lane.title, "segments": as_table(lane.segments)} for lane in self.lanes
            ],
            "guideline": {
                "name": own.round.guideline.name,
                "text": own.round.guideline.text.get("text", ""),
            },
            "watched": self.watched,
        }


def segment_page(user: User, public_id: str) -> SegmentPage:
    """The page of one of the user's own; raises `Segmentation.DoesNotExist`.

    Seven queries at most, however many segments there are.
    """
    own = segmentation_for_person(user, public_id)
    recording, stage = own.recording, own.round.segments.stage
    own_places = Segmentation.objects.filter(round=own.round_id, person=own.person_id)
    counts = own_places.aggregate(
        before=Count("pk", filter=Q(position__lt=own.position)), total=Count("pk")
    )
    steps = _steps_of(recording.take)
    media = media_of(recording)
    viewing: SegmentViewing | None = getattr(own, "viewing", None)
    scheme_ = scheme_of(own.round)
    bases = _bases_of(own) if stage in (Stage.REVIEW, Stage.ADJUDICATE, Stage.CORRECT) else []
    about = own.round.segments
    is_compared = stage in (Stage.REVIEW, Stage.ADJUDICATE)
    lanes = _lanes(bases, stage, hides_author=about.hides_author) if is_compared else ()
    if own.status in LOOKED_THROUGH:
        lanes = (*lanes, *_review_lane(own))
    waits = stage == Stage.REVIEW and any(
        base.pk == recording.source_segmentation_id and base.status in WORKED_ON for base in bases
    )
    return SegmentPage(
        segmentation=own,
        scheme=scheme_,
        media=media,
        number=counts["before"] + 1,
        total=counts["total"],
        segments=tuple(stored_segments(own.pk).values()),
        checks=tuple(current_checks(own.pk).values())
        if scheme_.questions or stage == Stage.ADJUDICATE
        else (),
        asked=_answers_no(bases) if stage == Stage.CORRECT else (),
        lanes=lanes,
        procedure=_procedure(steps),
        reference=_reference(steps, recording, media.duration_s),
        watched=joined(WatchedSpan.from_list(span) for span in viewing.watched) if viewing else [],
        waits_for_author=waits,
    )


def _bases_of(own: Segmentation) -> list[Segmentation]:
    """What it was made from, in an order that tells nothing: public ids are random."""
    source = own.recording.source_segmentation_id
    made_from = Segmentation.objects.filter(Q(bases=own) | Q(pk=source)).distinct()
    fields = ("pk", "status", "public_id", "person__username")
    return list(made_from.select_related("person").only(*fields).order_by("public_id"))


def _answers_no(bases: list[Segmentation]) -> tuple[StandingAnswer, ...]:
    """The answers "no" of the audits before it that count, nobody named."""
    rows = SegmentCheck.objects.filter(segmentation__in=bases).order_by("pk")
    last: dict[tuple[int, str, str], StandingAnswer] = {}
    fields = ("segmentation", "key", "segment_revision", "question", "answer", "note")
    for pk, key, revision, question, answer, note in rows.values_list(*fields):
        last[pk, key, question] = StandingAnswer(key, revision, question, answer, note)
    said_no = (check for check in last.values() if not check.answer)
    return tuple(sorted(said_no, key=lambda check: (check.key, check.question, check.note)))


def _lanes(
    bases: list[Segmentation], stage: str, *, hides_author: bool
) -> tuple[ComparedSegments, ...]:
    titles: Sequence[str] = "ABCDEFGH"
    if stage == Stage.REVIEW and len(bases) == 1:
        titles = ["Author" if hides_author else f"Author: {bases[0].person.username}"]
    return tuple(
        ComparedSegments(title, tuple(SegmentationValue(stored_segments(base.pk))))
        for title, base in zip(titles, bases, strict=False)
    )


def _review_lane(own: Segmentation) -> tuple[ComparedSegments, ...]:
    """What a reviewer made of it, for its author."""
    reviews = Segmentation.objects.filter(
        recording__source_segmentation=own,
        round__segments__stage=Stage.REVIEW,
        started_at__isnull=False,
    )
    review = reviews.order_by("-pk").first()
    if review is None:
        return ()
    return (ComparedSegments("Review", tuple(SegmentationValue(stored_segments(review.pk)))),)


def as_recording(own: Segmentation) -> SegmentedRecording:
    """A person's own as files hold it, under the segmentation's id: its source is not told."""
    about, media = own.round.segments, media_of(own.recording)
    return SegmentedRecording(
        uid=own.public_id,
        segments=tuple(sorted(stored_segments(own.pk).values(), key=order_in_time)),
        scenario=own.recording.take.scenario,
        duration_s=media.duration_s,
        rate=media.file_rate,
        steps={step["step_id"]: step["text"] for step in procedure_of(own.recording.take)},
        round=own.round.public_id,
        scheme=about.scheme,
        scheme_version=about.scheme_version,
        guideline=own.round.guideline.name,
        head=own.head,
    )
