"""The base of tasks whose answers are labelled intervals with scores, in a recording's time."""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from benchmarks.engine.measures.counts import by_column, cluster_names, computed_once
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
# The score of a predicted interval that has none.
NO_SCORE = 1.0
# The intervals of each recording; and from how often each cluster was drawn, (D, G), how often each
# recording was, (D, N).
Rows = Sequence[Sequence[Mapping[str, Any]]]
Draws = Callable[[Floats], Floats]


class IntervalsTask(Task):
    """A task whose items have a "duration_s", which is sure only where "has_video" is true.

    Measures in `also_over_all` are reported a second time, as `<key>_of_all`, over all recordings:
    an unanswered one counts as no interval found.
    """

    shape = AnswerShape.INTERVALS
    also_over_all: ClassVar[Sequence[str]] = ("map",)

    @abstractmethod
    def figures_of(
        self, truth: Rows, predictions: Rows, labels: Sequence[str], drawn: Draws
    ) -> dict[str, Figure]:
        """The figures of each recording's predictions against its truth; both have these labels."""

    def read(self, item: Item, text: str) -> Reading:
        entries = (json_object(text) or {}).get("intervals")
        if not isinstance(entries, list):
            return Reading(None, NO_LIST)
        value = {"intervals": entries}
        if fault := self.check(item, value):
            return Reading(None, fault)
        intervals = []
        for entry in entries:
            start_s, end_s = float(entry["start_s"]), float(entry["end_s"])
            score = as_number(entry.get("score"))
            intervals.append(interval(start_s, end_s, entry["label"], score))
        return Reading({"intervals": intervals})

    def check(self, item: Item, value: Value) -> str:
        for place, entry in enumerate(value["intervals"]):
            fault = _fault(entry, item)
            if fault:
                return f"intervals[{place}]: {fault}"
        return ""

    def tally(self, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
        names, places = cluster_names(items)

        def figures_over(rows: Sequence[int]) -> dict[str, Figure]:
            # Each row is a recording, but draws are of clusters, which several rows may share.
            owners = places[list(rows)]
            return self.figures_of(
                [items[row].truth["intervals"] for row in rows],
                [(answers[row].value or {"intervals": []})["intervals"] for row in rows],
                items[0].choices,
                lambda sums: sums[:, owners],
            )

        read_rows = [row for row, answer in enumerate(answers) if answer.value is not None]
        of_read = figures_over(read_rows)
        of_all = of_read if len(read_rows) == len(items) else figures_over(range(len(items)))
        # Per cluster: intervals of the answers that could be read, and the number of these answers.
        counts = np.zeros((len(names), 2))
        for row in read_rows:
            counts[places[row]] += len((answers[row].value or {})["intervals"]), 1
        figures = {
            **of_read,
            **{f"{key}_of_all": of_all[key] for key in self.also_over_all},
            "per_recording": lambda sums: ratio(sums[:, -2], sums[:, -1]),
        }
        return Tally(names, np.hstack([np.eye(len(names)), counts]), figures)


def _fault(entry: Any, item: Item) -> str:
    if not isinstance(entry, Mapping):
        return f"is {entry!r}; expected an object with start_s, end_s, label and score"
    ends = entry.get("start_s"), entry.get("end_s")
    start_s, end_s = map(as_number, ends)
    if start_s is None or end_s is None or not 0 <= start_s < end_s:
        return f"is {ends[0]!r} to {ends[1]!r} s; expected 0 or later to later"
    # Without a video the recording's length is not known beyond its last annotation.
    if item.payload.get("has_video", True) and start_s >= item.payload["duration_s"]:
        return f"starts at {start_s:g} s; the recording has {item.payload['duration_s']:g} s"
    if entry.get("label") not in item.choices:
        return f"label is {entry.get('label')!r}; expected one of {', '.join(item.choices)}"
    if entry.get("score") is not None and as_number(entry["score"]) is None:
        return f"score is {entry['score']!r}; expected a number"
    return ""


def intervals_schema(labels: Sequence[str] = ()) -> dict[str, Any]:
    """JSON Schema of an answer; without `labels` any text may be a label."""
    label = one_of(labels) if labels else TEXT
    return strict_intervals(start_s=NUMBER, end_s=NUMBER, label=label, score=NUMBER)


def precision_figures(
    key: str, hits: RankedHits, overlaps: Sequence[float], drawn: Draws
) -> dict[str, Figure]:
    """mAP at each of the overlaps as "<key>_0.1" and so on, and their mean as "<key>"."""
    means = computed_once(lambda sums: hits.drawn_means(drawn(sums)))

    def mean(sums: Floats) -> Floats:
        average: Floats = means(sums).mean(axis=1)
        return average

    return {key: mean, **by_column(means, [f"{key}_{overlap:g}" for overlap in overlaps])}


def labelled_columns(by_row: Rows, codes: Mapping[str, int]) -> Intervals:
    """The intervals of each recording as columns, with the codes of their labels."""
    return interval_columns(
        [
            (row, codes[entry["label"]], entry)
            for row, intervals in enumerate(by_row)
            for entry in intervals
        ]
    )


def interval_columns(entries: Sequence[tuple[int, int, Mapping[str, Any]]]) -> Intervals:
    """Columns from (number of the recording, code of the label, interval)."""
    rows = []
    for recording, label, entry in entries:
        score = NO_SCORE if entry.get("score") is None else entry["score"]
        rows.append((recording, label, entry["start_s"], entry["end_s"], score))
    return Intervals.of(rows)


def interval(start_s: float, end_s: float, label: str, score: float | None) -> dict[str, Any]:
    return {"start_s": start_s, "end_s": end_s, "label": label, "score": score}


def equal_parts(
    item: Item, labels: Sequence[str], score: float | None = NO_SCORE
) -> list[dict[str, Any]]:
    """The recording in equal parts, one for each label."""
    edges = np.linspace(0, item.payload["duration_s"], len(labels) + 1).tolist()
    return [
        interval(edges[place], edges[place + 1], label, score) for place, label in enumerate(labels)
    ]


def intervals_baseline(
    name: str, items: Sequence[Item], answer: Callable[[Item], Sequence[Mapping[str, Any]]]
) -> Baseline:
    return Baseline(name, [{"intervals": answer(item)} for item in items])


def random_intervals(item: Item, count: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    intervals = []
    for _ in range(count):
        start_s, end_s = sorted(rng.random(2) * item.payload["duration_s"])
        label = item.choices[int(rng.integers(len(item.choices)))]
        if start_s < end_s:
            intervals.append(interval(float(start_s), float(end_s), label, float(rng.random())))
    return intervals
