"""Get the thing that a forgotten step would have brought, just before it is needed."""

from dataclasses import replace
from typing import ClassVar

from generation.engine.corrections.needs import first_use_of_deleted, is_reacquired
from generation.engine.corrections.situation import ForcedKind, Situation, Verdict, begin_correction
from generation.engine.error_types.deletion import DeletionSpec
from generation.engine.planner.plan import PlannedError
from generation.engine.planner.taxonomy import CorrectionType


class ReacquireMissingObject(ForcedKind):
    """Forced where a deletion left out an acquisition, unless a step between makes up for it."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.REACQUIRE_MISSING_OBJECT

    def verdict(self, situation: Situation, error: PlannedError) -> Verdict | None:
        spec = error.spec
        if not isinstance(spec, DeletionSpec) or spec.correction_before_step_index is None:
            return None
        need = first_use_of_deleted(situation, error, start=spec.correction_before_step_index)
        if need is None:
            return Verdict(None, "no step is left that needs the object")
        if is_reacquired(situation, error, need.step_index):
            return Verdict(None, "a step in between brings the object")
        correction = replace(
            begin_correction(self.correction_type, error, need.noticing),
            insert_before_step_index=need.step_index,
            missing_object=situation.meaning_of(error).object_value,
            missing_from_step_index=error.step_index,
        )
        return Verdict(correction, f"step {need.step_index + 1} needs the object")


KIND = ReacquireMissingObject()
