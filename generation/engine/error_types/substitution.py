"""Another step in place of the intended one (PIE-V section 3.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.situation import Draft, PlainSpec, Situation
from generation.engine.planner.taxonomy import Severity, SubstitutionStrategy


@dataclass(frozen=True, slots=True)
class SubstitutionSpec(PlainSpec):
    """What may be replaced; the writer chooses among the strategies."""

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


class Substitution:
    """Replaces the step; every step can be replaced."""

    error_type: ClassVar[ErrorType] = ErrorType.SUBSTITUTION
    spec_class: ClassVar[type[SubstitutionSpec]] = SubstitutionSpec

    def factor(self, situation: Situation, index: int) -> float:
        return 1.0

    def draft(self, situation: Situation, index: int) -> Draft | None:
        meaning = situation.features.meanings[index]
        spec = SubstitutionSpec(
            original_predicate=meaning.predicate,
            original_object=meaning.object_value,
            strategies=strategies_for(meaning.predicate, meaning.object_value),
        )
        return Draft(severity=Severity.MEDIUM, spec=spec)


def strategies_for(predicate: str, object_value: str | None) -> tuple[SubstitutionStrategy, ...]:
    """Return the ways to replace a step that has this predicate and this object, or lacks them."""
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
