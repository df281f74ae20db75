"""Nothing is done to a thing that its kind does not allow.

Example: black pepper was got for the cucumber, and is chopped with a knife.
"""

from generation.engine.english.actions import actions_of
from generation.engine.english.surface import as_words
from generation.engine.judging.case import WRITTEN_MODS, Case
from generation.engine.judging.check import Faults, soft
from generation.engine.judging.findings import Fault
from generation.engine.judging.words import WORDS
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import recognise


@soft("An action is done to a thing of a kind that it cannot be done to.")
def affordance_mismatch(case: Case) -> Faults:
    domain = case.take.scene.domain
    for position, row, text in case.shown:
        if row.mod not in WRITTEN_MODS:
            continue
        for action in actions_of(text).actions:
            kinds = WORDS.impossible_kinds.get(action.family, frozenset())
            if action.predicate in WORDS.washing:
                kinds = WORDS.dissolving
            for head in action.objects[:1] if kinds else ():
                kind = _kind(head, domain)
                if kind in kinds and (action.predicate, kind) not in _done_anyway(case):
                    detail = f"{action.family} cannot be done to {as_words(head)}: {text!r}"
                    yield Fault(position, detail, entity=head)


def _done_anyway(case: Case) -> set[tuple[str, str]]:
    """Predicates that the original uses with a kind: "open the water" means its valve."""
    domain = case.take.scene.domain
    return {
        (action.predicate, _kind(head, domain))
        for step in case.take.scene.steps
        for action in actions_of(step.text).actions
        for head in action.objects[:1]
    }


def _kind(head: str, domain: Domain) -> str:
    match = recognise(head, domain)
    return "" if match is None else match.kind.name
