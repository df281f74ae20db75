"""No action comes before what it needs on the same thing.

Example: an inserted 'Close the bottle' stands before 'Open the bottle'.
"""

from functools import lru_cache

from annotation.engine.taxonomy import Mod
from generation.engine.english.actions import actions_of
from generation.engine.english.families import Family
from generation.engine.english.surface import as_words
from generation.engine.english.words import compact
from generation.engine.judging.case import Case
from generation.engine.judging.check import Found, soft
from generation.engine.judging.findings import Fault
from generation.engine.planner.profiles import PIEV

_PREREQUISITES = PIEV.transposition.prerequisites
# Verbs that do the same as one of the published table.
_ALIKE = {
    Family.OPEN: "OPEN",
    Family.CLOSE: "CLOSE",
    Family.SWITCH_ON: "TURN_ON",
    Family.SWITCH_OFF: "TURN_OFF",
}
_AFTERWARDS = frozenset({Mod.CORRECTION, Mod.CASCADE})
_Deed = tuple[str, str]


@soft("An action on a thing comes before the action that makes it possible.")
def order_broken(case: Case) -> Found:
    own = _broken(case.take.texts) | _broken(case.take.planned_texts)
    # A correction undoes: that something is taken out again makes no adding of it too early. What
    # follows from a mistake may get a thing again that was put away too early.
    texts = tuple(None if row.mod in _AFTERWARDS else row.text for row in case.rows)
    for deed, position in _first_broken(texts).items():
        if deed in own:
            continue
        row = case.rows[position]
        actions = actions_of(row.text or "").actions
        heads = [head for action in actions for head in action.objects[:1]]
        thing = next((as_words(head) for head in heads if compact(head) == deed[1]), deed[1])
        detail = f"{as_words(deed[0]).lower()} of {thing} comes before what makes it possible"
        yield Fault(position, detail, entity=thing)


@lru_cache(maxsize=256)
def _broken(texts: tuple[str | None, ...]) -> set[_Deed]:
    return set(_first_broken(texts))


def _first_broken(texts: tuple[str | None, ...]) -> dict[_Deed, int]:
    """The actions on a thing that stand before the first step that makes them possible."""
    waiting: dict[str, dict[str, int]] = {}
    broken: dict[_Deed, int] = {}
    met: set[_Deed] = set()
    for position, text in enumerate(texts):
        deeds = [
            (_ALIKE.get(action.family, action.predicate), compact(head))
            for action in (() if text is None else actions_of(text).actions)
            for head in action.objects[:1]
        ]
        for predicate, thing in deeds:
            unmet = waiting.setdefault(thing, {})
            for dependent in [name for name in unmet if predicate in _PREREQUISITES[name]]:
                broken.setdefault((dependent, thing), unmet.pop(dependent))
            met.add((predicate, thing))
            needed = _PREREQUISITES.get(predicate, frozenset())
            if needed and not any((other, thing) in met for other in needed):
                unmet.setdefault(predicate, position)
    return broken
