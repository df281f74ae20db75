"""Dividing items into parts to train on and to test with."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.engine.task import Item

UNITS = ("recording", "take", "procedure", "person")
TRAIN, VAL, TEST = PARTS = ("train", "val", "test")
# The parts to learn from: participants get these items with their truth and do not answer them.
TRAINING = (TRAIN, VAL)


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

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Division":
        return cls(stored["unit"], tuple(stored["shares"]))


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
