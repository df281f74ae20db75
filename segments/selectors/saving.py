"""Reads the state of a segmentation and the changed segments before they are saved.

Plain SQL as for ratings, because these queries run for every gesture of every person.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from annotation.engine.corpus.content_hash import content_version
from annotation.engine.ratings.numbered_changes import NO_SEQUENCE
from annotation.models import User
from segments.engine.model import Change, Segment, table_of
from segments.engine.scheme import Scheme, scheme
from segments.models import Segmentation, SegmentationStatus, SegmentCheck, SegmentEvent, Stage

WORKED_ON = (SegmentationStatus.OPEN, SegmentationStatus.RETURNED)
# Beyond this all segments are read: databases limit the parameters of a query.
MOST_KEYS = 500

CONTEXT_SQL = """
SELECT s.id, s.status, s.started_at IS NOT NULL, o.closed_at IS NOT NULL, s.content, s.head,
  q.stage, q.has_locked_edges, q.scheme, q.scheme_version, o.guideline_id, o.campaign_id,
  t.content_hash, k.content_hash, k.id, a.status,
  (SELECT MAX(l.client_sequence) FROM annotation_segmentevent l
    WHERE l.segmentation_id = s.id AND l.client_id = %s)
FROM annotation_segmentation s
JOIN annotation_round o ON o.id = s.round_id
JOIN annotation_segmentround q ON q.round_id = o.id
JOIN annotation_segmentrecording r ON r.id = s.recording_id
JOIN annotation_take k ON k.id = r.take_id
JOIN annotation_campaignrater m ON m.campaign_id = o.campaign_id AND m.rater_id = s.person_id
LEFT JOIN annotation_trace t ON t.id = r.trace_id
LEFT JOIN annotation_segmentation a ON a.id = r.source_segmentation_id
WHERE s.public_id = %s AND s.person_id = %s AND o.opened_at IS NOT NULL
"""
# Its columns are the fields of `segments.engine.model.Segment`.
SEGMENTS_SQL = """
SELECT key, track, start_s, end_s, step_id, label, text, parent_key, note, is_flagged, is_proposal,
  is_deleted, revision
FROM annotation_segment WHERE segmentation_id = %s
"""


@dataclass(frozen=True, slots=True)
class SegmentContext:
    """The state of a segmentation that a save depends on, read in one query under the lock.

    `begun_with` is the version of take and trace with which the person began, `content` the current
    one. `last_sequence` is the highest number of the client's gestures so far. `waits_for_author`:
    a review cannot continue while its author has the segments back.
    """

    segmentation_id: int
    status: str
    is_started: bool
    is_closed: bool
    begun_with: str
    content: str
    head: int
    stage: str
    has_locked_edges: bool
    scheme: Scheme
    guideline_id: int
    campaign_id: int
    waits_for_author: bool
    last_sequence: int


def segment_context(user: User, public_id: str, *, client_id: str = "") -> SegmentContext:
    """The context of one of the user's own segmentations; needs the lock.

    Raises `Segmentation.DoesNotExist` for one that `segmentations_of` the user has not.
    """
    with connection.cursor() as cursor:
        cursor.execute(CONTEXT_SQL, [client_id, public_id, user.pk])
        row = cursor.fetchone()
    if row is None:
        raise Segmentation.DoesNotExist
    return SegmentContext(
        segmentation_id=row[0],
        status=row[1],
        is_started=bool(row[2]),
        is_closed=bool(row[3]),
        begun_with=row[4],
        head=row[5],
        stage=row[6],
        has_locked_edges=bool(row[7]),
        scheme=scheme(row[8], row[9]),
        guideline_id=row[10],
        campaign_id=row[11],
        content=content_version(trace_hash=row[12] or "", take_hash=row[13], take_id=row[14]),
        waits_for_author=row[6] == Stage.REVIEW and row[15] in WORKED_ON,
        last_sequence=NO_SEQUENCE if row[16] is None else row[16],
    )


def stored_segments(
    segmentation_id: int, keys: Collection[str] | None = None
) -> dict[str, Segment]:
    """The segments by key, deleted ones included: those of `keys`, or all; one query."""
    return {row[0]: Segment(*row) for row in _stored(segmentation_id, keys)}


def stored_table(segmentation_id: int) -> dict[str, Any]:
    """All segments as `as_table` writes them, deleted ones included; one query."""
    return table_of(_stored(segmentation_id, None))


def _stored(segmentation_id: int, keys: Collection[str] | None) -> list[list[Any]]:
    """Rows with the fields of a segment in their order."""
    if keys is not None and not keys:
        return []
    sql, values = SEGMENTS_SQL, [segmentation_id]
    if keys is not None and len(keys) <= MOST_KEYS:
        sql += f" AND key IN ({', '.join(['%s'] * len(keys))})"
        values = [segmentation_id, *keys]  # type: ignore[list-item]
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        rows = cursor.fetchall()
    # SQLite stores true and false as numbers.
    return [[*row[:9], *map(bool, row[9:12]), row[12]] for row in rows]


def logged_gestures(
    segmentation_id: int, client_id: str, sequences: Sequence[int]
) -> dict[int, tuple[str, dict[str, Change]]]:
    """The gestures logged under these sequence numbers of a client: (name, changes by key)."""
    rows = SegmentEvent.objects.filter(
        segmentation=segmentation_id, client_id=client_id, client_sequence__in=sequences
    )
    gestures: dict[int, tuple[str, dict[str, Change]]] = {}
    for sequence, name, before, after in rows.values_list(
        "client_sequence", "name", "before", "after"
    ):
        change = Change(None if before is None else Segment(**before), Segment(**after))
        gestures.setdefault(sequence, (name, {}))[1][change.key] = change
    return gestures


@dataclass(frozen=True, slots=True)
class StandingAnswer:
    """An answer to one question about one segment at a revision."""

    key: str
    segment_revision: int
    question: str
    answer: bool
    note: str


def current_checks(
    segmentation_id: int, keys: Collection[str] | None = None
) -> dict[tuple[str, str], StandingAnswer]:
    """The last answer by (key, question), whether or not its segment has changed since."""
    rows = SegmentCheck.objects.filter(segmentation=segmentation_id).order_by("pk")
    if keys is not None:
        rows = rows.filter(key__in=keys)
    fields = ("key", "segment_revision", "question", "answer", "note")
    answers = (StandingAnswer(*values) for values in rows.values_list(*fields))
    return {(check.key, check.question): check for check in answers}


def logged_checks(
    segmentation_id: int, client_id: str, sequences: Sequence[int]
) -> dict[int, StandingAnswer]:
    rows = SegmentCheck.objects.filter(
        segmentation=segmentation_id, client_id=client_id, client_sequence__in=sequences
    )
    fields = ("client_sequence", "key", "segment_revision", "question", "answer", "note")
    return {sequence: StandingAnswer(*values) for sequence, *values in rows.values_list(*fields)}
