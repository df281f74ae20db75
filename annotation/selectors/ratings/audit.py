"""What the audit page shows, and nothing that would bias a rating.

Reads never fetch what a rater must not learn: proposed types, native labels, provenance, and the
names and ids of data sets, takes, traces and events of the source. The format of the reference
only decides how its texts are written out.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from django.db.models import Count, Q

from annotation.engine.corpus.content_hash import content_version
from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.engine.corpus.procedure import Step as StepValue
from annotation.engine.corpus.procedure import TraceStep as TraceStepValue
from annotation.engine.corpus.step_words import StepWords
from annotation.engine.corpus.timeline import StripPiece, known_duration_s, strip
from annotation.engine.ratings.audit_table import AuditTable, EventKey, build_table
from annotation.engine.ratings.event_headings import heading
from annotation.engine.ratings.remarks import RemarkKey, RemarkState
from annotation.engine.ratings.viewing import WatchedSpan, joined
from annotation.engine.rubric.rubric import Rubric, current_rubric, rubric
from annotation.engine.taxonomy import EventKind, Mod
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Event,
    GuidelineVersion,
    RatingRound,
    Round,
    Step,
    Trace,
    TraceStep,
    User,
    Video,
    Viewing,
)
from annotation.selectors.campaigns.rounds import guideline_text
from annotation.selectors.ratings.assignments import CurrentRating, assignments_of, rating_sheet
from annotation.selectors.ratings.saving import current_remarks
from annotation.selectors.videos.media import ShownMedia, shown_media


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """Where an assignment stands in its rater's queue; `number` counts from 1."""

    number: int
    total: int
    submitted: int


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Everything on the page of one assignment."""

    assignment: Assignment
    scenario: str
    place: QueuePlace
    rubric: Rubric
    table: AuditTable
    reference_video: Video | None
    trace_video: Video | None
    reference_strip: tuple[StripPiece, ...]
    trace_strip: tuple[StripPiece, ...]
    ratings: tuple[CurrentRating, ...]
    remarks: dict[RemarkKey, RemarkState]
    reference_media: ShownMedia | None
    trace_media: ShownMedia | None

    @property
    def content(self) -> str:
        return content_of(self.assignment.trace)

    def to_dict(self) -> dict[str, object]:
        """What the page's modules need; times are seconds, rounded to milliseconds."""
        return {
            "assignment": self.assignment.public_id,
            "content": self.content,
            "status": self.assignment.status,
            "is_closed": self.assignment.round.is_closed,
            "rubric": self.rubric.to_dict(),
            "guideline": guideline_text(self.assignment.round).to_dict(),
            "has_video": self.trace_video is not None,
            **self._own_work(),
            "events": [
                {
                    "index": event.index,
                    "kind": event.kind,
                    "name": event.name,
                    "corrects": event.target or None,
                    "text": heading(self.table, event),
                }
                for event in self.table.events
            ],
            "rows": [
                {
                    "event": row.event_index,
                    "mark": row.mark,
                    "reference": _rounded(times.reference_start_s, times.reference_end_s),
                    "trace": _rounded(times.trace_start_s, times.trace_end_s),
                }
                for row, times in zip(self.table.rows, self.table.times, strict=True)
            ],
            "sections": self._sections(),
            "frame_rates": {
                "reference": self.reference_media.frame_rate if self.reference_media else None,
                "trace": self.trace_media.frame_rate if self.trace_media else None,
            },
            "durations": {
                "reference": self.reference_video and round(self.reference_video.duration_s, 3),
                "trace": self.trace_video and round(self.trace_video.duration_s, 3),
            },
            "media": {
                "reference": _media_dict(
                    self.reference_media,
                    [(item.reference_start_s, item.reference_end_s) for item in self.table.times],
                ),
                "trace": _media_dict(
                    self.trace_media,
                    [(item.trace_start_s, item.trace_end_s) for item in self.table.times],
                ),
            },
        }

    def _own_work(self) -> dict[str, object]:
        """The rater's answers, remarks and, by side, the watched spans of this version in seconds.

        `watched` is None until a page has reported something.
        """
        viewing: Viewing | None = getattr(self.assignment, "viewing", None)
        watched = None
        if viewing is not None and viewing.content == self.content:
            watched = {
                side: joined(WatchedSpan.from_list(span) for span in spans)
                for side, spans in (("reference", viewing.reference), ("trace", viewing.trace))
            }
        return {
            "ratings": [
                {
                    "event": rating.key.event_index,
                    "metric": rating.key.metric,
                    "value": rating.answer.value or None,
                    "confidence": rating.answer.confidence,
                    "cannot_judge": rating.answer.cannot_judge or None,
                    "is_implied": rating.is_implied,
                    "revision": rating.revision,
                }
                for rating in self.ratings
            ],
            "remarks": [
                {
                    "event": key.event_index,
                    "kind": key.kind,
                    "text": state.text,
                    "revision": state.revision,
                }
                for key, state in self.remarks.items()
            ],
            "watched": watched,
        }

    def _sections(self) -> list[dict[str, object]]:
        """How the two recordings play step by step; nothing where one is missing."""
        if self.reference_video is None or self.trace_video is None:
            return []
        sections = self.table.sections(
            reference_duration_s=self.reference_video.duration_s,
            trace_duration_s=self.trace_video.duration_s,
        )
        return [
            {
                "kind": section.kind,
                "row": section.row,
                "reference": _rounded(section.reference.start_s, section.reference.end_s),
                "trace": _rounded(section.trace.start_s, section.trace.end_s),
                "note": self.table.waiting_note(section),
            }
            for section in sections
        ]


def content_of(trace: Trace) -> str:
    """Which version of the trace and its reference there is now."""
    return content_version(
        trace_hash=trace.content_hash,
        take_hash=trace.take.content_hash,
        take_id=trace.take_id,
    )


def _media_dict(
    media: ShownMedia | None, spans: Sequence[tuple[float | None, float | None]]
) -> dict[str, object] | None:
    """A side's media with the name of each row's picture, None where a row has none."""
    if media is None:
        return None
    return {**media.to_dict(), "pictures": [media.picture_of(*span) for span in spans]}


def _rounded(*times_s: float | None) -> list[float | None]:
    return [None if time_s is None else round(time_s, 3) for time_s in times_s]


def get_audit_page(*, user: User, public_id: str) -> AuditPage:
    """The page of the rater's own assignment; raises Assignment.DoesNotExist.

    Eight queries, however long the trace is.
    """
    assignment = (
        assignments_of(user)
        .select_related(
            "round__campaign", "round__guideline", "round__ratings", "viewing",
            "trace__video__ingest", "trace__take__video__ingest",
            "trace__take__dataset",
        )
        .only(
            "public_id", "status", "position", "rater_id", "submitted_at", "is_without_video",
            "round__public_id", "round__phase", "round__kind", "round__number",
            "round__opened_at", "round__closed_at",
            "round__campaign__public_id", "round__campaign__name", "round__guideline__text",
            "round__guideline__examples", "round__guideline__kind",
            "round__ratings__rubric_version", "round__ratings__step_words",
            "viewing__content", "viewing__reference", "viewing__trace",
            "trace__has_placeholders",
            "trace__content_hash", "trace__take__content_hash", "trace__take__scenario",
            "trace__take__dataset__format",
            "trace__video__public_id", "trace__video__duration_s", "trace__video__frame_rate",
            "trace__video__width", "trace__video__height", "trace__video__rotation_degrees",
            "trace__video__ingest__folder", "trace__video__ingest__proxy",
            "trace__video__ingest__copy",
            "trace__video__ingest__thumbnails", "trace__video__ingest__sprite",
            "trace__video__ingest__peaks",
            "trace__take__video__public_id", "trace__take__video__duration_s",
            "trace__take__video__frame_rate", "trace__take__video__width",
            "trace__take__video__height", "trace__take__video__rotation_degrees",
            "trace__take__video__ingest__folder", "trace__take__video__ingest__proxy",
            "trace__take__video__ingest__copy",
            "trace__take__video__ingest__thumbnails", "trace__take__video__ingest__sprite",
            "trace__take__video__ingest__peaks",
        )
        .get(public_id=public_id)
    )  # fmt: skip
    return _page_of(assignment)


def preview_page(
    *,
    trace: Trace,
    user: User | None,
    round_: Round | None = None,
    shows_placeholders: bool = False,
) -> AuditPage:
    """The page that a rater of the trace would get, as if `user` were to rate it first.

    `user` None is the command line. Researchers may watch placeholders, which raters are not shown.

    The assignment in it is not stored, so nothing that is done to it can be saved. The trace comes
    from `get_trace_for_user`, or with its round `round_` from `get_case`.
    """
    if round_ is None:
        round_ = Round(campaign=Campaign(name="Preview"), guideline=GuidelineVersion())
        round_.ratings = RatingRound(round=round_, rubric_version=current_rubric().version)
    assignment = Assignment(round=round_, rater=user, trace=trace, position=0)
    return _page_of(assignment, shows_placeholders=shows_placeholders)


def _page_of(assignment: Assignment, *, shows_placeholders: bool = False) -> AuditPage:
    trace = assignment.trace
    step_words = StepWords(assignment.round.ratings.step_words)
    written = written_tables([trace], step_words)[trace.pk]
    reference, rows, table = written.reference, written.trace, written.table
    reference_video, trace_video = trace.take.video, trace.video
    if trace.has_placeholders and not shows_placeholders:
        trace_video = None
    place = QueuePlace(1, 1, 0)
    if assignment.pk:
        own = Assignment.objects.filter(round_id=assignment.round_id, rater_id=assignment.rater_id)
        counts = own.aggregate(
            before=Count("pk", filter=Q(position__lt=assignment.position)),
            total=Count("pk"),
            submitted=Count("pk", filter=Q(status=AssignmentStatus.SUBMITTED)),
        )
        place = QueuePlace(counts["before"] + 1, counts["total"], counts["submitted"])
    return AuditPage(
        assignment=assignment,
        scenario=trace.take.scenario,
        place=place,
        rubric=rubric(assignment.round.ratings.rubric_version),
        table=table,
        reference_video=reference_video,
        trace_video=trace_video,
        reference_strip=strip(table.reference_strip(), _strip_length_s(reference_video, reference)),
        trace_strip=strip(table.trace_strip(), _strip_length_s(trace_video, rows)),
        ratings=rating_sheet(assignment).ratings if assignment.pk else (),
        remarks=current_remarks(assignment.pk) if assignment.pk else {},
        reference_media=shown_media(reference_video) if reference_video else None,
        trace_media=shown_media(trace_video) if trace_video else None,
    )


def _strip_length_s(
    video: Video | None, steps: Sequence[StepValue] | Sequence[TraceStepValue]
) -> float:
    if video is not None:
        return video.duration_s
    return known_duration_s(step.end_s for step in steps) or 1.0


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A trace beside its reference: the steps of both, and the table that raters read."""

    reference: list[StepValue]
    trace: list[TraceStepValue]
    table: AuditTable


def written_tables(
    traces: Iterable[Trace], step_words: StepWords = StepWords.ARROWS
) -> dict[int, WrittenTable]:
    """The tables by the keys of these traces, which have their take's data set (3 queries)."""
    by_key = {trace.pk: trace for trace in traces}
    shown = {pk: shown_text_of(trace.take.dataset.format) for pk, trace in by_key.items()}
    references: dict[int, list[tuple[str, str, float | None, float | None]]] = defaultdict(list)
    takes = {trace.take_id for trace in by_key.values()}
    steps = Step.objects.filter(take__in=takes).order_by("take", "index")
    for take, *step in steps.values_list("take", "text", "step_id", "start_s", "end_s"):
        references[take].append(cast("tuple[str, str, float | None, float | None]", tuple(step)))
    rows = _trace_steps(shown)
    events: dict[int, list[EventKey]] = defaultdict(list)
    marked = Event.objects.filter(trace__in=by_key).order_by("trace", "index")
    for trace_id, index, kind, target in marked.values_list(
        "trace", "index", "kind", "target__index"
    ):
        events[trace_id].append(EventKey(index, EventKind(kind), target))
    tables = {}
    for pk, trace in by_key.items():
        reference = [
            StepValue(text=shown[pk](text), step_id=step_id, start_s=start_s, end_s=end_s)
            for text, step_id, start_s, end_s in references[trace.take_id]
        ]
        table = build_table(reference, rows[pk], events[pk], step_words)
        tables[pk] = WrittenTable(reference, rows[pk], table)
    return tables


def _trace_steps(shown: Mapping[int, Callable[[str], str]]) -> dict[int, list[TraceStepValue]]:
    """The steps of each trace, whose texts are shown as its format says."""
    rows = TraceStep.objects.filter(trace__in=shown).order_by("trace", "index")
    fields = (
        "mod", "text", "reference_step__index", "event__index", "step_id", "start_s", "end_s",
    )  # fmt: skip
    steps: dict[int, list[TraceStepValue]] = defaultdict(list)
    for (
        trace_id,
        mod,
        text,
        reference_index,
        event_index,
        step_id,
        start_s,
        end_s,
    ) in rows.values_list("trace", *fields):
        steps[trace_id].append(
            TraceStepValue(
                mod=Mod(mod),
                text=shown[trace_id](text),
                reference_index=reference_index,
                event_id=None if event_index is None else str(event_index),
                step_id=step_id,
                start_s=start_s,
                end_s=end_s,
            )
        )
    return steps
