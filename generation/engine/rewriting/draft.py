"""What an error type and a correction type see while a take is written, and what they return."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Protocol, TypeVar

import numpy as np

from annotation.engine.modules import offered
from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.correction_facts import CORRECTION_KINDS
from generation.engine.planner.error_kind import ERROR_TYPES
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType, MutationScope
from generation.engine.rewriting.scene import Scene
from generation.engine.rewriting.timeline import Timeline
from generation.engine.rewriting.wording import Wording

T = TypeVar("T")


class Form(StrEnum):
    """What a change changes; `LAST` is what is written where nothing sensible is found."""

    THING = "thing"
    AMOUNT = "amount"
    SIDE = "side"
    PLACE = "place"
    MANNER = "manner"
    LAST = "last resort"


@dataclass(frozen=True, slots=True)
class Mutation:
    """A text with one wrong role: `wrong` replaces `right`."""

    text: str
    role: str
    scope: MutationScope
    right: str
    wrong: str
    form: Form


@dataclass(frozen=True, slots=True)
class Realised:
    """A mistake as it was written.

    `text` is None if there is no new text (deletion, transposition). `repair` is the clause that
    undoes an extra step; `mutations` are the roles that went wrong.
    """

    event_id: str
    text: str | None = None
    repair: str | None = None
    mutations: tuple[Mutation, ...] = ()


@dataclass(slots=True)
class Draft:
    """A take that is being written; `notes` say where the plan could not be followed.

    `followed` has, by mistake, the steps that went wrong because of it before its correction.
    `carried` gives an original step as it reads at the correction that is being written.
    """

    scene: Scene
    timeline: Timeline
    wording: Wording
    rng: np.random.Generator
    realised: dict[str, Realised] = field(default_factory=dict)
    followed: dict[str, tuple[int, ...]] = field(default_factory=dict)
    carried: Callable[[int], str] | None = None
    notes: list[str] = field(default_factory=list)

    def pick(self, options: Sequence[T]) -> T:
        """One of the options, each with the same probability."""
        return options[int(self.rng.integers(len(options)))]

    def shuffled(self, weights: Mapping[T, float]) -> Iterator[T]:
        """Yield the options in random order, each next with a probability of its weight."""
        options, total = list(weights), sum(weights.values())
        shares = [weights[option] / total for option in options]
        order = self.rng.choice(len(options), len(options), replace=False, p=shares or None)
        return (options[place] for place in order)


class ErrorWriter(Protocol):
    """Writes mistakes of one error type: the `KIND` of a module of `error_types`."""

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        """Put the mistake into the draft's timeline and return what was written."""


class CorrectionWriter(Protocol):
    """Writes corrections of one type: the `KIND` of a module of `correction_kinds`."""

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        """The text of the correction; its place is decided elsewhere."""


@cache
def error_writers() -> dict[ErrorType, ErrorWriter]:
    return {kind.facts.error_type: kind for kind in offered(ERROR_TYPES, "KIND").values()}


@cache
def correction_writers() -> dict[CorrectionType, CorrectionWriter]:
    kinds = offered(CORRECTION_KINDS, "KIND").values()
    return {kind.facts.correction_type: kind for kind in kinds}
