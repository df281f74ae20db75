"""Answers of the model and of people as numbers, metric by metric.

Letters: N units (events), H people, R repeats. A value is the index of the answer on the scale, in
the rubric's order; nan for no answer.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
import numpy.typing as npt

from annotation.engine.rubric.rubric import Metric, MetricDefinition, Scope, rubric
from benchmarks.engine.measures.ratios import mean_of_defined
from benchmarks.engine.task import Answered, Item

Floats = npt.NDArray[np.float64]

CALIBRATION, TEST = "calibration", "test"
TEXT_METRICS = tuple(
    item.metric
    for item in rubric("1").metrics
    if item.scope is Scope.EVENT and not item.needs_video
)


def titles() -> dict[Metric, str]:
    """The titles of the text metrics."""
    return {metric: rubric("1").definition(metric).title for metric in TEXT_METRICS}


@dataclass(frozen=True, slots=True)
class MetricColumns:
    """The answers to one metric.

    `items` (N,) are the units' items. `people` (N, H) in the order of `names`; `model` (N,) is its
    first answer, `repeats` (N, R) all of them; `scores` (N,) the mean of its scores, or of its
    answers where it gave no score; `accepted` (N,) whether gold accepts the first answer, nan
    without gold. Skip rules do not apply to the model: it is asked every question.
    """

    definition: MetricDefinition
    names: tuple[str, ...]
    items: tuple[Item, ...]
    people: Floats
    model: Floats
    repeats: Floats
    scores: Floats
    accepted: Floats

    def __len__(self) -> int:
        return len(self.model)

    @property
    def takes(self) -> npt.NDArray[np.str_]:
        return np.array([item.take for item in self.items], dtype=str)

    @property
    def groups(self) -> tuple[Mapping[str, str], ...]:
        return tuple(item.groups for item in self.items)

    def of(self, rows: npt.NDArray[np.bool_]) -> "MetricColumns":
        return MetricColumns(
            self.definition, self.names, tuple(compress(self.items, rows)), self.people[rows],
            self.model[rows], self.repeats[rows], self.scores[rows], self.accepted[rows],
        )  # fmt: skip

    @property
    def mean_of_people(self) -> Floats:
        """The mean over people, (N,), nan where nobody answered."""
        return mean_of_defined(self.people.T)


def columns_of(items: Sequence[Item], answers: Sequence[Answered]) -> dict[Metric, MetricColumns]:
    """The answers by metric, each unit once; the same item again is its next repeat."""
    repeat_counts: Counter[str] = Counter()
    rows: dict[str, list[Answered]] = defaultdict(list)
    first: dict[str, Item] = {}
    for item, answer in zip(items, answers, strict=True):
        repeat_counts[item.key] += 1
        rows[item.key].append(answer)
        first.setdefault(item.key, item)
    rubric_ = rubric(items[0].truth["rubric"]) if items else rubric("1")
    names = tuple(sorted({person for item in first.values() for person in item.truth["people"]}))
    by_metric: dict[Metric, list[Item]] = defaultdict(list)
    for item in first.values():
        by_metric[Metric(item.payload["metric"])].append(item)
    repeat_count = max(repeat_counts.values(), default=1)
    return {
        metric: _metric_columns(
            rubric_.definition(metric), by_metric[metric], rows, names, repeat_count
        )
        for metric in TEXT_METRICS
        if metric in by_metric
    }


def _metric_columns(
    definition: MetricDefinition,
    items: Sequence[Item],
    rows: Mapping[str, Sequence[Answered]],
    names: tuple[str, ...],
    repeat_count: int,
) -> MetricColumns:
    people = np.full((len(items), len(names)), np.nan)
    repeats = np.full((len(items), repeat_count), np.nan)
    model, scores, accepted = (np.full(len(items), np.nan) for _ in range(3))
    for row, item in enumerate(items):
        place = {choice: float(at) for at, choice in enumerate(item.choices)}
        for person, value in item.truth["people"].items():
            people[row, names.index(person)] = place[value]
        values = [answer.value for answer in rows[item.key]]
        for repeat, value in enumerate(values):
            if value is not None:
                repeats[row, repeat] = place[value["answer"]]
        read_scores = [value.get("score") for value in values if value is not None]
        numbers = [float(score) for score in read_scores if score is not None]
        if item.payload["is_scale"]:
            # Scores count from 1, indices from 0.
            numbers = [number - 1 for number in numbers]
        model[row] = repeats[row, 0]
        if item.truth["accepted"] and values[0] is not None:
            accepted[row] = values[0]["answer"] in item.truth["accepted"]
        answered = repeats[row][~np.isnan(repeats[row])]
        if numbers or len(answered):
            scores[row] = np.mean(numbers or answered)
    return MetricColumns(definition, names, tuple(items), people, model, repeats, scores, accepted)
