"""Items of several data sets in one set: their names are kept apart, their figures averaged."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.engine.folds import FOLD, MEAN_OF_FOLDS
from benchmarks.engine.material import DATA_SET, Material
from benchmarks.engine.task import Item, Task

# The breakdowns whose values have a mean of their own beside the figures over all items.
MEANS = {FOLD: MEAN_OF_FOLDS, DATA_SET: "mean of data sets"}

DIVIDED = "the settings divide it already; expected them or parts, not both"


@dataclass(frozen=True, slots=True)
class MixedMaterial:
    """The material of one of several data sets; all of its items are in `part`, if it has one.

    `position` counts from 1 and goes before the names of recordings and people, which other data
    sets may have too. Takes and procedures keep theirs: what has the same name in two data sets is
    taken for the same, so that parts do not share it unnoticed. `name` is told apart from others.
    """

    material: Material
    name: str
    position: int
    part: str = ""

    def own(self, name: str) -> str:
        """A name among those of all data sets."""
        return f"{self.position}/{name}" if name else ""

    def items(self, task: Task, settings: Mapping[str, Any], seed: int) -> Iterator[Item]:
        """The items of this data set; raises ValueError."""
        for item in task.items(self.material, settings, seed):
            if self.part and (item.part or FOLD in item.groups):
                raise ValueError(DIVIDED)
            yield replace(
                item,
                key=self.own(item.key),
                recording=self.own(item.recording),
                sequence=self.own(item.sequence),
                person=self.own(item.person),
                groups={**item.groups, DATA_SET: self.name},
                part=self.part or item.part,
            )


@dataclass(frozen=True, slots=True)
class Materials:
    """What a set is made of: the material of one data set as it is, or those of several."""

    mixed: tuple[MixedMaterial, ...]
    # The ids of videos by the recordings' names in the set.
    video_ids: Mapping[str, int]

    @property
    def generated_from(self) -> dict[str, str]:
        """The take of each generated recording by the recording's name in the set."""
        return {
            self.own(one, key): take
            for one in self.mixed
            for key, take in one.material.generated_from.items()
        }

    def own(self, one: MixedMaterial, name: str) -> str:
        return one.own(name) if len(self.mixed) > 1 else name

    @property
    def recording_count(self) -> int:
        return sum(len(one.material.recordings) for one in self.mixed)

    def items(self, task: Task, settings: Mapping[str, Any], seed: int) -> Iterator[Item]:
        """The items of all; raises ValueError, which names the data set where there are several."""
        if len(self.mixed) == 1:
            yield from task.items(self.mixed[0].material, settings, seed)
            return
        for one in self.mixed:
            try:
                yield from one.items(task, settings, seed)
            except ValueError as error:
                raise ValueError(f"{one.name}: {error}") from error

    def left_out(self, task: Task, settings: Mapping[str, Any]) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for one in self.mixed:
            counts.update(task.left_out(one.material, settings))
        return dict(counts)


def names_apart(names: Sequence[str]) -> list[str]:
    """These names, with a number after those that an earlier one has.

    >>> names_apart(["Tea", "Soup", "Tea"])
    ['Tea', 'Soup', 'Tea (2)']
    """
    apart: list[str] = []
    for name in names:
        number, shown = 1, name
        while shown in apart:
            number += 1
            shown = f"{name} ({number})"
        apart.append(shown)
    return apart
