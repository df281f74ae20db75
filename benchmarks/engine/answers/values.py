"""Check answers from people and files and convert them to values of the task's answer shape."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.engine.corpus.formats.reading import text_fault
from annotation.engine.exceptions import shown_value
from benchmarks.engine.frame_values import frames_of_intervals, value_of_numbers
from benchmarks.engine.task import AnswerShape, Item, Task, Value

MOST_TEXT = 20_000
# Of one answer: intervals, or moments at which something is said.
MOST_INTERVALS = 10_000
# Of one recording; nine hours at 30 frames a second.
MOST_FRAMES = 1_000_000


@dataclass(frozen=True)
class ValueFaultError(ValueError):
    """A field of an answer that is not what it should be."""

    field: str
    value: object
    expected: str
    # The whole message, where one made of the three fields above would not read well.
    words: str = ""
    # Which of several intervals or moments it is in, from 0 on.
    entry: int | None = None

    def __str__(self) -> str:
        return self.words or f"{self.field} is {shown_value(self.value)}; expected {self.expected}"


def value_of(task: Task, item: Item, answer: Mapping[str, Any]) -> Value:
    """The answer to an item as a value of the task's shape; raises ValueFaultError.

    The fields are those of `AnswerShape`; any other field is a fault too.
    """
    shape = task.shape
    fields = FIELDS[shape]
    for field in answer:
        if field not in fields:
            raise ValueFaultError(field, answer[field], f"only the fields {', '.join(fields)}")
    value: dict[str, Any]
    if shape is AnswerShape.INTERVALS:
        value = {"intervals": _intervals(item, answer.get("intervals"))}
    elif shape is AnswerShape.FRAMES:
        value = _frames(item, answer)
    elif shape is AnswerShape.SPEECH:
        value = {"said": _said(item, answer.get("said"))}
    elif shape is AnswerShape.TEXT:
        value = {"text": _whole_text("text", answer.get("text"))}
    else:
        value = {"answer": _chosen("answer", answer.get("answer"), item)}
        score = _score(answer.get("score"))
        if shape is AnswerShape.ONE:
            value["score"] = score
        else:
            # A participant who stays silent gives no text.
            value["text"] = _text("text", answer.get("text") or "")
            if score is not None:
                value["score"] = score
    if fault := task.check(item, value):
        raise ValueFaultError(fields[0], answer.get(fields[0]), fault, words=fault)
    return value


FIELDS = {
    AnswerShape.ONE: ("answer", "score"),
    AnswerShape.INTERVALS: ("intervals",),
    AnswerShape.STREAM: ("answer", "text", "score"),
    AnswerShape.SPEECH: ("said",),
    AnswerShape.TEXT: ("text",),
    # Either a number for each frame, or intervals with a number and 0 outside of them.
    AnswerShape.FRAMES: ("values", "intervals"),
}
INTERVAL_FIELDS = ("start_s", "end_s", "label", "score")
NUMBERED_FIELDS = ("start_s", "end_s", "number")
SAID_FIELDS = ("time_s", "text")


def _intervals(item: Item, entries: Any) -> list[dict[str, Any]]:
    intervals, seen = [], set()
    for place, entry in enumerate(_entries(entries, "intervals", INTERVAL_FIELDS)):
        try:
            start, end = _ends(entry)
            label = _chosen("label", entry.get("label"), item)
            if (start, end, label) in seen:
                start_s = entry.get("start_s")
                raise ValueFaultError("start_s", start_s, "each interval of a label once")
            score = _score(entry.get("score"))
        except ValueFaultError as error:
            raise replace(error, entry=place) from error
        seen.add((start, end, label))
        intervals.append({"start_s": start, "end_s": end, "label": label, "score": score})
    return intervals


def _frames(item: Item, answer: Mapping[str, Any]) -> dict[str, Any]:
    values, intervals = answer.get("values"), answer.get("intervals")
    fps = float(item.payload["fps"])
    if intervals is not None and values is None:
        entries = _entries(intervals, "intervals", NUMBERED_FIELDS)
        rows = [dict(zip(("start_s", "end_s"), _ends(entry), strict=True)) for entry in entries]
        entry_numbers = [_number("number", entry.get("number")) for entry in entries]
        count = int(item.payload["frame_count"])
        return value_of_numbers(frames_of_intervals(rows, entry_numbers, count, fps), fps)
    is_listed = isinstance(values, list | np.ndarray) and 0 < len(values) <= MOST_FRAMES
    if values is None or not is_listed or any(isinstance(number, bool) for number in values):
        raise ValueFaultError("values", values, f"numbers of at most {MOST_FRAMES} frames")
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueFaultError("values", values, "a number for every frame") from error
    if numbers.ndim != 1:
        raise ValueFaultError("values", values, "a finite number for every frame")
    if len(bad := np.flatnonzero(~np.isfinite(numbers))):
        shown = f"nan or infinite at frame {bad[0]}"
        raise ValueFaultError("values", shown, "a finite number for every frame")
    return value_of_numbers(numbers, fps)


def _said(item: Item, entries: Any) -> list[dict[str, Any]]:
    """What is said in a recording, by time; whoever speaks says one thing at a time."""
    said: dict[int, dict[str, Any]] = {}
    for place, entry in enumerate(_entries(entries, "said", SAID_FIELDS)):
        try:
            time_s = _number("time_s", entry.get("time_s"))
            if time_s < 0 or (item.payload["has_video"] and time_s > item.payload["duration_s"]):
                expected = f"a second from 0 to {item.payload['duration_s']:g}, the recording's end"
                raise ValueFaultError("time_s", entry.get("time_s"), expected)
            text, moment = _whole_text("text", entry.get("text")), round(1000 * time_s)
            if moment in said:
                raise ValueFaultError("time_s", entry.get("time_s"), "each moment once")
        except ValueFaultError as error:
            raise replace(error, entry=place) from error
        said[moment] = {"time_s": time_s, "text": text}
    return [said[moment] for moment in sorted(said)]


def _entries(value: Any, field: str, fields: tuple[str, ...]) -> list[Mapping[str, Any]]:
    if not isinstance(value, list) or len(value) > MOST_INTERVALS:
        raise ValueFaultError(field, value, f"a list of at most {MOST_INTERVALS} entries")
    for place, entry in enumerate(value):
        if not isinstance(entry, Mapping) or not set(entry) <= set(fields):
            expected = f"an object of {', '.join(fields)}"
            raise ValueFaultError(field, entry, expected, entry=place)
    return value


def _ends(entry: Mapping[str, Any]) -> tuple[float, float]:
    start, end = (_number(name, entry.get(name)) for name in ("start_s", "end_s"))
    if start < 0:
        raise ValueFaultError("start_s", entry.get("start_s"), "a second from 0 on")
    if end <= start:
        raise ValueFaultError("end_s", entry.get("end_s"), f"a second after {start:g}")
    return start, end


def _chosen(field: str, value: Any, item: Item) -> str:
    text = _whole_text(field, value)
    if item.choices and text not in item.choices:
        shown = ", ".join(item.choices[:12]) + (", ..." if len(item.choices) > 12 else "")
        raise ValueFaultError(field, value, f"one of {shown}")
    return text


def _text(field: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise ValueFaultError(field, value, f"a text of at most {MOST_TEXT} characters")
    if fault := text_fault(value):
        raise ValueFaultError(field, value, fault)
    return value.strip()


def _whole_text(field: str, value: Any) -> str:
    text = _text(field, value)
    if not text:
        raise ValueFaultError(field, value, "a text that is not empty")
    return text


def _score(value: Any) -> float | None:
    return None if value is None or value == "" else _number("score", value)


def _number(field: str, value: Any) -> float:
    """A finite number, from a number or its text."""
    try:
        number = float(value) if not isinstance(value, bool) else math.nan
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueFaultError(field, value, "a finite number")
    return number
