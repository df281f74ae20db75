"""The first step that needs what a deleted step would have acquired or prepared."""

from dataclasses import dataclass

from generation.engine.corrections.situation import CorrectionSituation, Noticing
from generation.engine.planner.plan import PlannedError
from generation.engine.planner.reuse import next_use


@dataclass(frozen=True, slots=True)
class Need:
    """The step that needs it, and the noticing just before that step."""

    step_index: int
    noticing: Noticing


def first_use_of_deleted(
    situation: CorrectionSituation, error: PlannedError, *, start: int | None = None
) -> Need | None:
    """The first need of a deleted step's object, None if no step within the reuse window has one.

    `start` is a step that needs it, if the plan names one.
    """
    index, window = error.step_index, situation.profile.deletion.reuse_window
    use = next_use(situation.meanings, index, window) if start is None else start
    if situation.settings.filters.ignores_events:
        while use is not None and situation.is_deleted_by_another(use, error):
            use = next_use(situation.meanings, index, window, after=use)
    if use is None:
        return None
    detect = use - 1
    if situation.settings.noticing.skips_deleted_steps:
        while detect > index and situation.is_deleted_by_another(detect, error):
            detect -= 1
    return Need(step_index=use, noticing=Noticing(detect, latency_steps=detect - index))


def is_reacquired(situation: CorrectionSituation, error: PlannedError, before: int) -> bool:
    """Whether a step between the deleted one and `before` acquires the same object."""
    acquiring = situation.profile.deletion.acquiring_predicates
    heads = situation.meaning_of(error).head_entities
    ignores = situation.settings.filters.ignores_events
    return any(
        situation.meanings[index].predicate in acquiring
        and not heads.isdisjoint(situation.meanings[index].object_entities)
        for index in range(error.step_index + 1, before)
        if not (ignores and situation.is_deleted_by_another(index, error))
    )
