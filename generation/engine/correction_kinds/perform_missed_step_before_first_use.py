"""Do a forgotten preparation just before its result is needed."""

from dataclasses import replace

from generation.engine.corrections.needs import first_use_of_deleted
from generation.engine.corrections.situation import CorrectionKind, CorrectionSituation, Verdict
from generation.engine.english.instructions import gerund_of
from generation.engine.english.surface import upper_first
from generation.engine.planner.correction_facts import CorrectionFacts
from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original


class PerformMissedStepBeforeFirstUse(CorrectionKind):
    """Forced where an ingredient that was not cut, peeled or ground is needed soon."""

    facts = CorrectionFacts(
        correction_type=CorrectionType.PERFORM_MISSED_STEP_BEFORE_FIRST_USE,
        prompt_words="do the missed step before it is needed",
        log_words="do missed {redo} before {before}",
    )

    def verdict(self, situation: CorrectionSituation, error: PlannedError) -> Verdict | None:
        settings = situation.settings.filters
        is_preparation = situation.meaning_of(error).predicate in settings.preparation_predicates
        if not (facts_of(error).leaves_out and is_preparation):
            return None
        need = first_use_of_deleted(situation, error)
        if need is None or need.noticing.latency_steps > settings.preparation_max_latency:
            return None
        correction = replace(
            self.correction_of(error, need.noticing),
            redo_step_index=error.step_index,
            insert_before_step_index=need.step_index,
        )
        return Verdict(correction, f"step {need.step_index + 1} needs what was not prepared")

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        index, use = correction.redo_step_index, correction.insert_before_step_index
        assert index is not None
        missed = original(draft, index)
        use_text = None if use is None else draft.timeline.text_of_step(use)
        if use_text is None or original(draft, int(use or 0)) == missed:
            return f"Stop and {missed} first"
        return upper_first(f"{missed} first, before {gerund_of(use_text)}")


KIND = PerformMissedStepBeforeFirstUse()
