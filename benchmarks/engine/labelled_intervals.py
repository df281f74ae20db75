"""What tasks share whose answers are labelled intervals with scores, on a recording's clock."""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from benchmarks.engine.measures.counts import by_column, cluster_names, once
from benchmarks.engine.measures.localisation import Intervals, RankedHits
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.prompts import NUMBER, TEXT, one_of, strict_intervals
from benchmarks.engine.reading import NO_LIST, as_number, json_object
from benchmarks.engine.task import (
    Answered,
    AnswerShape,
    Baseline,
    Figure,
    Floats,
    Item,
    Measure,
    Reading,
    Tally,
    Task,
    Value,
)

PER_RECORDING = Measure(
    "per_recording", "Intervals found", decimals=1, best=None, note="Per recording.", most=math.inf
)
# What a found interval without a score counts as.
NO_SCORE = 1.0
# The intervals of each recording, and how often each of these is there in draws: (D, G) to (D, N).
Rows = Sequence[Sequence[Mapping[str, Any]]]
Draws = Callable[[Floats], Floats]


class IntervalsTask(Task):
    """Its items have a "duration_s", and "has_video": False where nobody knows it for sure.

    Measures in `told_of_all` are told once more with no answer as nothing found: `<key>_of_all`.
    """

    shape = AnswerShape.INTERVALS
    told_of_all: ClassVar[Sequence[str]] = ("map",)

    @abstractmethod
    def figures_of(
        self, truth: Rows, said: Rows, labels: Sequence[str], drawn: Draws
    ) -> dict[str, Figure]:
        """The figures of recordings' intervals, which have these labels, in draws of recordings."""

    def read(self, item: Item, text: str) -> Reading:
        given = (json_object(text) or {}).get("intervals")
        if not isinstance(given, list):
            return Reading(None, NO_LIST)
        value = {"intervals": given}
        if fault := self.check(item, value):
            return Reading(None, fault)
        found = []
        for one in given:
            start_s, end_s = float(one["start_s"]), float(one["end_s"])
            found.append(interval(start_s, end_s, one["label"], as_number(one.get("score"))))
        return Reading({"intervals": found})

    def check(self, item: Item, value: Value) -> str:
        for place, one in enumerate(value["intervals"]):
            fault = _fault(one, item)
            if fault:
                return f"intervals[{place}]: {fault}"
        return ""

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)

        def over(rows: Sequence[int]) -> dict[str, Figure]:
            # Rows are recordings of their own; draws are of what they share.
            owners = places[list(rows)]
            return self.figures_of(
                [items[row].truth["intervals"] for row in rows],
                [(answers[row].value or {"intervals": []})["intervals"] for row in rows],
                items[0].choices,
                lambda sums: sums[:, owners],
            )

        read = [row for row, answer in enumerate(answers) if answer.value is not None]
        found = over(read)
        of_all = found if len(read) == len(items) else over(range(len(items)))
        # The intervals of the answers that could be read, and those answers.
        counts = np.zeros((len(names), 2))
        for row in read:
            counts[places[row]] += len((answers[row].value or {})["intervals"]), 1
        figures = {
            **found,
            **{f"{key}_of_all": of_all[key] for key in self.told_of_all},
            "per_recording": lambda sums: ratio(sums[:, -2], sums[:, -1]),
        }
        return Tally(names, np.hstack([np.eye(len(names)), counts]), figures)


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


def intervals_schema(labels: Sequence[str] = ()) -> dict[str, Any]:
    """JSON Schema of an answer; without `labels` any text may be one."""
    label = one_of(labels) if labels else TEXT
    return strict_intervals(start_s=NUMBER, end_s=NUMBER, label=label, score=NUMBER)


def precisions(
    key: str, hits: RankedHits, overlaps: Sequence[float], drawn: Draws
) -> dict[str, Figure]:
    """mAP at each of the overlaps, "<key>_0.1", and their mean, "<key>"."""
    means = once(lambda sums: hits.drawn_means(drawn(sums)))

    def mean(sums: Floats) -> Floats:
        found: Floats = means(sums).mean(axis=1)
        return found

    return {key: mean, **by_column(means, [f"{key}_{overlap:g}" for overlap in overlaps])}


def labelled_columns(by_row: Rows, codes: Mapping[str, int]) -> Intervals:
    """Each row is a recording; labels go by their codes."""
    return interval_columns(
        [
            (row, codes[one["label"]], one)
            for row, intervals in enumerate(by_row)
            for one in intervals
        ]
    )


def interval_columns(entries: Sequence[tuple[int, int, Mapping[str, Any]]]) -> Intervals:
    """From the numbers of the recording and of the label of each interval, and itself."""
    rows = []
    for recording, label, one in entries:
        score = NO_SCORE if one.get("score") is None else one["score"]
        rows.append((recording, label, one["start_s"], one["end_s"], score))
    return Intervals.of(rows)


def interval(start_s: float, end_s: float, label: str, score: float | None) -> dict[str, Any]:
    return {"start_s": start_s, "end_s": end_s, "label": label, "score": score}


def equal_parts(
    item: Item, labels: Sequence[str], score: float | None = NO_SCORE
) -> list[dict[str, Any]]:
    """The recording in as many equal parts as labels, each with its own."""
    edges = np.linspace(0, item.payload["duration_s"], len(labels) + 1).tolist()
    return [
        interval(edges[place], edges[place + 1], label, score) for place, label in enumerate(labels)
    ]


def intervals_baseline(
    name: str, items: Sequence[Item], answer: Callable[[Item], Sequence[Mapping[str, Any]]]
) -> Baseline:
    return Baseline(name, [{"intervals": answer(item)} for item in items])


def random_intervals(item: Item, count: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    found = []
    for _ in range(count):
        start_s, end_s = sorted(rng.random(2) * item.payload["duration_s"])
        label = item.choices[int(rng.integers(len(item.choices)))]
        if start_s < end_s:
            found.append(interval(float(start_s), float(end_s), label, float(rng.random())))
    return found
