"""A person's own segments of a recording, as their page shows them.

Nothing here may reveal who made the proposals, which recording of which data set it is, or who
worked on it before. Only the person of a segmentation can read it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.engine.corpus.content_hash import content_version
from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.engine.ratings.viewing import WatchedSpan, joined
from annotation.models import Round, Step, Take, User
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
from segments.selectors.saving import (
    WORKED_ON,
    StandingAnswer,
    current_checks,
    stored_segments,
    stored_table,
)

# With these the author sees what the reviewer changed.
REVIEWED = (SegmentationStatus.RETURNED, SegmentationStatus.ACCEPTED)


def videos_watched_by_segmenters(user: User) -> Q:
    """Recordings that the person segments; not the reference of a recording with mistakes."""
    own = segmentations_of(user).filter(
        Q(recording__trace__video=OuterRef("pk"))
        | Q(recording__trace__isnull=True, recording__take__video=OuterRef("pk")),
    )
    return Q(Exists(own))


def segmentations_of(user: User) -> QuerySet[Segmentation]:
    """The user's own, in opened rounds of campaigns that the user still belongs to."""
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
        # As many as the segments, and only read where somebody begins.
        .defer("recording__proposals", "recording__proposal_scores")
        .get(public_id=public_id)
    )  # fmt: skip


def scheme_of(round_: Round) -> Scheme:
    """The scheme of a round, with the round's own resolution of edges where it has one."""
    about = round_.segments
    scheme_ = scheme(about.scheme, about.scheme_version)
    if about.resolution_s is None:
        return scheme_
    return replace(scheme_, resolution_s=about.resolution_s)


def content_of_recording(recording: SegmentRecording) -> str:
    """The current version of take and trace, as `segment_context` computes it."""
    return content_version(
        trace_hash=recording.trace.content_hash if recording.trace else "",
        take_hash=recording.take.content_hash,
        take_id=recording.take_id,
    )


def media_of(recording: SegmentRecording) -> RecordingMedia:
    """Needs the recording's video with its ingest, else it costs queries."""
    return recording_media(recording.recorded.video)


def procedure_of(take: Take) -> list[dict[str, Any]]:
    """The steps that segments of a take can name, each once: step_id, text, is_essential.

    Where a take has no ids at all, the places of its steps, counted from 0, stand for them. Where
    other steps have ids, a step without one is an action outside the procedure and is left out.
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

    Empty for the take's own recording: it would show people the times that they have to find.
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
    """Segments shown beside the person's own; `title` names nobody unless the round allows it."""

    title: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class SegmentPage:
    """The page of one segmentation, number `number` of the person's `total` in the round.

    `segments` are a table as of `as_table`, `checks` the person's answers, `asked` the answers “no”
    that a correction has to deal with. `reference` are the steps of `_reference`, `watched` pieces
    [start, end] in s.
    """

    segmentation: Segmentation
    scheme: Scheme
    media: RecordingMedia
    number: int
    total: int
    segments: dict[str, Any]
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
        """Whether take or trace were replaced after the work began."""
        own = self.segmentation
        return own.started_at is not None and own.content != self.content

    @property
    def can_edit(self) -> bool:
        """Whether anything can be changed; in an audit only the answers."""
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
            "segments": self.segments,
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
    if own.status in REVIEWED:
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
        segments=stored_table(own.pk),
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
    """The work that it goes on from, in an order that reveals nothing: public ids are random."""
    source = own.recording.source_segmentation_id
    made_from = Segmentation.objects.filter(Q(bases=own) | Q(pk=source)).distinct()
    fields = ("pk", "status", "public_id", "person__username")
    return list(made_from.select_related("person").only(*fields).order_by("public_id"))


def _answers_no(bases: list[Segmentation]) -> tuple[StandingAnswer, ...]:
    """The last answers "no" of the audits before it, without names."""
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
    """The reviewer's version, for the author; empty before a review has begun."""
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
    """A person's own segments for a file, under the segmentation's id to hide their source."""
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
