"""Which mistakes are not worth a correction (not in the paper)."""

from generation.engine.corrections.noticing import happens
from generation.engine.corrections.situation import CorrectionSituation
from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import PlannedError


def reason_not_to_correct(situation: CorrectionSituation, error: PlannedError) -> str | None:
    """The reason why this error is never corrected, None if it may be."""
    facts, settings, meanings = facts_of(error), situation.settings.filters, situation.meanings
    if is_trivial(situation, error.step_index):
        if facts.is_wordless:
            return "a trivial step"
        if facts.keeps_action:
            chance = {"probability": settings.trivial_wrong_execution_probability}
            is_drawn, _ = happens("trivial step matters", situation, error, chance)
            if not is_drawn:
                return "a trivial step, drawn not to matter"
    if facts.leaves_out and is_redundant(situation, error):
        return "the step is done elsewhere"
    if error.spec.swapped:
        if any(is_trivial(situation, index) for index in error.spec.swapped):
            return "one of the swapped steps is trivial"
        both = {meanings[index].predicate for index in error.spec.swapped}
        if len(both) == 1 and both <= settings.commuting_predicates:
            return "the order of the two does not matter"
    return None


def is_trivial(situation: CorrectionSituation, index: int) -> bool:
    """Whether a mistake at this step hardly matters."""
    return situation.meanings[index].predicate in situation.settings.filters.trivial_predicates


def is_redundant(situation: CorrectionSituation, error: PlannedError) -> bool:
    """Whether a deleted step is done elsewhere: a like step nearby, or the same step later."""
    settings, index = situation.settings.filters, error.step_index
    meaning = situation.meanings[index]
    action = (meaning.predicate, meaning.object_value)
    window = settings.redundancy_window
    for other in range(max(0, index - window), min(len(situation.meanings), index + window + 1)):
        if other == index or _is_out(situation, other, error):
            continue
        near = situation.meanings[other]
        if meaning.object_value is not None and (near.predicate, near.object_value) == action:
            return True
    step = situation.plan.steps[index]
    own_id = step.unique_id if settings.trusts_unique_ids else None
    return any(
        step.text.casefold() == later.text.casefold()
        or (step.vocabulary_id is not None and step.vocabulary_id == later.vocabulary_id)
        or (own_id is not None and own_id == later.unique_id)
        for later in situation.plan.steps[index + 1 :]
        if not _is_out(situation, later.index, error)
    )


def _is_out(situation: CorrectionSituation, index: int, error: PlannedError) -> bool:
    """Whether a step does not count because another error deletes it."""
    ignores = situation.settings.filters.ignores_events
    return ignores and situation.is_deleted_by_another(index, error)
