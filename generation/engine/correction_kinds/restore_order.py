"""Put two swapped steps back into their order."""

from dataclasses import replace

from generation.engine.corrections.correction_situation import (
    CorrectionKind,
    CorrectionSituation,
    Noticing,
)
from generation.engine.english.families import Family
from generation.engine.english.surface import as_words
from generation.engine.planner.correction_facts import CorrectionFacts
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original

_WAYS = (
    "Redo both steps in the right order: {first}, then {second}",
    "Put the order right: {first}, then {second}",
    "Start over with the swapped steps: first {first}, then {second}",
)


class RestoreOrder(CorrectionKind):
    """The repair of a transposition."""

    facts = CorrectionFacts(
        correction_type=CorrectionType.RESTORE_ORDER,
        prompt_words="put the result into the order that it should have had",
        log_words="restore order of Steps {first} and {second}",
    )

    def draft(
        self, situation: CorrectionSituation, error: PlannedError, noticing: Noticing
    ) -> PlannedCorrection:
        return replace(
            self.begun(error, noticing),
            rollback_steps=0,
            restore_order_pair=error.spec.swapped,
            intent="Bring the two swapped steps back into the intended order.",
        )

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        """Name both steps, the earlier one first."""
        pair = correction.restore_order_pair
        assert pair is not None
        first, second = (original(draft, index) for index in sorted(pair))
        again = _got_again(draft, min(pair), max(pair))
        return draft.pick(_WAYS).format(first=again + first, second=second)


def _got_again(draft: Draft, first: int, second: int) -> str:
    """Return "get the wrench again, then" where the swap had put away what the first step needs."""
    steps = draft.scene.steps
    thing = steps[second].object_head
    is_away = steps[second].family is Family.RELEASE or " back " in steps[second].text
    if not is_away or thing is None:
        return ""
    return f"get the {as_words(thing)} again, " if thing in steps[first].heads else ""


KIND = RestoreOrder()
