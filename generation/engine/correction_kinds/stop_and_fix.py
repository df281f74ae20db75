"""Stop at once and do the wrongly executed step again, correctly."""

from generation.engine.corrections.situation import CorrectionKind, CorrectionSituation
from generation.engine.planner.correction_facts import CorrectionFacts
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType, Phase
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original, repaired


class StopAndFix(CorrectionKind):
    """The usual repair of a wrong execution, and the only one late and under high load."""

    facts = CorrectionFacts(
        correction_type=CorrectionType.STOP_AND_FIX,
        prompt_words="stop and put right what was done wrongly",
    )
    intent = "Stop here and carry out the step again, this time as intended."

    def weight(self, situation: CorrectionSituation, error: PlannedError) -> float:
        remedies = situation.remedies(error)
        if self.facts.correction_type in remedies and is_late_and_loaded(situation, error):
            return 1.0
        return remedies.get(self.facts.correction_type, 0.0)

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        index = correction.redo_step_index
        assert index is not None
        return repaired(draft, correction, [original(draft, index)])


def is_late_and_loaded(situation: CorrectionSituation, error: PlannedError) -> bool:
    """Whether the error is near the end, in a step of high load, where nobody goes back."""
    threshold = situation.settings.repair.late_load
    return error.phase is Phase.COMPLETION and situation.step_of(error).load > threshold


KIND = StopAndFix()
