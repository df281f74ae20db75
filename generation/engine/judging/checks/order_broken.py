"""No action comes before the one that it needs on the same thing.

Example: an inserted 'Close the bottle' stands before 'Open the bottle'.
"""

from functools import lru_cache

from annotation.engine.taxonomy import Mod
from generation.engine.english.actions import actions_of
from generation.engine.english.families import Family
from generation.engine.english.surface import as_words
from generation.engine.english.words import compact
from generation.engine.judging.case import Case
from generation.engine.judging.check import Faults, soft
from generation.engine.judging.findings import Fault
from generation.engine.planner.profiles import PIEV

_PREREQUISITES = PIEV.transposition.prerequisites
# Verbs with the same meaning as one of the published table.
_ALIKE = {
    Family.OPEN: "OPEN",
    Family.CLOSE: "CLOSE",
    Family.SWITCH_ON: "TURN_ON",
    Family.SWITCH_OFF: "TURN_OFF",
}
_AFTERWARDS = frozenset({Mod.CORRECTION, Mod.CASCADE})
# A predicate, and the thing that it is done to.
_Deed = tuple[str, str]


@soft("An action on a thing comes before the action that makes it possible.")
def order_broken(case: Case) -> Faults:
    own = _broken(case.take.texts).keys() | _broken(case.take.planned_texts).keys()
    # Corrections undo things, so taking something out again does not make adding it too early. And
    # a consequence of a mistake may get a thing again that was put away too early.
    texts = tuple(None if row.mod in _AFTERWARDS else row.text for row in case.rows)
    for deed, (position, head) in _broken(texts).items():
        if deed not in own:
            action, thing = as_words(deed[0]).lower(), as_words(head)
            detail = f"{action} of {thing} comes before what makes it possible"
            yield Fault(position, detail, entity=thing)


@lru_cache(maxsize=256)
def _broken(texts: tuple[str | None, ...]) -> dict[_Deed, tuple[int, str]]:
    """Position and head of actions before the first one that makes them possible."""
    waiting: dict[str, dict[str, tuple[int, str]]] = {}
    broken: dict[_Deed, tuple[int, str]] = {}
    met: set[_Deed] = set()
    for position, text in enumerate(texts):
        deeds = [
            (_ALIKE.get(action.family, action.predicate), head)
            for action in actions_of(text or "").actions
            for head in action.objects[:1]
        ]
        for predicate, head in deeds:
            thing = compact(head)
            unmet = waiting.setdefault(thing, {})
            for dependent in [name for name in unmet if predicate in _PREREQUISITES[name]]:
                broken.setdefault((dependent, thing), unmet.pop(dependent))
            met.add((predicate, thing))
            needed = _PREREQUISITES.get(predicate, frozenset())
            if needed and not any((other, thing) in met for other in needed):
                unmet.setdefault(predicate, (position, head))
    return broken
