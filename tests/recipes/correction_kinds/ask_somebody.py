"""A kind of correction of somebody else's: the person asks how the step goes, and does it again.

It is all that the recipe for a correction kind asks for: the test puts this one file beside the
seven.
"""

from generation.engine.corrections.situation import CorrectionKind, CorrectionSituation
from generation.engine.planner.correction_facts import CorrectionFacts
from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original


class AskSomebody(CorrectionKind):
    """Likelier than any other after a step that was done wrongly or replaced."""

    facts = CorrectionFacts(
        correction_type=CorrectionType.register("ask_somebody"),
        prompt_words="ask somebody how it goes, and do the step again",
        log_words="ask about {redo}",
    )

    def weight(self, situation: CorrectionSituation, error: PlannedError) -> float:
        facts = facts_of(error)
        return 100.0 if facts.keeps_action or facts.replaces_action else 0.0

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        """Name the step as the procedure has it."""
        assert correction.redo_step_index is not None
        return f"Ask how it goes and {original(draft, correction.redo_step_index)}"


KIND = AskSomebody()
