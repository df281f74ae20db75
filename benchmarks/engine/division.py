"""Dividing items into parts to train on and to test with."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.engine.material import source_in
from benchmarks.engine.task import Item

UNITS = ("recording", "take", "procedure", "person")
TRAIN, VAL, TEST = PARTS = ("train", "val", "test")
# The parts to learn from: participants get these items with their truth and do not answer them.
TRAINING = (TRAIN, VAL)
MOST_EXAMPLE_RECORDINGS = 1000


@dataclass(frozen=True, slots=True)
class Division:
    """A division by whole units; `shares` are the shares of `PARTS` and add up to 1."""

    unit: str
    shares: tuple[float, float, float]

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ValueError(f"the unit is {self.unit!r}; expected one of {', '.join(UNITS)}")
        if min(self.shares) < 0 or abs(sum(self.shares) - 1) > 1e-9:
            raise ValueError(f"the shares are {self.shares}; expected three that add up to 1")

    def to_dict(self) -> dict[str, Any]:
        return {"unit": self.unit, "shares": list(self.shares)}


@dataclass(frozen=True, slots=True)
class ExampleRecordings:
    """`count` recordings of each data set to learn from; all others are asked about."""

    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST_EXAMPLE_RECORDINGS:
            most = MOST_EXAMPLE_RECORDINGS
            raise ValueError(f"{self.count} recordings to learn from; expected 1 to {most}")

    def to_dict(self) -> dict[str, Any]:
        return {"example_recordings": self.count}


def division_from(stored: Mapping[str, Any]) -> "Division | ExampleRecordings":
    """The division whose `to_dict` was stored."""
    if "example_recordings" in stored:
        return ExampleRecordings(stored["example_recordings"])
    return Division(stored["unit"], tuple(stored["shares"]))


def keeper(items: Iterable[Item], kept: ExampleRecordings, seed: int) -> Callable[[Item], Item]:
    """What gives each of these items its part, train or test; it keeps none of them.

    Raises ValueError where no recording of a data set would be left to ask about.
    """
    recordings: dict[str, set[str]] = defaultdict(set)
    for item in items:
        recordings[source_in(item.groups)].add(item.recording)
    learned: set[str] = set()
    for place, (source, of_source) in enumerate(sorted(recordings.items())):
        if len(of_source) <= kept.count:
            words = f"{source or 'it'} has {len(of_source)} recordings, and {kept.count} are to be"
            raise ValueError(f"{words} learned from, so that none of it would be asked about")
        rng = np.random.default_rng([seed, len(UNITS), place])
        learned.update(rng.permutation(sorted(of_source))[: kept.count].tolist())
    return lambda item: replace(item, part=TRAIN if item.recording in learned else TEST)


def divider(
    items: Iterable[Item], division: Division, seed: int, generated_from: Mapping[str, str]
) -> Callable[[Item], Item]:
    """What gives each of these items its part; it keeps none of them.

    A unit lies in one part, whatever the order of the items. `generated_from` is the take of each
    generated recording. Raises ValueError where an item does not name its unit.
    """

    def unit_of(item: Item) -> str:
        unit = str(getattr(item, division.unit))
        return generated_from.get(item.recording, unit) if division.unit == "take" else unit

    units = sorted({unit_of(item) for item in items})
    if "" in units:
        raise ValueError(f"some items have no {division.unit}; divide them by another unit")
    rng = np.random.default_rng([seed, UNITS.index(division.unit)])
    order = rng.permutation(len(units))
    ends = np.round(np.cumsum(division.shares) * len(units)).astype(int)
    part_of = {
        units[place]: PARTS[int(np.searchsorted(ends, rank, side="right"))]
        for rank, place in enumerate(order)
    }
    return lambda item: replace(item, part=part_of[unit_of(item)])
