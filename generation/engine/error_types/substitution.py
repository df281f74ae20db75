"""Another step in place of the intended one (PIE-V section 3.1)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.planner.correction_settings import Latency, RepairSettings, by_phase
from generation.engine.planner.error_kind import Claim, ErrorFacts, ErrorKind
from generation.engine.planner.plan import Plan, PlannedError
from generation.engine.planner.planning_situation import ErrorSpec, PlanningSituation, ProposedError
from generation.engine.planner.statistics.shares import sorted_shares
from generation.engine.planner.taxonomy import (
    CLAIMED,
    CorrectionType,
    Severity,
    SubstitutionStrategy,
)
from generation.engine.rewriting.added_steps import SubstitutionWriter
from generation.engine.rewriting.affordances import can_be_replaced
from generation.engine.rewriting.scene import kept_scene

STRATEGY_WORDS = {
    SubstitutionStrategy.CHANGE_PREDICATE: "another action on the same thing",
    SubstitutionStrategy.CHANGE_OBJECT: "the same action on another thing",
    SubstitutionStrategy.CHANGE_BOTH: "another action on another thing",
    SubstitutionStrategy.CHANGE_OBJECT_KEEP_FRAME: "another thing, the sentence else the same",
    SubstitutionStrategy.RELATED_STEP: "a step that is related in meaning",
}


@dataclass(frozen=True, slots=True)
class SubstitutionSpec(ErrorSpec):
    """What may be replaced; the writer picks one of the strategies."""

    original_predicate: str
    original_object: str | None
    strategies: tuple[SubstitutionStrategy, ...]
    prefers_same_block: bool = True
    notes: str = "strategies_only; roles_belong_to_wrong_execution"

    def to_dict(self) -> dict[str, Any]:
        return {
            "original_predicate": self.original_predicate,
            "original_object": self.original_object,
            "substitution_strategies": [str(strategy) for strategy in self.strategies],
            "preference": {"prefer_same_taxonomy_block": self.prefers_same_block},
            "notes": self.notes,
        }

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], event: Mapping[str, Any]) -> "SubstitutionSpec":
        return cls(
            original_predicate=spec["original_predicate"],
            original_object=spec["original_object"],
            strategies=tuple(map(SubstitutionStrategy, spec["substitution_strategies"])),
            prefers_same_block=spec["preference"]["prefer_same_taxonomy_block"],
            notes=spec["notes"],
        )


class Substitution(SubstitutionWriter, ErrorKind):
    """Replaces the step by another act, or by the same one with another thing."""

    facts = ErrorFacts(
        error_type=ErrorType.SUBSTITUTION,
        row_mods=frozenset({Mod.ERROR}),
        short_words="replaced",
        remedies={CorrectionType.ROLLBACK_AND_REDO: 1.0},
        priors=by_phase(2.5, 1.5, 1.0),
        detect=by_phase(0.45, 0.50, 0.55),
        act=by_phase(0.70, 0.65, 0.55),
        latency=Latency(0.15, 0.30),
        replaces_action=True,
        table_rank=3,
    )
    spec_class = SubstitutionSpec
    figures = {"n_strategies_share": sorted_shares}
    redo_intent = "Undo the step done by mistake and do the intended one instead."

    def propose(self, situation: PlanningSituation, index: int) -> ProposedError | None:
        error_type = self.facts.error_type
        if not situation.makes_sense(
            error_type, index, lambda: can_be_replaced(kept_scene(*situation.read_steps), index)
        ):
            return None
        meaning = situation.features.meanings[index]
        spec = SubstitutionSpec(
            original_predicate=meaning.predicate,
            original_object=meaning.object_value,
            strategies=strategies_for(meaning.predicate, meaning.object_value),
        )
        return ProposedError(severity=Severity.MEDIUM, spec=spec)

    def figure_values(self, spec: SubstitutionSpec) -> Iterator[tuple[str, int]]:
        yield "n_strategies_share", len(spec.strategies)

    def prompt_lines(self, plan: Plan, error: PlannedError) -> Iterator[str]:
        spec = error.spec
        assert isinstance(spec, SubstitutionSpec)
        ways = " or ".join(STRATEGY_WORDS[strategy] for strategy in spec.strategies)
        named = " ".join(filter(None, (spec.original_predicate, spec.original_object)))
        yield f"instead of {named or 'the step'}"
        yield f"take {ways or 'a step that could be confused with it'}"
        if spec.prefers_same_block and error.block_name:
            yield f"best one that belongs to {error.block_name!r}"

    def claimed_spec(self, claim: Claim) -> SubstitutionSpec:
        original = (claim.meaning.predicate, claim.meaning.object_value)
        return SubstitutionSpec(*original, (), prefers_same_block=False, notes=CLAIMED)

    def rollback(self, settings: RepairSettings) -> tuple[float, int]:
        return settings.substitution_rollback_stop, settings.substitution_rollback_less


def strategies_for(predicate: str, object_value: str | None) -> tuple[SubstitutionStrategy, ...]:
    """The ways to replace a step with this predicate and object, either of which may be missing."""
    if predicate and object_value:
        return (
            SubstitutionStrategy.CHANGE_PREDICATE,
            SubstitutionStrategy.CHANGE_OBJECT,
            SubstitutionStrategy.CHANGE_BOTH,
        )
    if object_value:
        return (SubstitutionStrategy.CHANGE_OBJECT_KEEP_FRAME, SubstitutionStrategy.RELATED_STEP)
    return (SubstitutionStrategy.RELATED_STEP,)


KIND = Substitution()
