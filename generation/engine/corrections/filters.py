"""Which mistakes are not worth a correction (not in the paper)."""

from generation.engine.corrections.correction_situation import CorrectionSituation
from generation.engine.planner.correction_settings import Filters
from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import PlannedError, PlannedStep


def reason_to_let_be(situation: CorrectionSituation, error: PlannedError) -> str | None:
    """Return why nobody would correct this error, None where somebody might."""
    facts, swapped = facts_of(error), error.spec.swapped
    if is_trivial(situation, error.step_index):
        if facts.is_wordless:
            return "a trivial step"
        if facts.keeps_action and not _trivial_goes_on(situation, error):
            return "a trivial step, drawn not to matter"
    if facts.leaves_out and is_redundant(situation, error):
        return "the step is done elsewhere"
    return _reason_to_leave_order(situation, *swapped) if swapped else None


def is_trivial(situation: CorrectionSituation, index: int) -> bool:
    """Return whether a slip at this step hardly matters."""
    return situation.meanings[index].predicate in situation.settings.filters.trivial_predicates


def _trivial_goes_on(situation: CorrectionSituation, error: PlannedError) -> bool:
    probability = situation.settings.filters.trivial_wrong_execution_probability
    goes_on = situation.rng.random() < probability
    situation.note("trivial step matters", goes_on, error, {"probability": probability})
    return goes_on


def is_redundant(situation: CorrectionSituation, error: PlannedError) -> bool:
    """Return whether a deleted step is done again: nearby in kind, or later to the letter."""
    settings, index = situation.settings.filters, error.step_index
    meaning = situation.meanings[index]
    window = settings.redundancy_window
    for other in range(max(0, index - window), min(len(situation.meanings), index + window + 1)):
        if other == index or _is_out(situation, other, error):
            continue
        near = situation.meanings[other]
        is_same_object = meaning.object_value is not None
        is_same_object = is_same_object and near.object_value == meaning.object_value
        if is_same_object and near.predicate == meaning.predicate:
            return True
    step = situation.plan.steps[index]
    return any(
        _is_same(step, later, settings)
        for later in situation.plan.steps[index + 1 :]
        if not _is_out(situation, later.index, error)
    )


def _is_same(step: PlannedStep, later: PlannedStep, settings: Filters) -> bool:
    """Return whether a later step is the same one once more."""
    if step.text.casefold() == later.text.casefold():
        return True
    if step.vocabulary_id is not None and step.vocabulary_id == later.vocabulary_id:
        return True
    has_id = settings.trusts_unique_ids and step.unique_id is not None
    return has_id and step.unique_id == later.unique_id


def _is_out(situation: CorrectionSituation, index: int, error: PlannedError) -> bool:
    """Return whether a step does not count because another error deletes it."""
    ignores = situation.settings.filters.ignores_events
    return ignores and situation.is_deleted_by_another(index, error)


def _reason_to_leave_order(situation: CorrectionSituation, source: int, target: int) -> str | None:
    if is_trivial(situation, source) or is_trivial(situation, target):
        return "one of the swapped steps is trivial"
    predicate = situation.meanings[source].predicate
    commutes = predicate in situation.settings.filters.commuting_predicates
    if commutes and situation.meanings[target].predicate == predicate:
        return "the order of the two does not matter"
    return None
