"""Gold: which answers are accepted, what it takes to pass, and where checks stand in a queue.

Checks are traces that a rater gets beside the ordinary ones: gold, traps, and repeats.

ValueError
  GoldError   accepted answers that a metric cannot have; says what it can
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np

from annotation.engine.rubric.rubric import MetricDefinition, Scale

# For so many ordinary traces of a rater at most one check comes on top.
ORDINARY_PER_CHECK = 10
# On a 1-5 scale neighbouring values are accepted as well.
WIDEST_BAND = 1


class GoldError(ValueError):
    """A metric without gold, or accepted answers that it does not take."""


class CheckKind(StrEnum):
    """What a trace that comes on top is for."""

    GOLD = "gold"
    TRAP = "trap"
    REPEAT = "repeat"


@dataclass(frozen=True, slots=True)
class PassRule:
    """The shares of answers that have to be accepted, over all metrics and of each one."""

    overall: float
    per_metric: float


@dataclass(frozen=True, slots=True)
class Score:
    """How many of the questions with gold were answered so that it is accepted, by metric."""

    right: Mapping[str, int]
    asked: Mapping[str, int]

    @property
    def share(self) -> float | None:
        """The share over all metrics, None where nothing was asked."""
        asked = sum(self.asked.values())
        return sum(self.right.values()) / asked if asked else None

    def passes(self, rule: PassRule) -> bool:
        """Whether the score is enough; where nothing was asked nobody passes."""
        share = self.share
        return (
            share is not None
            and share >= rule.overall
            and all(
                self.right.get(metric, 0) / asked >= rule.per_metric
                for metric, asked in self.asked.items()
            )
        )


def score_of(answers: Iterable[tuple[str, bool]]) -> Score:
    """The score of (metric, is it accepted) pairs.

    >>> score_of([("taxonomy_fit", True), ("taxonomy_fit", False)]).share
    0.5
    """
    right: dict[str, int] = {}
    asked: dict[str, int] = {}
    for metric, is_accepted in answers:
        asked[metric] = asked.get(metric, 0) + 1
        right[metric] = right.get(metric, 0) + is_accepted
    return Score(right, asked)


def check_gold(definition: MetricDefinition, accepted: Sequence[str], band: int) -> None:
    """Raise `GoldError` unless the metric can have this gold."""
    title = definition.title
    if definition.is_subjective:
        raise GoldError(f"{title} asks for an opinion: no answer to it is right, so it has no gold")
    if not accepted:
        raise GoldError(f"{title}: no accepted answer; expected one of {_listed(definition)}")
    for value in accepted:
        if value not in definition.values:
            raise GoldError(f"{title}: accepted is {value!r}; expected {_listed(definition)}")
    if len(accepted_values(definition, accepted, band)) == len(definition.values):
        raise GoldError(f"{title}: every answer would be accepted; expected fewer")
    if band and definition.scale is not Scale.LIKERT:
        raise GoldError(f"{title}: a band of {band} needs a 1-5 scale; expected 0")
    if not 0 <= band <= WIDEST_BAND:
        raise GoldError(f"{title}: band is {band}; expected 0 or {WIDEST_BAND}")


def accepted_values(
    definition: MetricDefinition, accepted: Sequence[str], band: int
) -> tuple[str, ...]:
    """The accepted answers and those at most `band` beside them, in the order of the scale.

    >>> from annotation.engine.rubric.rubric import Metric, current_rubric
    >>> accepted_values(current_rubric().definition(Metric.SEQUENCE_CONSISTENCY), ["2"], 1)
    ('1', '2', '3')
    """
    values = definition.values
    places = {values.index(value) for value in accepted if value in values}
    return tuple(
        value
        for place, value in enumerate(values)
        if any(abs(place - other) <= band for other in places)
    )


def _listed(definition: MetricDefinition) -> str:
    return ", ".join(definition.values)


def most_checks(ordinary_count: int) -> int:
    """How many checks may come on top of a rater's ordinary traces: a tenth of them.

    >>> most_checks(39)
    3
    """
    return ordinary_count // ORDINARY_PER_CHECK


def affordable(requested: Mapping[CheckKind, int], ordinary_count: int) -> dict[CheckKind, int]:
    """As many checks of each kind as the ordinary traces allow, taken in turns.

    >>> counts = affordable({CheckKind.GOLD: 2, CheckKind.TRAP: 1, CheckKind.REPEAT: 2}, 30)
    >>> {check.value: count for check, count in counts.items()}
    {'gold': 1, 'trap': 1, 'repeat': 1}
    """
    left = most_checks(ordinary_count)
    given = dict.fromkeys(requested, 0)
    for turn in range(max(requested.values(), default=0)):
        for check, count in requested.items():
            if turn < count and left:
                given[check] += 1
                left -= 1
    return given


def slots_of_checks(count: int, *, first: int, last: int, rng: np.random.Generator) -> list[int]:
    """Where `count` checks are put: slot s is before the row that stands at place s now.

    They are spread: one at a random slot in each of `count` stretches from `first` to `last`.
    """
    edges = np.linspace(first, last + 1, count + 1)
    slots = [
        int(rng.integers(int(low), max(int(low) + 1, int(high)))) for low, high in pairwise(edges)
    ]
    return [int(slots[place]) for place in rng.permutation(count)]


@dataclass(frozen=True, slots=True)
class RepeatPlace:
    """The row at `place` comes again at `slot`, see `slots_of_checks`."""

    place: int
    slot: int


def repeat_places(
    candidates: Sequence[int],
    *,
    count: int,
    gap: int,
    first: int,
    last: int,
    rng: np.random.Generator,
) -> list[RepeatPlace]:
    """Rows that come again after at least `gap` others, and where; fewer where the queue is short.

    `candidates` are the places of rows that may come again.
    """
    able = [place for place in candidates if place + gap + 1 <= last]
    chosen = rng.permutation(len(able))[:count]
    places = [able[index] for index in chosen]
    return [
        RepeatPlace(place, int(rng.integers(max(first, place + gap + 1), last + 1)))
        for place in sorted(places)
    ]
