"""An extra, mistaken step before a step of the procedure (PIE-V section 3.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.situation import Draft, PlainSpec, Situation
from generation.engine.planner.taxonomy import Severity


@dataclass(frozen=True, slots=True)
class InsertionSpec(PlainSpec):
    """Where the extra step goes; the writer makes up what it is."""

    before_step_index: int
    candidate_policy: str = "same_scenario_prefer_nonessential"
    notes: str = "insert_nonessential_before_step"

    def to_dict(self) -> dict[str, Any]:
        return {
            "insert_before_step_index": self.before_step_index,
            "candidate_policy": self.candidate_policy,
            "notes": self.notes,
        }

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], event: Mapping[str, Any]) -> "InsertionSpec":
        return cls(
            before_step_index=spec["insert_before_step_index"],
            candidate_policy=spec["candidate_policy"],
            notes=spec["notes"],
        )


class Insertion:
    """Puts an extra step before the chosen one, more readily where that one is optional."""

    error_type: ClassVar[ErrorType] = ErrorType.INSERTION
    spec_class: ClassVar[type[InsertionSpec]] = InsertionSpec

    def factor(self, situation: Situation, index: int) -> float:
        is_essential = situation.features.steps[index].is_essential
        return 1.0 if is_essential else situation.profile.types.optional_insertion_factor

    def draft(self, situation: Situation, index: int) -> Draft | None:
        return Draft(severity=Severity.LOW, spec=InsertionSpec(before_step_index=index))


KIND = Insertion()
