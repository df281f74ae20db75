"""What tasks share whose answers are labelled intervals with scores, on a recording's clock."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.engine.measures.counts import ratio
from benchmarks.engine.measures.localisation import Intervals
from benchmarks.engine.reading import as_number, json_object
from benchmarks.engine.task import AnswerShape, Item, Measure, Reading, Task

PER_RECORDING = Measure(
    "per_recording", "Intervals found", decimals=1, best=None, note="Per recording.", most=math.inf
)
# What a found interval without a score counts as.
NO_SCORE = 1.0
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class IntervalsTask(Task):
    """Its items have a "duration_s", and "has_video": False where nobody knows it for sure."""

    shape = AnswerShape.INTERVALS

    def read(self, item: Item, text: str) -> Reading:
        found = json_object(text)
        given = found.get("intervals") if found is not None else None
        if not isinstance(given, list):
            return Reading(None, "no JSON object with a list of intervals")
        intervals = []
        for place, one in enumerate(given):
            fault = _fault(one, item)
            if fault:
                return Reading(None, f"intervals[{place}]: {fault}")
            score = as_number(one.get("score"))
            start_s, end_s = float(one["start_s"]), float(one["end_s"])
            intervals.append(interval(start_s, end_s, one["label"], score))
        return Reading({"intervals": intervals})

    def check(self, item: Item, value: Mapping[str, Any]) -> str:
        for place, one in enumerate(value["intervals"]):
            fault = _fault(one, item)
            if fault:
                return f"intervals[{place}]: {fault}"
        return ""


def _fault(one: Any, item: Item) -> str:
    if not isinstance(one, Mapping):
        return f"is {one!r}; expected an object with start_s, end_s, label and score"
    start_s, end_s = as_number(one.get("start_s")), as_number(one.get("end_s"))
    if start_s is None or end_s is None or not 0 <= start_s < end_s:
        return f"is {one.get('start_s')!r} to {one.get('end_s')!r} s; expected 0 or later to later"
    # Without a video nobody knows how long a recording goes on after the last that is marked.
    if item.payload.get("has_video", True) and start_s >= item.payload["duration_s"]:
        return f"starts at {start_s:g} s; the recording has {item.payload['duration_s']:g} s"
    if one.get("label") not in item.choices:
        return f"label is {one.get('label')!r}; expected one of {', '.join(item.choices)}"
    if one.get("score") is not None and as_number(one["score"]) is None:
        return f"score is {one['score']!r}; expected a number"
    return ""


def schema_of(labels: Sequence[str] = ()) -> dict[str, Any]:
    """JSON Schema of an answer; without `labels` any text may be one."""
    one = {
        "type": "object",
        "properties": {
            "start_s": {"type": "number"},
            "end_s": {"type": "number"},
            "label": {"type": "string", **({"enum": list(labels)} if labels else {})},
            "score": {"type": "number"},
        },
        "required": ["start_s", "end_s", "label", "score"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"intervals": {"type": "array", "items": one}},
        "required": ["intervals"],
        "additionalProperties": False,
    }


def interval_columns(
    by_row: Sequence[Sequence[Mapping[str, Any]]], codes: Mapping[str, int]
) -> Intervals:
    rows = [(row, one) for row, intervals in enumerate(by_row) for one in intervals]
    scores = [one.get("score") for _, one in rows]
    return Intervals(
        recordings=np.array([row for row, _ in rows], dtype=np.int64),
        labels=np.array([codes[one["label"]] for _, one in rows], dtype=np.int64),
        starts_s=np.array([one["start_s"] for _, one in rows], dtype=np.float64),
        ends_s=np.array([one["end_s"] for _, one in rows], dtype=np.float64),
        scores=np.array([NO_SCORE if one is None else one for one in scores], dtype=np.float64),
    )


def interval_counts(
    given: Sequence[Sequence[Mapping[str, Any]]], places: Ints, cluster_count: int
) -> Floats:
    """By cluster, (G, 2): the intervals of the answers that could be read, and those answers."""
    counts = np.zeros((cluster_count, 2))
    for place, intervals in zip(places, given, strict=True):
        counts[place] += len(intervals), 1
    return counts


def per_recording(sums: Floats) -> Floats:
    """The figure of `PER_RECORDING`, where `interval_counts` are the last columns of the sums."""
    return ratio(sums[:, -2], sums[:, -1])


def interval(start_s: float, end_s: float, label: str, score: float | None) -> dict[str, Any]:
    return {"start_s": start_s, "end_s": end_s, "label": label, "score": score}


def random_intervals(item: Item, count: int, rng: np.random.Generator) -> dict[str, Any]:
    found = []
    for _ in range(count):
        start_s, end_s = sorted(rng.random(2) * item.payload["duration_s"])
        label = item.choices[int(rng.integers(len(item.choices)))]
        if start_s < end_s:
            found.append(interval(float(start_s), float(end_s), label, float(rng.random())))
    return {"intervals": found}
