"""The history of a person's own segments: gestures, and the segments after each of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django.db.models import QuerySet

from segments.engine.model import Change, Gesture, Segment, replay
from segments.engine.model import Segmentation as SegmentationValue
from segments.models import Segmentation, SegmentEvent

HISTORY_PAGE = 100
# One gesture may change every segment of a recording; the history names only so many of them.
MOST_KEYS = 20


@dataclass(frozen=True, slots=True)
class PastGesture:
    """One gesture in the history; `keys` are at most `MOST_KEYS` of its `key_count` segments."""

    head: int
    name: str
    made_at: datetime
    keys: tuple[str, ...]
    key_count: int


def history_of(own: Segmentation, *, before: int | None = None) -> list[PastGesture]:
    """The last gestures before number `before`, newest first, `HISTORY_PAGE` at most."""
    last = own.head if before is None else min(before - 1, own.head)
    rows = SegmentEvent.objects.filter(
        segmentation=own, head__gt=last - HISTORY_PAGE, head__lte=last
    ).order_by("-head", "key")
    gestures = []
    for head, events in groupby(
        rows.values_list("head", "name", "made_at", "key"), key=lambda row: row[0]
    ):
        listed = list(events)
        keys = tuple(key for *_, key in listed)
        gestures.append(PastGesture(head, listed[0][1], listed[0][2], keys[:MOST_KEYS], len(keys)))
    return gestures


def state_at(own: Segmentation, head: int) -> SegmentationValue:
    """The segments after gesture number `head`, from the log alone.

    Raises `GestureError` where there is no such head.
    """
    rows = SegmentEvent.objects.filter(segmentation=own, head__lte=head).order_by("head", "pk")
    return replay(_gestures(rows), head=head)


def _gestures(rows: QuerySet[SegmentEvent]) -> Iterator[Gesture]:
    values = rows.values_list("head", "name", "before", "after", "raw_time_s")
    for _, events in groupby(values.iterator(chunk_size=2000), key=lambda row: row[0]):
        changes, name, raw_time_s = [], "", None
        for _, name, before, after, raw_time_s in events:  # noqa: B007
            changes.append(Change(Segment(**before) if before else None, Segment(**after)))
        yield Gesture(name, tuple(changes), raw_time_s)
