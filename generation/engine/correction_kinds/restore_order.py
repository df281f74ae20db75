"""Put two swapped steps back into their order."""

from dataclasses import replace

from generation.engine.corrections.situation import CorrectionKind, CorrectionSituation, Noticing
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
    intent = "Bring the two swapped steps back into the intended order."

    def draft(
        self, situation: CorrectionSituation, error: PlannedError, noticing: Noticing
    ) -> PlannedCorrection:
        pair = error.spec.swapped
        return replace(
            self.correction_of(error, noticing), rollback_steps=0, restore_order_pair=pair
        )

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        assert correction.restore_order_pair is not None
        low, high = sorted(correction.restore_order_pair)
        first, second = original(draft, low), original(draft, high)
        # The swap may have put away what the first step needs.
        later = draft.scene.steps[high]
        thing, is_away = later.object_head, later.family is Family.RELEASE or " back " in later.text
        if is_away and thing is not None and thing in draft.scene.steps[low].heads:
            first = f"get the {as_words(thing)} again, {first}"
        return draft.pick(_WAYS).format(first=first, second=second)


KIND = RestoreOrder()
