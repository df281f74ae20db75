"""Things that a step calls prepared ("the chopped onion"), and what steps prepare."""

from functools import lru_cache

from generation.engine.english.actions import actions_of
from generation.engine.english.forms import is_participle, singular, verb_base
from generation.engine.english.surface import DETERMINERS
from generation.engine.english.words import kin, words_of
from generation.engine.word_lists import word_set

_VERBS = word_set(
    "chop cut slice dice mince peel grate shred crush trim mash wash rinse beat whisk mix boil "
    "fry toast roast grind melt drain strain unwrap crack soak"
)
# Words that may stand between the participle and its noun.
MAX_NOUN_WORDS = 3
# Participles that look like the verb itself, and words after which it is the verb.
_BARE_PARTICIPLES = word_set("cut")
_BEFORE_VERBS = word_set("and then to or")
_CUTTING = word_set("chop cut slice dice mince shred trim")


@lru_cache(maxsize=65_536)
def prepared_things(text: str) -> tuple[tuple[str, str, str], ...]:
    """(Verb, kin of the thing, head) for each thing that a step calls prepared.

    >>> prepared_things("Add the chopped onion into the pan")
    (('cut', 'onion', 'chopped onion'),)
    """
    found = []
    words = words_of(text)
    heads = {kin(head) for action in actions_of(text).actions for head in action.mentioned}
    for index in range(1, len(words)):
        if words[index - 1] in _BEFORE_VERBS or verb_base(words[index]) not in _VERBS:
            continue
        if not is_participle(words[index]) and words[index] not in _BARE_PARTICIPLES:
            continue
        verb = _verb_class(verb_base(words[index]))
        for last in range(index + 1, min(index + 1 + MAX_NOUN_WORDS, len(words))):
            if words[last] in DETERMINERS:
                break
            if singular(words[last]) in heads:
                found.append((verb, singular(words[last]), " ".join(words[index : last + 1])))
                break
    return tuple(found)


@lru_cache(maxsize=65_536)
def preparations(text: str) -> frozenset[tuple[str, str]]:
    """(Verb, kin of the thing) for each thing that a step prepares."""
    return frozenset(
        (_verb_class(action.predicate.partition("_")[0].lower()), kin(head))
        for action in actions_of(text).actions
        for head in action.objects
    )


def _verb_class(verb: str) -> str:
    """What was diced may be called chopped."""
    return "cut" if verb in _CUTTING else verb
