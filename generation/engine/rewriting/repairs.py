"""The pieces of a correction: what is taken back, and what is done instead."""

from generation.engine.planner.plan import PlannedCorrection
from generation.engine.rewriting.clauses import (
    family_of_text,
    gerund_of,
    imperative,
    set_aside,
    the,
    undo_of,
)
from generation.engine.rewriting.draft import Draft, Realised
from generation.engine.rewriting.families import Family
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.surface import upper_first
from generation.engine.semrep import Role

_STOPPING = "stop "


def undoing(realised: Realised, domain: Domain) -> str:
    """Return the clause that takes a written mistake back, as a person would say it."""
    if realised.repair is not None:
        return imperative(realised.repair)
    for change in realised.mutations:
        is_put = family_of_text(str(realised.text)) is Family.PLACE and change.role == Role.OBJECT
        if change.role == Role.INSTRUMENT or is_put:
            return set_aside(the(change.wrong), domain)
    return undo_of(str(realised.text), domain)


def original(draft: Draft, index: int) -> str:
    """Return what an original step asks for, as a clause inside a sentence."""
    return imperative(draft.scene.steps[index].text)


def repaired(draft: Draft, correction: PlannedCorrection, redo: list[str]) -> str:
    """Return "take it back and do it right"; says "go back" where the person noticed late.

    `redo` are the clauses of what is done instead, in order.
    """
    realised = draft.realised[correction.target_event_id]
    undo = undoing(realised, draft.scene.domain)
    is_late = correction.latency_steps > 0
    instead = ", then ".join(redo)
    if undo.startswith(_STOPPING) and is_late:
        return f"Go back and {instead}, to make up for {gerund_of(str(realised.text))}"
    joiner = ", then " if " and " in f"{undo} {redo[0]}" else " and "
    if is_late:
        return f"Go back, {undo}{joiner}{instead}"
    return upper_first(f"{undo}{joiner}{instead}")
