"""A step that is left out (PIE-V section 3.1)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.planner.correction_settings import Latency, by_phase
from generation.engine.planner.error_kind import Claim, ErrorFacts, ErrorKind
from generation.engine.planner.plan import Plan, PlannedError
from generation.engine.planner.planning_situation import ErrorSpec, PlanningSituation, ProposedError
from generation.engine.planner.reuse import is_needed_later, next_use
from generation.engine.planner.statistics.shares import sorted_shares
from generation.engine.planner.taxonomy import CLAIMED, CorrectionType, Severity
from generation.engine.rewriting.draft import Draft, Realised
from generation.engine.rewriting.rewrite import RewriteRow


@dataclass(frozen=True, slots=True)
class DeletionSpec(ErrorSpec):
    """The consequences of leaving the step out.

    `correction_before_step_index` is the first later step that needs the object the deleted step
    would have acquired; None where no correction is forced. `alternate_indices` are nearby steps
    that could be left out instead, None in plans older than the field.
    """

    alternate_indices: tuple[int, ...] | None = ()
    correction_before_step_index: int | None = None
    notes: str = "skip_step"

    @property
    def requires_correction(self) -> bool:
        return self.correction_before_step_index is not None

    def to_dict(self) -> dict[str, Any]:
        return {"delete_step": True, "notes": self.notes}

    def event_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if self.alternate_indices is not None:
            fields["alternate_src_indices"] = list(self.alternate_indices)
        if self.requires_correction:
            fields["requires_correction"] = True
            fields["correction_before_step_index"] = self.correction_before_step_index
        return fields

    def final_spec(self, situation: PlanningSituation) -> "DeletionSpec":
        """The deletion without alternates that other errors touch, if the profile avoids those."""
        if not situation.profile.deletion.alternates_avoid_events:
            return self
        used = situation.error_steps | situation.affected
        free = tuple(index for index in self.alternate_indices or () if index not in used)
        return replace(self, alternate_indices=free)

    def places(self, step_index: int) -> tuple[int, ...]:
        return (step_index, *(self.alternate_indices or ()))

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], event: Mapping[str, Any]) -> "DeletionSpec":
        alternates = event.get("alternate_src_indices")
        return cls(
            alternate_indices=None if alternates is None else tuple(alternates),
            correction_before_step_index=event.get("correction_before_step_index"),
            notes=spec["notes"],
        )


class Deletion(ErrorKind):
    """Leaves a step out, and notes which later step a missing acquisition affects."""

    facts = ErrorFacts(
        error_type=ErrorType.DELETION,
        row_mods=frozenset({Mod.DELETION}),
        short_words="left out",
        remedies={CorrectionType.PERFORM_MISSED_STEP_NOW: 1.0},
        priors=by_phase(1.0, 2.0, 2.5),
        detect=by_phase(0.85, 0.80, 0.75),
        act=by_phase(0.85, 0.80, 0.75),
        latency=Latency(0.05, 0.25),
        max_latency=3,
        table_rank=2,
    )
    spec_class = DeletionSpec
    figures = {
        "requires_correction_share": lambda forced: (
            forced[True] / forced.total() if forced else None
        ),
        "alternate_count_share": sorted_shares,
    }

    def factor(self, situation: PlanningSituation, index: int) -> float:
        types = situation.profile.types
        if situation.step_count <= types.short_steps:
            return 0.0
        is_essential = situation.features.steps[index].is_essential
        return 1.0 if is_essential else types.optional_deletion_factor

    def propose(self, situation: PlanningSituation, index: int) -> ProposedError | None:
        features, settings = situation.features, situation.profile.deletion
        meanings = features.meanings
        first_use = next_use(meanings, index, settings.reuse_window)
        acquires = meanings[index].predicate in settings.acquiring_predicates
        if not acquires and first_use is not None and _is_guarded(situation, index):
            return None
        is_acquired_again = (
            first_use is not None and meanings[first_use].predicate in settings.acquiring_predicates
        )
        if not acquires or (settings.repeats_bring_again and is_acquired_again):
            first_use = None
        # Nearby steps of the same phase that later steps do not need.
        alternates = tuple(
            other
            for offset in settings.alternate_offsets
            if 0 <= (other := index + offset) < situation.step_count
            and features.phases[other] is features.phases[index]
            and not is_needed_later(meanings, other, settings.needed_references)
        )
        return ProposedError(
            severity=self.usual_severity(is_essential=features.steps[index].is_essential),
            spec=DeletionSpec(alternate_indices=alternates, correction_before_step_index=first_use),
        )

    def usual_severity(self, *, is_essential: bool) -> Severity:
        return Severity.MEDIUM if is_essential else Severity.LOW

    def figure_values(self, spec: DeletionSpec) -> Iterator[tuple[str, int]]:
        yield "requires_correction_share", spec.requires_correction
        yield "alternate_count_share", len(spec.alternate_indices or ())

    def prompt_lines(self, plan: Plan, error: PlannedError) -> Iterator[str]:
        spec = error.spec
        assert isinstance(spec, DeletionSpec)
        yield "leave the step out"
        if spec.alternate_indices:
            others = " or ".join(map(str, spec.alternate_indices))
            yield f"where that is impossible, step {others} instead"
        if spec.correction_before_step_index is not None:
            yield f"what it brings is needed at step {spec.correction_before_step_index}"

    def claimed_spec(self, claim: Claim) -> DeletionSpec:
        return DeletionSpec(notes=CLAIMED)

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        """Mark the step's row as deleted."""
        index, name = error.step_index, error.error_type.name
        draft.timeline.change(index, RewriteRow(Mod.DELETION, None, index, name, error.event_id))
        return Realised(error.event_id)


def _is_guarded(situation: PlanningSituation, index: int) -> bool:
    """Whether in this run objects of the step's predicate are nearly always reused."""
    settings, statistics = situation.profile.deletion, situation.statistics
    if not settings.has_learned_guard or statistics is None:
        return False
    predicate = situation.features.meanings[index].predicate
    again, steps = statistics.reuse_by_predicate.get(predicate, (0, 0))
    if steps < settings.guard_support or again < settings.guard_probability * steps:
        return False
    situation.note("deletion guard", "kept", index, {"reused": again / steps})
    return True


KIND = Deletion()
