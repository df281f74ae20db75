"""Segments and segmentations, and how a gesture changes them: whole or not at all.

A segmentation is all segments of one recording by one person. Each segment keeps its key for good;
every change of it has the next revision. A deleted segment stays, marked, so that its key is never
given to another and a deletion can be undone.

ValueError
  GestureError      a gesture that makes no sense here: unknown key, inverted times, no room
  ConflictError     a segment has been changed since the person saw it
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any


class GestureError(ValueError):
    """A gesture that cannot be done.

    `key`, `field`, `value` and `expected` are set where one field of one segment is at fault.
    """

    def __init__(
        self,
        message: str,
        *,
        key: str = "",
        field: str = "",
        value: object = None,
        expected: str = "",
    ) -> None:
        self.key, self.field, self.value, self.expected = key, field, value, expected
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment, [start_s, end_s) in seconds from the first frame.

    Without times it lasts as long as the segment `parent_key`, or marks its step as missing where
    there is no `parent_key`. A point has equal times. `is_proposal`: nobody has accepted it yet.
    """

    key: str
    track: str
    start_s: float | None
    end_s: float | None
    step_id: str = ""
    label: str = ""
    text: str = ""
    parent_key: str = ""
    note: str = ""
    is_flagged: bool = False
    is_proposal: bool = False
    is_deleted: bool = False
    revision: int = 1

    @property
    def is_missing(self) -> bool:
        return self.start_s is None and not self.parent_key

    @property
    def span(self) -> tuple[float, float]:
        """Its own times; only for segments that have them."""
        assert self.start_s is not None
        assert self.end_s is not None
        return self.start_s, self.end_s

    def to_dict(self) -> dict[str, Any]:
        # Not `asdict`, which copies every value and takes far longer.
        return {name: getattr(self, name) for name in FIELDS}


FIELDS = tuple(item.name for item in fields(Segment))
CONTENT = tuple(name for name in FIELDS if name not in ("key", "revision"))
_DEFAULTS = {item.name: item.default for item in fields(Segment) if item.default is not MISSING}
_FLAGS = ("is_flagged", "is_proposal", "is_deleted")
MAX_KEY, MAX_NAME, MAX_TEXT = 40, 200, 10_000
_TEXTS = {
    "track": 32,
    "step_id": MAX_NAME,
    "label": MAX_NAME,
    "text": MAX_TEXT,
    "parent_key": MAX_KEY,
    "note": MAX_TEXT,
}
# Eleven days.
MAX_TIME_S = 1e6


@dataclass(frozen=True, slots=True)
class Change:
    """One segment before and after a gesture; `before` is None for a new one."""

    before: Segment | None
    after: Segment

    @property
    def key(self) -> str:
        return self.after.key


@dataclass(frozen=True, slots=True)
class Gesture:
    """One act of a person: its changes are stored together or not at all."""

    name: str
    changes: tuple[Change, ...]
    raw_time_s: float | None = None

    @property
    def keys(self) -> list[str]:
        return [change.key for change in self.changes]


class ConflictError(ValueError):
    """The segments have changed since the gesture was made; nothing of it is done.

    `mine` are the segments as the gesture would leave them, `theirs` as they are now.
    """

    def __init__(self, gesture: Gesture, theirs: tuple[Segment, ...]) -> None:
        self.gesture = gesture
        self.mine = tuple(change.after for change in gesture.changes)
        self.theirs = theirs
        keys = ", ".join(segment.key for segment in theirs)
        super().__init__(f"{gesture.name}: changed meanwhile: {keys}")


@dataclass(frozen=True, slots=True)
class Segmentation:
    """All segments of a recording by their keys, deleted ones included.

    `duration_s` and `rate` are None where the recording's are unknown; `head` counts the gestures.
    """

    segments: Mapping[str, Segment] = field(default_factory=dict)
    duration_s: float | None = None
    rate: float | None = None
    head: int = 0

    def __iter__(self) -> Iterator[Segment]:
        """Without deleted ones, by time; missing steps come last."""
        present = (segment for segment in self.segments.values() if not segment.is_deleted)
        return iter(sorted(present, key=order_in_time))

    def timed(self, track: str) -> list[Segment]:
        """The segments of a track that have times, by time."""
        return [item for item in self if item.track == track and item.start_s is not None]

    def apply(self, gesture: Gesture) -> "Segmentation":
        """The segmentation after a gesture.

        Raises `ConflictError` where a segment is not what the gesture changed, `GestureError` where
        the gesture makes something that cannot be. Either way nothing of it is done.
        """
        for change in gesture.changes:
            before, after = change.before, change.after
            fault = fault_of(after)
            if after.revision != (before.revision + 1 if before else 1):
                fault = "revision", "the next one"
            if before is not None and before.track != after.track:
                fault = "track", f"{before.track!r} as before"
            if fault:
                field_name, expected = fault
                raise _refused(
                    gesture.name, after.key, field_name, getattr(after, field_name), expected
                )
        segments = dict(self.segments)
        _apply(segments, gesture)
        return replace(self, segments=segments, head=self.head + 1)


def order_in_time(segment: Segment) -> tuple[bool, float, float, str]:
    is_untimed = segment.start_s is None
    return is_untimed, segment.start_s or 0.0, segment.end_s or 0.0, segment.key


def replay(
    gestures: Iterable[Gesture], start: Segmentation | None = None, *, head: int | None = None
) -> Segmentation:
    """The segmentation after the gestures of a log, up to gesture number `head` if given.

    Values are not checked again: they were when the gesture was logged. Raises `GestureError` where
    the log does not reach `head`.
    """
    start = start or Segmentation()
    segments, reached = dict(start.segments), start.head
    for gesture in gestures:
        if reached == head:
            break
        _apply(segments, gesture)
        reached += 1
    if head is not None and reached != head:
        raise GestureError(f"revision is {head}; expected {start.head} to {reached}")
    return replace(start, segments=segments, head=reached)


def gesture_from_dict(state: Segmentation, data: Mapping[str, Any]) -> Gesture:
    """A gesture as a browser sends it: {name, changes, raw_time_s?}.

    A change is {key, base_revision} with one of `set` (field to value), `insert` (all fields that
    are not empty) and `delete` (true). Raises `GestureError` with key and field, and
    `ConflictError` where the segments have another revision than the person saw.
    """
    name, sent = data.get("name"), data.get("changes")
    if not isinstance(name, str) or not name.strip() or not _is_text(name, MAX_NAME):
        raise _refused("gesture", "", "name", name, f"words of at most {MAX_NAME} letters")
    if not isinstance(sent, list) or not sent:
        raise _refused(name, "", "changes", sent, "at least one")
    changes, stale = [], []
    for item in sent:
        key, base = (
            (item.get("key"), item.get("base_revision")) if isinstance(item, dict) else (0, 0)
        )
        if not isinstance(key, str) or not key or not _is_text(key, MAX_KEY):
            raise _refused(name, "", "key", key, f"the key of a segment, at most {MAX_KEY} letters")
        before = state.segments.get(key)
        if type(base) is not int or base < 0:
            raise _refused(name, key, "base_revision", base, "0 or more")
        changes.append(Change(before, _changed(name, key, before, item)))
        if base != (before.revision if before else 0):
            stale.append(before)
    gesture = Gesture(name, tuple(changes), data.get("raw_time_s"))
    if stale:
        raise ConflictError(gesture, tuple(segment for segment in stale if segment))
    return gesture


def _is_text(value: object, most: int) -> bool:
    return isinstance(value, str) and "\x00" not in value and len(value) <= most


def _refused(name: str, key: str, field: str, value: object, expected: str) -> GestureError:
    where = f"{name}, {key}" if key else name
    message = f"{where}: {field} is {value!r}; expected {expected}"
    return GestureError(message, key=key, field=field, value=value, expected=expected)


def _changed(name: str, key: str, before: Segment | None, item: Mapping[str, Any]) -> Segment:
    acts = [act for act in ("set", "insert", "delete") if act in item]
    expected = "set or delete" if before else "insert"
    if len(acts) != 1 or (acts[0] == "insert") != (before is None):
        message = f"{name}, {key}: {acts or 'nothing'} is to be done; expected {expected}"
        raise GestureError(message, key=key, field="change", value=acts, expected=expected)
    values = {"is_deleted": True} if acts[0] == "delete" else item[acts[0]]
    if not isinstance(values, dict):
        raise _refused(name, key, acts[0], values, "fields")
    for name_of_field in values:
        if name_of_field not in CONTENT:
            raise _refused(name, key, "field", name_of_field, f"one of {', '.join(CONTENT)}")
    if before:
        return replace(before, **values, revision=before.revision + 1)
    return Segment(key, **{"track": "", "start_s": None, "end_s": None, **values})


def _apply(segments: dict[str, Segment], gesture: Gesture) -> None:
    keys = {change.key for change in gesture.changes}
    if len(keys) < len(gesture.changes) or not keys:
        raise GestureError(f"{gesture.name} changes {sorted(keys)}; expected each segment once")
    stale = [
        now for change in gesture.changes if (now := segments.get(change.key)) != change.before
    ]
    if stale:
        raise ConflictError(gesture, tuple(segment for segment in stale if segment))
    segments.update((change.key, change.after) for change in gesture.changes)


def fault_of(segment: Segment) -> tuple[str, str] | None:
    """The first field with an impossible value and what was expected; None where all are fine."""
    for name, most in _TEXTS.items():
        if not _is_text(getattr(segment, name), most):
            return name, f"text of at most {most} letters"
    for name in _FLAGS:
        if not isinstance(getattr(segment, name), bool):
            return name, "true or false"
    if segment.start_s is None and segment.end_s is None:
        return None
    for name in ("start_s", "end_s"):
        value = getattr(segment, name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        # Written so that NaN fails.
        if not is_number or not 0 <= value <= MAX_TIME_S:
            return name, "a time of 0 seconds or later, or none for both"
    start_s, end_s = segment.span
    return ("end_s", f"a time not before the start, {start_s}") if end_s < start_s else None


def as_table(segments: Iterable[Segment]) -> dict[str, Any]:
    """Segments as pages and the API send them: column names once, then a row for each segment."""
    return table_of([[getattr(segment, name) for name in FIELDS] for segment in segments])


def table_of(rows: list[list[Any]]) -> dict[str, Any]:
    """The same of rows that have the fields of a segment in their order."""
    return {"columns": list(FIELDS), "rows": rows}


def without_defaults(table: dict[str, Any]) -> dict[str, Any]:
    """The table without the columns in which every segment has the default, such as no text.

    `fromTable` of the page's modules puts them back. Ten thousand segments are half as long so.
    """
    columns = list(zip(*table["rows"], strict=True))
    told = (
        [
            place
            for place, name in enumerate(table["columns"])
            if name not in _DEFAULTS or any(value != _DEFAULTS[name] for value in columns[place])
        ]
        if columns
        else []
    )
    return {
        "columns": [table["columns"][place] for place in told],
        "rows": list(zip(*(columns[place] for place in told), strict=True)),
    }
