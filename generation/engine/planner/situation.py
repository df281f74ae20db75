"""What an error type sees when it is asked for an error at a step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.decisions import Decision, DecisionTrace
from generation.engine.planner.features import Features
from generation.engine.planner.profile import Profile
from generation.engine.planner.run_statistics import RunStatistics
from generation.engine.planner.taxonomy import Severity
from generation.engine.stages import Stage


@dataclass(slots=True)
class Situation:
    """One take in the middle of being planned.

    `chosen` are the steps picked for an error, `swapped` both ends of the swaps planned so far and
    `affected` every step that a planned error touches.
    """

    features: Features
    profile: Profile
    rng: np.random.Generator
    chosen: frozenset[int]
    statistics: RunStatistics | None = None
    trace: DecisionTrace | None = None
    swapped: set[int] = field(default_factory=set)
    affected: set[int] = field(default_factory=set)

    @property
    def step_count(self) -> int:
        return len(self.features.meanings)

    def note(
        self, what: str, outcome: object, index: int, options: Mapping[str, float] | None = None
    ) -> None:
        """Record a decision about step `index`, if anyone wants to know."""
        if self.trace is not None:
            self.trace.add(
                Decision(Stage.PLAN, what, str(outcome), step_index=index, options=options or {})
            )


class ErrorSpec(Protocol):
    """The type-specific parameters of a planned error."""

    def to_dict(self) -> dict[str, Any]:
        """Return the `spec` object of the published plan."""

    def event_fields(self) -> dict[str, Any]:
        """Return the fields that the published plan keeps beside `spec`."""

    def given_others(self, situation: Situation) -> Self:
        """Return the parameters once all errors of the take are known."""

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], event: Mapping[str, Any]) -> Self:
        """Return the parameters read from `spec` and from the event around it."""


class PlainSpec:
    """What the parameters share that other errors do not change and `spec` holds in full."""

    __slots__ = ()

    def event_fields(self) -> dict[str, Any]:
        return {}

    def given_others(self, situation: Situation) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class Draft:
    """An error that a type proposes; `touched` are the steps it affects beside its own."""

    severity: Severity
    spec: ErrorSpec
    touched: tuple[int, ...] = ()


class ErrorKind(Protocol):
    """One error type: a module of `error_types` offers one as `KIND`."""

    error_type: ClassVar[ErrorType]
    spec_class: ClassVar[type[ErrorSpec]]

    def factor(self, situation: Situation, index: int) -> float:
        """Return what the prior is multiplied with at this step; 0 where it cannot happen."""

    def draft(self, situation: Situation, index: int) -> Draft | None:
        """Return an error of this type at this step, or None where it turns out impossible."""
