"""What an error type is, and the registry of all types.

A type is one module of `generation/engine/error_types/`. It has a `KIND`: facts about the type,
where it fits, what it proposes, and the words for it. No other module names a type.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from annotation.engine.modules import offered
from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.planner.correction_settings import ByPhase, Latency, RepairSettings
from generation.engine.planner.meaning import Meaning
from generation.engine.planner.plan import Plan, PlannedError
from generation.engine.planner.planning_situation import ErrorSpec, PlanningSituation, ProposedError
from generation.engine.planner.taxonomy import CorrectionType, Severity

ERROR_TYPES = "generation.engine.error_types"
WORDLESS_MODS = frozenset({Mod.DELETION, Mod.MOVED_SOURCE, Mod.MOVED_TARGET})


@dataclass(frozen=True, slots=True)
class ErrorFacts:
    """The facts of an error type, the same for every take.

    `row_mods` are the rows of a rewrite that realise it, `short_words` its label on a picture,
    `remedies` the weights of its corrections, the usual one first. Profiles start from the numbers:
    `priors` are weights beside the other types (Eq. 5), `detect` and `act` the bases of P(detect)
    and P(act) (Eq. 7), `latency` the steps until it is noticed, and `max_latency` the longest wait
    in steps after which a correction still makes sense.
    """

    error_type: ErrorType
    row_mods: frozenset[Mod]
    short_words: str
    remedies: Mapping[CorrectionType, float]
    priors: ByPhase
    detect: ByPhase
    act: ByPhase
    latency: Latency
    max_latency: int | None = None
    # The step is done, only wrongly; or something else is done in its place.
    keeps_action: bool = False
    replaces_action: bool = False
    # Once another error turned out not to fit a step, this one is not tried there.
    is_first_choice_only: bool = False
    # The position of the type in the published tables; types without one follow.
    table_rank: int = 99

    @property
    def leaves_out(self) -> bool:
        """Whether the step is missing from the mistake-aware text."""
        return Mod.DELETION in self.row_mods

    @property
    def is_wordless(self) -> bool:
        """Whether the rewrite has no new words for it."""
        return self.row_mods <= WORDLESS_MODS

    @property
    def takes_away(self) -> bool:
        """Whether later steps lack what the step should have acquired."""
        return not self.row_mods.isdisjoint({Mod.DELETION, Mod.ERROR})


@dataclass(frozen=True, slots=True)
class Claim:
    """A mistake that a text without a plan marks itself: its step's meaning and its rows.

    `source` and `target` are the steps of the two halves of a swap, `place` the step before which
    the added row is.
    """

    meaning: Meaning
    source: int
    target: int
    place: int


class ErrorKind(ABC):
    """One error type: the `KIND` of a module of `error_types`.

    It also has a `write`, as `generation/engine/rewriting/draft.py` says.
    """

    facts: ClassVar[ErrorFacts]
    spec_class: ClassVar[type[ErrorSpec]]
    # Figures that distributions have of this type alone, by name, computed from counts.
    figures: ClassVar[Mapping[str, Callable[[Counter[Any]], object]]] = {}
    redo_intent: ClassVar[str] = "Go back and carry out the step as intended."

    def factor(self, situation: PlanningSituation, index: int) -> float:
        """The factor of the prior at this step (Eq. 5); 0 where the type cannot happen."""
        return 1.0

    @abstractmethod
    def propose(self, situation: PlanningSituation, index: int) -> ProposedError | None:
        """An error of this type at this step, None where it is impossible after all."""

    @abstractmethod
    def prompt_lines(self, plan: Plan, error: PlannedError) -> Iterator[str]:
        """Yield the lines about an error for the prompt of a text model."""

    def fixed_text(self, plan: Plan, error: PlannedError) -> str | None:
        """The text of its added row, None where a writer has to word it."""
        return None

    def figure_values(self, spec: Any) -> Iterator[tuple[str, Any]]:
        """Yield (name of a figure, value to count for it) of one error's parameters."""
        return iter(())

    def usual_severity(self, *, is_essential: bool) -> Severity:
        """The severity where it does not depend on the parameters."""
        return Severity.MEDIUM

    def claimed_spec(self, claim: Claim) -> ErrorSpec:
        """The parameters of an error that a text without a plan claims."""
        raise ValueError(f"a text without a plan cannot claim a {self.facts.error_type.words}")

    def remedies(self, settings: RepairSettings) -> Mapping[CorrectionType, float]:
        """The weights of the corrections of this type."""
        return self.facts.remedies

    def rollback(self, settings: RepairSettings) -> tuple[float, int]:
        """(P(stop) of the geometric draw of rollback steps, steps to subtract from the draw)."""
        return settings.wrong_execution_rollback_stop, 1


@cache
def error_kinds() -> dict[ErrorType, ErrorKind]:
    """Every error type of the package, in the order of the taxonomy."""
    kinds = {kind.facts.error_type: kind for kind in offered(ERROR_TYPES, "KIND").values()}
    return {name: kinds[name] for name in ErrorType.registered() if name in kinds}


def type_names() -> dict[ErrorType, str]:
    """The names of the types in the order of the published tables."""
    ranked = sorted(error_kinds().values(), key=lambda kind: kind.facts.table_rank)
    return {kind.facts.error_type: kind.facts.error_type.name for kind in ranked}


def kind_of(error: PlannedError) -> ErrorKind:
    return error_kinds()[error.error_type]


def facts_of(error: PlannedError) -> ErrorFacts:
    return error_kinds()[error.error_type].facts
