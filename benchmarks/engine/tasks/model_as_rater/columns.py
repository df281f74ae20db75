"""Answers of the model and of people as numbers, metric by metric.

Letters: N units (events), H people, R repeats. Values are places on the scale in the rubric's
order, nan where there is none.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
import numpy.typing as npt

from annotation.engine.rubric import Metric, MetricDefinition, Scope, rubric
from benchmarks.engine.task import Answered, Item

Floats = npt.NDArray[np.float64]

CALIBRATION, TEST = "calibration", "test"
TEXT_METRICS = tuple(
    item.metric
    for item in rubric("1").metrics
    if item.scope is Scope.EVENT and not item.needs_video
)


def titles() -> dict[Metric, str]:
    """What the text metrics are called."""
    return {metric: rubric("1").definition(metric).title for metric in TEXT_METRICS}


@dataclass(frozen=True, slots=True)
class MetricColumns:
    """One metric of the events of some items.

    `items` (N,) ask about the units. `people` (N, H), by the names in `names`; `model` (N,) the
    first answer, `repeats` (N, R) all; `scores` (N,) the mean of the scores that were given, or of
    the answers where none was; `accepted` (N,) whether gold accepts the first answer, nan without.
    The model is asked every question, so nothing is implied of it.
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

    def of(self, kept: npt.NDArray[np.bool_]) -> "MetricColumns":
        return MetricColumns(
            self.definition, self.names, tuple(compress(self.items, kept)), self.people[kept],
            self.model[kept], self.repeats[kept], self.scores[kept], self.accepted[kept],
        )  # fmt: skip

    @property
    def mean_of_people(self) -> Floats:
        """(N,), nan where nobody answered."""
        known = ~np.isnan(self.people)
        sums = np.where(known, self.people, 0.0).sum(axis=1)
        means: Floats = np.full(len(sums), np.nan)
        np.divide(sums, known.sum(axis=1), out=means, where=known.any(axis=1))
        return means


def columns_of(items: Sequence[Item], answers: Sequence[Answered]) -> dict[Metric, MetricColumns]:
    """The answers by metric, each unit once; an item that stands again is its next repeat."""
    seen: Counter[str] = Counter()
    rows: dict[str, list[Answered]] = defaultdict(list)
    first: dict[str, Item] = {}
    for item, answer in zip(items, answers, strict=True):
        seen[item.key] += 1
        rows[item.key].append(answer)
        first.setdefault(item.key, item)
    edition = rubric(items[0].truth["rubric"]) if items else rubric("1")
    names = tuple(sorted({who for item in first.values() for who in item.truth["people"]}))
    by_metric: dict[Metric, list[Item]] = defaultdict(list)
    for item in first.values():
        by_metric[Metric(item.payload["metric"])].append(item)
    repeat_count = max(seen.values(), default=1)
    return {
        metric: _metric_columns(
            edition.definition(metric), by_metric[metric], rows, names, repeat_count
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
        for who, value in item.truth["people"].items():
            people[row, names.index(who)] = place[value]
        values = [answer.value for answer in rows[item.key]]
        for repeat, value in enumerate(values):
            if value is not None:
                repeats[row, repeat] = place[value["answer"]]
        given = [value.get("score") for value in values if value is not None]
        numbers = [float(score) for score in given if score is not None]
        if item.payload["is_scale"]:
            # Scores are on the scale from 1 on, places from 0.
            numbers = [number - 1 for number in numbers]
        model[row] = repeats[row, 0]
        if item.truth["accepted"] and values[0] is not None:
            accepted[row] = values[0]["answer"] in item.truth["accepted"]
        known = repeats[row][~np.isnan(repeats[row])]
        if numbers or len(known):
            scores[row] = np.mean(numbers or known)
    return MetricColumns(definition, names, tuple(items), people, model, repeats, scores, accepted)
