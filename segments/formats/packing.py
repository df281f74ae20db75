"""Fields of a segment that other tools' files have no place for, as JSON in a comment.

Such files keep times in whole milliseconds or frames; writers report how many edges that moved.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from annotation.engine.corpus.formats.errors import Faults
from annotation.engine.corpus.formats.reading import Entry
from annotation.engine.videos.clock import rounded
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording
from segments.formats.piev import about_of, recording_of, segment_of

# Where a file of JSON says what it could not keep.
NOTES = "piev_notes"
# Of a point: differences of times in seconds are not exact.
SLACK_S = 1e-6
_EMPTY = Segment("", "", None, None).to_dict()
_EMPTY_RECORDING = about_of(SegmentedRecording("", ())) | {"segments": []}


def packed(segment: Segment, *, with_times: bool = False, **more: str) -> str:
    """The fields that are not empty, and `more`; a point is marked, for tools give it a length."""
    values = {name: value for name, value in segment.to_dict().items() if value != _EMPTY[name]}
    if not with_times:
        values.pop("start_s", None)
        values.pop("end_s", None)
        if segment.start_s is not None and segment.start_s == segment.end_s:
            values["is_point"] = True
    return _json(values | more)


def is_remark(text: str) -> bool:
    """Whether `packed` wrote this text: other tools leave remarks of their own, or empty ones."""
    return text.startswith('{"key": ')


def unpacked(
    text: str,
    place: str,
    faults: Faults,
    times: tuple[float | None, float | None],
    *,
    point_s: float = 0.0,
) -> Segment:
    """The segment of a comment, with the times that the file has for it.

    `point_s` is the length that the format gives a point: one that was made longer is none any
    more.
    """
    data = json_of(text, place, faults, dict)
    start_s, end_s = times
    is_point = data.pop("is_point", False)
    if start_s is not None and end_s is not None and is_point:
        end_s = start_s if end_s - start_s <= point_s + SLACK_S else end_s
    if start_s is not None:
        data |= {"start_s": start_s, "end_s": end_s}
    return segment_of(Entry({**_EMPTY, **data}, place, faults))


def packed_recording(recording: SegmentedRecording) -> str:
    about = about_of(recording)
    return _json({name: value for name, value in about.items() if value != _EMPTY_RECORDING[name]})


def unpacked_recording(text: str, place: str, faults: Faults) -> SegmentedRecording:
    """The recording of a comment, still without segments."""
    data = json_of(text, place, faults, dict)
    return recording_of(Entry({**_EMPTY_RECORDING, **data, "segments": []}, place, faults))


def _json(values: dict[str, Any]) -> str:
    # A ">" could end a comment: "-->".
    return json.dumps(values, ensure_ascii=False).replace(">", "\\u003e")


def json_of(text: str, place: str, faults: Faults, kind: type) -> Any:
    """The dict or list that a text holds; notes a fault and returns an empty one otherwise."""
    try:
        value = json.loads(text)
        # JSON can spell half a surrogate pair, which cannot be stored.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, kind):
        return value
    faults.add(place, "", text, "a JSON object" if kind is dict else "a JSON list")
    return kind()


def whole_ms(time_s: float) -> int:
    return round(time_s * 1000)


def frame_time(time_s: float, rate: float) -> float:
    """The time of the frame that was rounded to this millisecond, else the time itself.

    A time that was rounded up would otherwise begin at the following frame.
    """
    frame_s = rounded(round(time_s * rate) / rate)
    return frame_s if whole_ms(frame_s) == whole_ms(time_s) else time_s


def on_frames(recording: SegmentedRecording) -> SegmentedRecording:
    """A recording read in whole milliseconds, its edges moved back to the frames they came from."""
    rate = recording.rate
    if not rate:
        return recording
    segments = (
        item
        if item.start_s is None or item.end_s is None
        else replace(
            item,
            start_s=frame_time(item.start_s, rate),
            end_s=frame_time(item.end_s, rate),
        )
        for item in recording.segments
    )
    return replace(recording, segments=tuple(segments))


def lanes_of(
    segments: Iterable[Segment], times_of: Callable[[Segment], tuple[float, float]]
) -> list[list[Segment]]:
    """The segments shared out to as few lanes without overlaps as possible."""
    lanes: list[list[Segment]] = []
    for segment in sorted(segments, key=times_of):
        start, _ = times_of(segment)
        free = next((lane for lane in lanes if times_of(lane[-1])[1] <= start), None)
        if free is None:
            lanes.append([segment])
        else:
            free.append(segment)
    return lanes


def notes_of_counts(counts: Mapping[str, int]) -> tuple[str, ...]:
    """A note for each thing that a format could not keep as it was, with how many there are."""
    return tuple(f"{words}: {count:,}" for words, count in counts.items() if count)


def note_of_moved(moved: int, unit: str) -> tuple[str, ...]:
    if not moved:
        return ()
    edges = "1 edge was" if moved == 1 else f"{moved:,} edges were"
    return (f"{edges} moved to a whole {unit}",)
