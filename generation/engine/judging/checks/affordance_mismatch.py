"""Nothing is done to a thing that its kind does not allow.

Example: black pepper was got for the cucumber, and is chopped with a knife.
"""

from generation.engine.english.actions import actions_of
from generation.engine.english.surface import as_words
from generation.engine.english.words import compact
from generation.engine.judging.case import WRITTEN_MODS, Case
from generation.engine.judging.check import Found, soft
from generation.engine.judging.findings import Fault
from generation.engine.judging.words import WORDS
from generation.engine.rewriting.lexicon.kinds import recognise


@soft("An action is done to a thing of a kind that it cannot be done to.")
def affordance_mismatch(case: Case) -> Found:
    for position, row, text in case.shown:
        if row.mod not in WRITTEN_MODS:
            continue
        own = {
            (action.predicate, compact(head))
            for action in actions_of(case.original_of(row) or "").actions
            for head in action.objects[:1]
        }
        for action in actions_of(text).actions:
            kinds = WORDS.impossible_kinds.get(action.family, frozenset())
            if action.predicate in WORDS.washing:
                kinds = WORDS.dissolving
            for head in action.objects[:1] if kinds else ():
                match = recognise(head, case.take.scene.domain)
                is_impossible = match is not None and match.kind.name in kinds
                if is_impossible and (action.predicate, compact(head)) not in own:
                    detail = f"{action.family} cannot be done to {as_words(head)}: {text!r}"
                    yield Fault(position, detail, entity=head)
