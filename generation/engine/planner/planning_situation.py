"""The state of a take while it is planned, and what error types propose."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.decisions import Decision, DecisionTrace
from generation.engine.planner.features import Features
from generation.engine.planner.profile import Profile
from generation.engine.planner.run_statistics import RunStatistics
from generation.engine.planner.taxonomy import Severity
from generation.engine.stages import Stage


@dataclass(slots=True)
class PlanningSituation:
    """One take while it is planned.

    `error_steps` are the steps drawn for an error, `passed_over` the types that a step could not
    suffer believably, `swapped` both ends of the swaps planned so far
    and `affected` every step that a planned error touches.
    """

    features: Features
    profile: Profile
    rng: np.random.Generator
    error_steps: frozenset[int]
    statistics: RunStatistics | None = None
    trace: DecisionTrace | None = None
    passed_over: list[tuple[int, ErrorType]] = field(default_factory=list)
    swapped: set[int] = field(default_factory=set)
    affected: set[int] = field(default_factory=set)

    @property
    def step_count(self) -> int:
        return len(self.features.meanings)

    @property
    def read_steps(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        """What the writer will see: the scenario, and (text, representation) of every step."""
        procedure = self.features.procedure
        return procedure.scenario, tuple([(step.text, step.semrep) for step in procedure.steps])

    def makes_sense(
        self, error_type: ErrorType, index: int, is_sensible: Callable[[], bool]
    ) -> bool:
        """Whether an error at a step has a wording that makes sense, if the profile asks for it.

        What has none is passed over, and the plan says so.
        """
        if not self.profile.types.must_make_sense or is_sensible():
            return True
        self.passed_over.append((index, error_type))
        self.note("sense", f"{error_type.name} passed over", index)
        return False

    def note(
        self, what: str, outcome: object, index: int, options: Mapping[str, float] | None = None
    ) -> None:
        """Record a decision about step `index`, if decisions are traced."""
        if self.trace is not None:
            self.trace.add(
                Decision(Stage.PLAN, what, str(outcome), step_index=index, options=options or {})
            )


class ErrorSpec(ABC):
    """The type-specific parameters of a planned error."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The `spec` object of the published plan."""

    @classmethod
    @abstractmethod
    def from_dict(cls, spec: Mapping[str, Any], event: Mapping[str, Any]) -> Self:
        """The parameters read from `spec` and from the event around it."""

    def event_fields(self) -> dict[str, Any]:
        """The fields that the published plan keeps beside `spec`."""
        return {}

    def final_spec(self, situation: PlanningSituation) -> Self:
        """The parameters when all error steps of the take are drawn."""
        return self

    def places(self, step_index: int) -> tuple[int, ...]:
        """The original steps at which, or before which, its row may stand."""
        return (step_index,)

    @property
    def swapped(self) -> tuple[int, int] | None:
        """The two steps that change places, the error's own first; None without a swap."""
        return None

    @property
    def short_words(self) -> str:
        """The label of this error on a picture; empty for the label of its type."""
        return ""


@dataclass(frozen=True, slots=True)
class ProposedError:
    """An error that a type proposes; `touched` are the steps it affects beside its own."""

    severity: Severity
    spec: ErrorSpec
    touched: tuple[int, ...] = ()
