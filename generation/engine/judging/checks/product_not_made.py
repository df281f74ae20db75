"""What a step needs prepared was prepared.

Example: the onion was cut instead of the tomato, and later 'Add the cut tomato' follows.
"""

import re
from functools import lru_cache

from annotation.engine.taxonomy import Mod
from generation.engine.english.actions import actions_of
from generation.engine.english.forms import is_participle, singular, verb_base
from generation.engine.english.surface import DETERMINERS, as_words
from generation.engine.english.words import kin, words_of
from generation.engine.judging.case import Case
from generation.engine.judging.check import Found, soft
from generation.engine.judging.findings import Fault
from generation.engine.judging.words import WORDS

# A verb, and what it is done to (by kin).
_Deeds = frozenset[tuple[str, str]]

# So many words may stand between the participle and its noun.
MAX_NOUN_WORDS = 3
# What a correction says before an action of it, or between two.
_JOINTS = re.compile(
    r"(?:, |^| )(?:stop and |go back and start over: |go back and |go back, |start over: )"
    r"|: (?:first )?|, then | first, before ",
    re.IGNORECASE,
)


@soft("A step calls a thing cut, washed or otherwise prepared that no step prepared.")
def product_not_made(case: Case) -> Found:
    prepared, missing = _prepared_and_missing(case.take.texts)
    needed = prepared - missing - _prepared_and_missing(case.take.planned_texts)[1]
    done: set[tuple[str, str]] = set()
    for position, row in enumerate(case.rows):
        if row.text is None:
            continue
        # A correction does one thing after the other: "start over: chop it, then add the onion".
        is_several = row.mod is Mod.CORRECTION
        for part in filter(None, _JOINTS.split(row.text)) if is_several else (row.text,):
            for verb, thing, head in _prepared_things(part):
                if (verb, thing) in needed - done:
                    detail = f"{as_words(head)} is called {verb}, and no step before did that"
                    yield Fault(position, detail, row.event_id, entity=head)
            done |= _preparations(part)


@lru_cache(maxsize=256)
def _prepared_and_missing(texts: tuple[str | None, ...]) -> tuple[_Deeds, _Deeds]:
    """What these steps prepare, and what they call prepared before one of them prepares it."""
    done: set[tuple[str, str]] = set()
    missing: set[tuple[str, str]] = set()
    for text in filter(None, texts):
        missing |= {(verb, thing) for verb, thing, _ in _prepared_things(text)} - done
        done |= _preparations(text)
    return frozenset(done), frozenset(missing)


@lru_cache(maxsize=65_536)
def _prepared_things(text: str) -> tuple[tuple[str, str, str], ...]:
    """(Verb, kin of the thing, head) for each thing that a step calls prepared.

    >>> _prepared_things("Add the chopped onion into the pan")
    (('cut', 'onion', 'chopped onion'),)
    """
    found = []
    words = words_of(text)
    heads = {kin(head) for action in actions_of(text).actions for head in action.mentioned}
    for index in range(1, len(words)):
        if words[index - 1] in WORDS.before_verbs or verb_base(words[index]) not in WORDS.preparing:
            continue
        if not is_participle(words[index]) and words[index] not in WORDS.bare_participles:
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
def _preparations(text: str) -> _Deeds:
    """(Verb, kin of the thing) for each thing that a step prepares."""
    return frozenset(
        (_verb_class(action.predicate.partition("_")[0].lower()), kin(head))
        for action in actions_of(text).actions
        for head in action.objects
    )


def _verb_class(verb: str) -> str:
    """What was diced may be called chopped."""
    return "cut" if verb in WORDS.cutting else verb
