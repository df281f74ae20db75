"""Writes gestures: a log row for each changed segment, and the segments in their last state."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.utils import timezone

from segments.engine.model import Gesture, Segment

# Plain SQL, as when ratings are saved. INSERT and UPDATE have the columns of `_values`.
LOG_SQL = """
INSERT INTO annotation_segmentevent
  (segmentation_id, head, key, name, before, after, raw_time_s, client_id, client_sequence,
   guideline_id, made_at, received_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
INSERT_SQL = """
INSERT INTO annotation_segment
  (track, start_s, end_s, step_id, label, text, parent_key, note, is_flagged, is_proposal,
   is_deleted, revision, guideline_id, segmentation_id, key)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
UPDATE_SQL = """
UPDATE annotation_segment SET track = %s, start_s = %s, end_s = %s, step_id = %s, label = %s,
  text = %s, parent_key = %s, note = %s, is_flagged = %s, is_proposal = %s, is_deleted = %s,
  revision = %s, guideline_id = %s
WHERE segmentation_id = %s AND key = %s
"""
Row = tuple[str | int | float | bool | None, ...]
HEAD_SQL = "UPDATE annotation_segmentation SET head = %s WHERE id = %s"


@dataclass(frozen=True, slots=True)
class LoggedGesture:
    """A gesture as the log stores it; client and sequence identify one that is sent twice."""

    gesture: Gesture
    client_id: str
    sequence: int
    made_at: datetime


def write_gestures(
    gestures: Sequence[LoggedGesture],
    *,
    segmentation_id: int,
    guideline_id: int,
    head: int,
    stored_keys: Collection[str],
) -> None:
    """Store gestures that were applied in this order after `head`.

    Needs the lock of the segmentation and its transaction. `stored_keys` have a row already.
    """
    to_stored = connection.ops.adapt_datetimefield_value
    received_at = to_stored(timezone.now())
    last: dict[str, Segment] = {}
    log: list[Row] = []
    for item in gestures:
        head += 1
        for change in item.gesture.changes:
            last[change.key] = change.after
            before = None if change.before is None else json.dumps(change.before.to_dict())
            log.append(
                (
                    segmentation_id, head, change.key, item.gesture.name, before,
                    json.dumps(change.after.to_dict()), item.gesture.raw_time_s, item.client_id,
                    item.sequence, guideline_id, to_stored(item.made_at), received_at,
                )
            )  # fmt: skip
    existing = [item for key, item in last.items() if key in stored_keys]
    fresh = [item for key, item in last.items() if key not in stored_keys]
    with connection.cursor() as cursor:
        for sql, rows in (
            (UPDATE_SQL, [_values(item, guideline_id, segmentation_id) for item in existing]),
            (INSERT_SQL, [_values(item, guideline_id, segmentation_id) for item in fresh]),
            (LOG_SQL, log),
        ):
            if len(rows) == 1:
                cursor.execute(sql, rows[0])
            elif rows:
                cursor.executemany(sql, rows)
        cursor.execute(HEAD_SQL, [head, segmentation_id])


def _values(segment: Segment, guideline_id: int, segmentation_id: int) -> Row:
    return (
        segment.track, segment.start_s, segment.end_s, segment.step_id, segment.label, segment.text,
        segment.parent_key, segment.note, segment.is_flagged, segment.is_proposal,
        segment.is_deleted, segment.revision, guideline_id, segmentation_id, segment.key,
    )  # fmt: skip
