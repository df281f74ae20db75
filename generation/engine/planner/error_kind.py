"""What an error type is, and how the types are found by their modules.

A type is one module of `generation/engine/error_types/`. It offers a `KIND`: facts about the type,
where it fits, what it proposes, and the words for it. Nobody else names a type.
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
    """What is known of an error type before any take is looked at.

    `row_mods` are the rows of a rewrite that realise it, `short_words` say on a picture what it is,
    `remedies` what is done about it, the usual first, and how likely each is beside the others.
    The numbers are those that profiles start from: `priors` how likely it is beside the other types
    (Eq. 5), `detect` and `act` the bases of P(detect) and P(act) (Eq. 7), `latency` when it is
    noticed, and `max_latency` the longest wait after which a correction still makes sense.
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
    # Where the type stands in tables; those that have no place follow.
    table_rank: int = 99

    @property
    def leaves_out(self) -> bool:
        """Whether the step is not there any more."""
        return Mod.DELETION in self.row_mods

    @property
    def is_wordless(self) -> bool:
        """Whether nothing new is read where it happens."""
        return self.row_mods <= WORDLESS_MODS

    @property
    def takes_away(self) -> bool:
        """Whether what the step should have acquired is not there afterwards."""
        return not self.row_mods.isdisjoint({Mod.DELETION, Mod.ERROR})


@dataclass(frozen=True, slots=True)
class Claim:
    """A mistake that a text marks itself: its step, what that says, and where its rows stand.

    `source` and `target` are the steps of the two halves of a swap, `place` the step before which
    an added row stands.
    """

    meaning: Meaning
    source: int
    target: int
    place: int


class ErrorKind(ABC):
    """One error type: a module of `error_types` offers one as `KIND`.

    It also has a `write`, as `generation/engine/rewriting/draft.py` says.
    """

    facts: ClassVar[ErrorFacts]
    spec_class: ClassVar[type[ErrorSpec]]
    # What distributions tell of this type alone: figures of what was counted, by their names.
    figures: ClassVar[Mapping[str, Callable[[Counter[Any]], object]]] = {}
    redo_intent: ClassVar[str] = "Go back and carry out the step as intended."

    def factor(self, situation: PlanningSituation, index: int) -> float:
        """What the prior is multiplied with at this step; 0 where it cannot happen."""
        return 1.0

    @abstractmethod
    def propose(self, situation: PlanningSituation, index: int) -> ProposedError | None:
        """An error of this type at this step, or None where it turns out impossible."""

    @abstractmethod
    def prompt_lines(self, plan: Plan, error: PlannedError) -> Iterator[str]:
        """Yield what a text model is told about an error of this type."""

    def known_text(self, plan: Plan, error: PlannedError) -> str | None:
        """What its added row reads, None where words have to be found for it."""
        return None

    def counted(self, spec: Any) -> Iterator[tuple[str, Any]]:
        """Yield the name of a figure and what to count for it, of one error's parameters."""
        return iter(())

    def usual_severity(self, *, is_essential: bool) -> Severity:
        """How grave an error of this type is where nothing else is known of it."""
        return Severity.MEDIUM

    def claimed_spec(self, claim: Claim) -> ErrorSpec:
        """The parameters of an error that a text without a plan claims."""
        raise ValueError(f"a text without a plan cannot claim a {self.facts.error_type.words}")

    def remedies(self, settings: RepairSettings) -> Mapping[CorrectionType, float]:
        """What is done about it, and how likely each is beside the others."""
        return self.facts.remedies

    def rollback(self, settings: RepairSettings) -> tuple[float, int]:
        """How a rollback is drawn: the chance to stop at each step, and what to take off."""
        return settings.wrong_execution_rollback_stop, 1


@cache
def error_kinds() -> dict[ErrorType, ErrorKind]:
    """Every error type of the package, in the order of the taxonomy."""
    found = {kind.facts.error_type: kind for kind in offered(ERROR_TYPES, "KIND").values()}
    return {name: found[name] for name in ErrorType.registered() if name in found}


def type_names() -> dict[ErrorType, str]:
    """The names of the types in the order of the published tables."""
    ranked = sorted(error_kinds().values(), key=lambda kind: kind.facts.table_rank)
    return {kind.facts.error_type: kind.facts.error_type.name for kind in ranked}


def kind_of(error: PlannedError) -> ErrorKind:
    return error_kinds()[error.error_type]


def facts_of(error: PlannedError) -> ErrorFacts:
    return error_kinds()[error.error_type].facts
