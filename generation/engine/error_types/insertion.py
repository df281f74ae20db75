"""An extra, mistaken step before a step of the procedure (PIE-V section 3.1)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.planner.correction_settings import Latency, by_phase
from generation.engine.planner.error_kind import Claim, ErrorFacts, ErrorKind
from generation.engine.planner.plan import Plan, PlannedError
from generation.engine.planner.planning_situation import ErrorSpec, PlanningSituation, ProposedError
from generation.engine.planner.taxonomy import CLAIMED, CorrectionType, Severity
from generation.engine.rewriting.added_steps import InsertionWriter
from generation.engine.rewriting.affordances import can_be_preceded
from generation.engine.rewriting.scene import kept_scene


@dataclass(frozen=True, slots=True)
class InsertionSpec(ErrorSpec):
    """The place of the extra step; the writer decides what it is."""

    before_step_index: int
    candidate_policy: str = "same_scenario_prefer_nonessential"
    notes: str = "insert_nonessential_before_step"

    def to_dict(self) -> dict[str, Any]:
        return {
            "insert_before_step_index": self.before_step_index,
            "candidate_policy": self.candidate_policy,
            "notes": self.notes,
        }

    def places(self, step_index: int) -> tuple[int, ...]:
        return (self.before_step_index,)

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], event: Mapping[str, Any]) -> "InsertionSpec":
        return cls(
            before_step_index=spec["insert_before_step_index"],
            candidate_policy=spec["candidate_policy"],
            notes=spec["notes"],
        )


class Insertion(InsertionWriter, ErrorKind):
    """Puts an extra step before the drawn one, more often where that one is optional."""

    facts = ErrorFacts(
        error_type=ErrorType.INSERTION,
        row_mods=frozenset({Mod.INSERTION}),
        short_words="extra step",
        remedies={CorrectionType.UNDO_EXTRA_STEP: 1.0},
        priors=by_phase(2.0, 2.5, 2.0),
        detect=by_phase(0.60, 0.55, 0.50),
        act=by_phase(0.45, 0.40, 0.35),
        latency=Latency(0.35, 0.45),
        table_rank=4,
    )
    spec_class = InsertionSpec

    def factor(self, situation: PlanningSituation, index: int) -> float:
        is_essential = situation.features.steps[index].is_essential
        return 1.0 if is_essential else situation.profile.types.optional_insertion_factor

    def propose(self, situation: PlanningSituation, index: int) -> ProposedError | None:
        error_type = self.facts.error_type
        if not situation.makes_sense(
            error_type, index, lambda: can_be_preceded(kept_scene(*situation.read_steps), index)
        ):
            return None
        return ProposedError(severity=Severity.LOW, spec=InsertionSpec(before_step_index=index))

    def usual_severity(self, *, is_essential: bool) -> Severity:
        return Severity.LOW

    def prompt_lines(self, plan: Plan, error: PlannedError) -> Iterator[str]:
        yield f"put it just before step {error.spec.places(error.step_index)[0]}"

    def claimed_spec(self, claim: Claim) -> InsertionSpec:
        return InsertionSpec(claim.place, notes=CLAIMED)


KIND = Insertion()
