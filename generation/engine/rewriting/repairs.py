"""The parts of a correction: what is undone, and what is done instead."""

import re

from generation.engine.english.actions import family_of_text
from generation.engine.english.families import Family
from generation.engine.english.instructions import (
    as_mentioned,
    clause_of,
    first_action_of,
    gerund_of,
    imperative,
    whole_of,
)
from generation.engine.english.surface import as_head, upper_first
from generation.engine.english.words import is_near_duplicate, jaccard
from generation.engine.planner.plan import PlannedCorrection
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.draft import Draft, Form, Realised
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import KINDS, recognise
from generation.engine.rewriting.undoing import set_aside, undo_of
from generation.engine.rewriting.wording import SAME_STEP
from generation.engine.semrep import Role

_STOPPING = "stop "
_WITH_TOOL = frozenset({"with", "using"})
_TIMES = frozenset({Role.DURATION, Role.TEMPORAL})
# What is only half done is finished, not undone.
_HALF_DONE = re.compile(r"^(?:only (?:some|in part|partway|halfway)|all but one|not all the way)\b")
_INDEFINITE = re.compile(r"\ban? ")
# A correction names at most this many steps done with the wrong thing; of more it says to repeat
# the steps.
MAX_FOLLOWED = 2


def undoing(realised: Realised, domain: Domain) -> str:
    """The clause that undoes a written mistake, as a person would say it."""
    if realised.repair is not None:
        return imperative(realised.repair)
    text = str(realised.text)
    for change in realised.mutations:
        is_tool = change.role == Role.INSTRUMENT
        is_put = change.role == Role.OBJECT and family_of_text(text) is Family.PLACE
        thing = _tool_of(text) if is_tool else as_mentioned(change.wrong)
        if thing is None or not (is_put or is_tool):
            continue
        match = recognise(as_head(thing.removeprefix("the ").removeprefix("your ")), domain)
        if match is not None and match.kind.name in KINDS.unconfused:  # "With the elbow".
            return _STOPPING + gerund_of(text)
        if change.scope is MutationScope.ENTITY:
            return set_aside(thing, domain)
    return undo_of(text, domain)


def _tool_of(text: str) -> str | None:
    """The tool of a text's action, written as a thing mentioned before."""
    phrases = clause_of(text).phrases
    return next((whole_of(item.words) for item in phrases if item.preposition in _WITH_TOOL), None)


def original(draft: Draft, index: int) -> str:
    """The instruction of an original step, as a clause inside a sentence."""
    text = draft.scene.steps[index].text if draft.carried is None else draft.carried(index)
    return imperative(text)


def repaired(draft: Draft, correction: PlannedCorrection, redo: list[str]) -> str:
    """Say "take it back and do it right", and "go back" if the person noticed late.

    `redo` are the clauses of what is done instead, in order; steps that went wrong because of the
    mistake are done again after them.
    """
    realised = draft.realised[correction.target_event_id]
    followed = draft.followed.get(correction.target_event_id, ())
    is_short = len(followed) <= MAX_FOLLOWED
    redo = [*redo, *(original(draft, index) for index in followed[: None if is_short else 1])]
    redo += [] if is_short else ["repeat the steps after it"]
    is_late, instead = correction.latency_steps > 0, joined_steps(redo)
    better = _better_way(realised)
    if better is not None:
        lead = "go back and " if is_late else draft.pick(("stop and ", "start over and ", ""))
        return upper_first(f"{lead}{instead}, this time {better}")
    undo = undoing(realised, draft.scene.domain)
    if undo.startswith(_STOPPING):
        return upper_first(_without_undoing(draft, str(realised.text), redo, is_late=is_late))
    for match in reversed(list(_INDEFINITE.finditer(instead))):
        # "The" for things that were mentioned in the words before.
        rest = instead[match.end() :]
        if f"the {rest.partition(' ')[0]} " in f"{undo} " or f"the {rest}" in undo:
            instead = f"{instead[: match.start()]}the {rest}"
    if len(redo) == 1 and is_near_duplicate(f"{undo} {instead}", str(realised.text)):
        instead = f"{first_action_of(instead)} and go on"  # Do not repeat a long step.
    joiner = ", then " if " and " in f"{undo} {instead}" else " and "
    start = "go back, " if is_late else ""
    return upper_first(start + undo + (" and start over: " if redo[1:] else joiner) + instead)


def _better_way(realised: Realised) -> str | None:
    """How the step is done this time; None if something has to be undone first."""
    text, changes = str(realised.text), realised.mutations
    if not changes:
        return None
    if any(_HALF_DONE.match(change.wrong) for change in changes):
        is_way = any("way" in change.wrong for change in changes)
        return "all the way" if is_way else "completely"
    forms = {change.form for change in changes}
    if forms == {Form.AMOUNT} and changes[0].role not in _TIMES:
        return None if family_of_text(text) is Family.ADD else "the right amount"
    if forms == {Form.LAST} and all(change.wrong.startswith("wrong ") for change in changes):
        return "the right one"
    if forms <= {Form.MANNER, Form.SIDE, Form.AMOUNT, Form.LAST}:
        return "the right way"
    if all(change.role == Role.ORIGIN for change in changes):
        return "from the right place"
    return None


def _without_undoing(draft: Draft, mistake: str, redo: list[str], *, is_late: bool) -> str:
    """What is done after a mistake that cannot be undone."""
    instead, wrong = joined_steps(redo), gerund_of(mistake.partition(", but ")[0])
    again = f"start over: {instead}" if redo[1:] else instead
    if not is_late:
        text = f"stop {wrong} and {again}"
        return text if jaccard(text, mistake) < SAME_STEP else f"notice the mistake and {instead}"
    if redo[1:]:
        return f"notice the mistake, go back and {again}"
    ways = (
        f"go back and {instead}, to make up for {wrong}",
        f"notice the mistake, go back and {instead}",
        f"realise that {wrong} was wrong, go back and {instead}",
    )
    return draft.pick(ways)


def joined_steps(clauses: list[str]) -> str:
    """Clauses in the order in which they are done.

    >>> joined_steps(["wash it"]), joined_steps(["wash it", "cut it", "eat it"])
    ('wash it', 'wash it, cut it, then eat it')
    """
    return ", ".join(clauses[:-1]) + (", then " if len(clauses) > 1 else "") + clauses[-1]
