"""What the raters of a campaign remarked besides their answers, for the people who run it."""

from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from datetime import datetime

from annotation.engine.ratings.remarks import SHOWN_KINDS, RemarkKind
from annotation.engine.rubric.rubric import SHOWN_REASONS, CannotJudge, Metric, current_rubric
from annotation.models import Assignment, AssignmentStatus, Campaign, Rating, Remark

CANNOT_JUDGE = "cannot_judge"
SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class RaterNote:
    """One comment, report of a broken video, answer that cannot be given, or skipped trace.

    Empty: `event` for the whole trace, `metric` for all but an answer that cannot be given.
    """

    dataset: str
    take: str
    trace: str
    event: str
    rater: str
    kind: str
    metric: str
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class ShownNote:
    """A note with its kind in words, for the campaign's page."""

    note: RaterNote
    trace_id: str
    words: str


def notes_of(campaign: Campaign) -> list[RaterNote]:
    """Everything that stands now, the latest first (3 queries)."""
    return [item for item, _ in _notes(campaign)]


def shown_notes(campaign: Campaign) -> list[ShownNote]:
    """Everything that stands now in words, the latest first (3 queries)."""
    titles = current_rubric().titles
    notes = []
    for item, trace_id in _notes(campaign):
        if item.kind == CANNOT_JUDGE:
            words = f"Cannot judge {titles.get(item.metric, item.metric)}"
        elif item.kind == SKIPPED:
            words = "Skipped for now"
        else:
            words = SHOWN_KINDS[RemarkKind(item.kind)]
        notes.append(ShownNote(item, trace_id, words))
    return notes


def note_rows(notes: Iterable[RaterNote]) -> Iterator[list[str]]:
    """Yield the notes as the rows of a CSV, its head first."""
    yield [field.name for field in fields(RaterNote)]
    for item in notes:
        *texts, said_at = astuple(item)
        yield [*texts, said_at.isoformat()]


def _notes(campaign: Campaign) -> list[tuple[RaterNote, str]]:
    place = ("trace__dataset__name", "trace__take__uid", "trace__uid")
    of_assignment = tuple(f"assignment__{name}" for name in (*place, "rater__username"))
    notes = []
    remarks = Remark.objects.filter(assignment__round__campaign=campaign, is_current=True).exclude(
        text=""
    )
    for dataset, take, trace, rater, public_id, event, kind, text, at in remarks.values_list(
        *of_assignment, "assignment__trace__public_id", "event__event_id", "kind", "text",
        "written_at",
    ):  # fmt: skip
        shown = "" if kind == RemarkKind.WITHOUT_VIDEO else text
        item = RaterNote(dataset, take, trace, event or "", rater, kind, "", shown, at)
        notes.append((item, public_id))
    unjudged = Rating.objects.filter(assignment__round__campaign=campaign).exclude(cannot_judge="")
    for dataset, take, trace, rater, public_id, event, metric, reason, at in unjudged.values_list(
        *of_assignment, "assignment__trace__public_id", "event__event_id", "metric",
        "cannot_judge", "rated_at",
    ):  # fmt: skip
        words = SHOWN_REASONS[CannotJudge(reason)]
        item = RaterNote(
            dataset, take, trace, event or "", rater, CANNOT_JUDGE, Metric(metric), words, at
        )
        notes.append((item, public_id))
    skipped = Assignment.objects.filter(
        round__campaign=campaign, skipped_at__isnull=False, status=AssignmentStatus.OPEN
    )
    for dataset, take, trace, rater, public_id, at in skipped.values_list(
        *place, "rater__username", "trace__public_id", "skipped_at"
    ):
        item = RaterNote(dataset, take, trace, "", rater, SKIPPED, "", "", at)
        notes.append((item, public_id))
    return sorted(notes, key=lambda pair: (pair[0].said_at, pair[0].rater), reverse=True)
