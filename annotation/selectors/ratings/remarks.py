"""What the raters of a campaign remarked besides their answers, for the people who run it."""

from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet, Window

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
    return [item for item, _ in _notes(campaign)[0]]


def shown_notes(campaign: Campaign, most: int) -> tuple[list[ShownNote], int]:
    """The latest `most` in words, and how many stand now (3 queries)."""
    titles = current_rubric().titles
    latest, count = _notes(campaign, most)
    notes = []
    for item, trace_id in latest:
        if item.kind == CANNOT_JUDGE:
            words = f"Cannot judge {titles.get(item.metric, item.metric)}"
        elif item.kind == SKIPPED:
            words = "Skipped for now"
        else:
            words = SHOWN_KINDS[RemarkKind(item.kind)]
        notes.append(ShownNote(item, trace_id, words))
    return notes, count


def note_rows(notes: Iterable[RaterNote]) -> Iterator[list[str]]:
    """Yield the notes as the rows of a CSV, its head first."""
    yield [field.name for field in fields(RaterNote)]
    for item in notes:
        *texts, said_at = astuple(item)
        yield [*texts, said_at.isoformat()]


def _notes(campaign: Campaign, most: int | None = None) -> tuple[list[tuple[RaterNote, str]], int]:
    """The latest `most`, or all, each with the id of its trace; and how many stand now."""
    place = ("trace__dataset__name", "trace__take__uid", "trace__uid")
    of_assignment = tuple(f"assignment__{name}" for name in (*place, "rater__username"))
    notes, counts = [], [0, 0, 0]
    remarks = Remark.objects.filter(assignment__round__campaign=campaign, is_current=True).exclude(
        text=""
    )
    read = (
        *of_assignment, "assignment__trace__public_id", "event__event_id", "kind", "text",
        "written_at",
    )  # fmt: skip
    for row in _latest(remarks, most, read):
        dataset, take, trace, rater, public_id, event, kind, text, at, counts[0] = row
        shown = "" if kind == RemarkKind.WITHOUT_VIDEO else text
        item = RaterNote(dataset, take, trace, event or "", rater, kind, "", shown, at)
        notes.append((item, public_id))
    unjudged = Rating.objects.filter(assignment__round__campaign=campaign).exclude(cannot_judge="")
    read = (
        *of_assignment, "assignment__trace__public_id", "event__event_id", "metric",
        "cannot_judge", "rated_at",
    )  # fmt: skip
    for row in _latest(unjudged, most, read):
        dataset, take, trace, rater, public_id, event, metric, reason, at, counts[1] = row
        words = SHOWN_REASONS[CannotJudge(reason)]
        item = RaterNote(
            dataset, take, trace, event or "", rater, CANNOT_JUDGE, Metric(metric), words, at
        )
        notes.append((item, public_id))
    skipped = Assignment.objects.filter(
        round__campaign=campaign, skipped_at__isnull=False, status=AssignmentStatus.OPEN
    )
    read = (*place, "rater__username", "trace__public_id", "skipped_at")
    for row in _latest(skipped, most, read):
        dataset, take, trace, rater, public_id, at, counts[2] = row
        item = RaterNote(dataset, take, trace, "", rater, SKIPPED, "", "", at)
        notes.append((item, public_id))
    notes.sort(key=lambda pair: (pair[0].said_at, pair[0].rater), reverse=True)
    return notes[:most], sum(counts)


def _latest(
    rows: QuerySet[Any], most: int | None, read: tuple[str, ...]
) -> Iterator[tuple[Any, ...]]:
    """Yield what is read of the latest `most` rows, or of all, and the count of all behind it.

    Of `read` the fourth is the rater and the last the time.
    """
    counted = rows.annotate(count=Window(Count("pk"))).order_by(f"-{read[-1]}", f"-{read[3]}")
    yield from counted.values_list(*read, "count")[:most]
