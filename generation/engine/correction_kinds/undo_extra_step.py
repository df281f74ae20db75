"""Undo what an inserted step did."""

from dataclasses import replace

from generation.engine.corrections.situation import CorrectionKind, CorrectionSituation, Noticing
from generation.engine.english.surface import upper_first
from generation.engine.planner.correction_facts import CorrectionFacts
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import undoing


class UndoExtraStep(CorrectionKind):
    """The repair of an insertion."""

    facts = CorrectionFacts(
        correction_type=CorrectionType.UNDO_EXTRA_STEP,
        prompt_words="undo what should not have been done",
        log_words="undo extra step",
    )
    intent = "Take back what the extra step did, then go on."

    def draft(
        self, situation: CorrectionSituation, error: PlannedError, noticing: Noticing
    ) -> PlannedCorrection:
        stays = situation.settings.repair.undo_without_rollback_probability
        rollback = 0 if situation.rng.random() < stays else 1
        return replace(self.correction_of(error, noticing), rollback_steps=rollback)

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        extra = draft.realised[correction.target_event_id]
        return upper_first(undoing(extra, draft.scene.domain))


KIND = UndoExtraStep()
