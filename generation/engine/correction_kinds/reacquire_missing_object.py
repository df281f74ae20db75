"""Get the thing that a deleted step would have acquired, just before it is needed."""

from dataclasses import replace

from generation.engine.corrections.needs import first_use_of_deleted, is_reacquired
from generation.engine.corrections.situation import CorrectionKind, CorrectionSituation, Verdict
from generation.engine.english.instructions import gerund_of
from generation.engine.error_types.deletion import DeletionSpec
from generation.engine.planner.correction_facts import CorrectionFacts
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original


class ReacquireMissingObject(CorrectionKind):
    """Forced after a deleted acquisition, unless a step in between gets the thing."""

    facts = CorrectionFacts(
        correction_type=CorrectionType.REACQUIRE_MISSING_OBJECT,
        prompt_words="fetch what is missing, before it is needed",
        log_words="reacquire {missing} before {before}",
    )

    def verdict(self, situation: CorrectionSituation, error: PlannedError) -> Verdict | None:
        spec = error.spec
        if not isinstance(spec, DeletionSpec) or spec.correction_before_step_index is None:
            return None
        need = first_use_of_deleted(situation, error, start=spec.correction_before_step_index)
        if need is None:
            return Verdict(None, "no step is left that needs the object")
        if is_reacquired(situation, error, need.step_index):
            return Verdict(None, "a step in between brings the object")
        correction = replace(
            self.correction_of(error, need.noticing),
            insert_before_step_index=need.step_index,
            missing_object=situation.meaning_of(error).object_value,
            missing_from_step_index=error.step_index,
        )
        return Verdict(correction, f"step {need.step_index + 1} needs the object")

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        missing, use = correction.missing_from_step_index, correction.insert_before_step_index
        assert missing is not None
        fetched = original(draft, missing)
        use_text = None if use is None else draft.timeline.text_of_step(use)
        if use_text is None:
            return f"Go back and {fetched}"
        return f"Go back and {fetched} before {gerund_of(use_text)}"


KIND = ReacquireMissingObject()
