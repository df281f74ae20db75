"""Do the missed step as soon as its absence is noticed."""

from generation.engine.corrections.situation import CorrectionKind
from generation.engine.planner.correction_facts import CorrectionFacts
from generation.engine.planner.plan import PlannedCorrection
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original

_WAYS = (
    "Go back and {step}",
    "Make up for the missed step: {step}",
    "Stop and catch up on the step that was left out: {step}",
)


class PerformMissedStepNow(CorrectionKind):
    """The usual repair of a deletion."""

    facts = CorrectionFacts(
        correction_type=CorrectionType.PERFORM_MISSED_STEP_NOW,
        prompt_words="do the missed step now",
        log_words="do missed {redo} now",
    )
    intent = "Do the missed step now, so that the steps after it can be done."

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        index = correction.redo_step_index
        assert index is not None
        return draft.pick(_WAYS).format(step=original(draft, index))


KIND = PerformMissedStepNow()
