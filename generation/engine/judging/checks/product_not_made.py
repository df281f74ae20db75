"""What a step needs prepared was prepared.

Example: the onion was cut instead of the tomato, and later 'Add the cut tomato' follows.
"""

from collections.abc import Iterator
from functools import lru_cache

from generation.engine.english.actions import Action, actions_of
from generation.engine.english.forms import is_participle, verb_base
from generation.engine.english.words import kin, spans_of, words_of
from generation.engine.judging.case import Case
from generation.engine.judging.check import Faults, soft
from generation.engine.judging.findings import Fault
from generation.engine.judging.words import WORDS

# A verb, and what it is done to (by kin).
_Deeds = frozenset[tuple[str, str]]


@soft("A step calls a thing cut, washed or otherwise prepared that no step prepared.")
def product_not_made(case: Case) -> Faults:
    prepared, missing = _prepared_and_missing(case.take.texts)
    needed = prepared - missing - _prepared_and_missing(case.take.planned_texts)[1]
    done: set[tuple[str, str]] = set()
    for position, _, text in case.shown:
        called: dict[str, str] = {}
        for action in _actions_of(text):
            for verb, thing, phrase in _prepared_things(text, action):
                if (verb, thing) in needed - done:
                    called[phrase] = verb
            done |= _preparations(action)
        for phrase, verb in called.items():
            detail = f"{phrase} is called {verb}, and no step before did that"
            yield Fault(position, detail, entity=phrase)


@lru_cache(maxsize=256)
def _prepared_and_missing(texts: tuple[str | None, ...]) -> tuple[_Deeds, _Deeds]:
    """What the steps prepare, and what they call prepared before a step prepares it."""
    done: set[tuple[str, str]] = set()
    missing: set[tuple[str, str]] = set()
    for text in filter(None, texts):
        for action in _actions_of(text):
            missing |= {(verb, thing) for verb, thing, _ in _prepared_things(text, action)} - done
            done |= _preparations(action)
    return frozenset(done), frozenset(missing)


def _actions_of(text: str) -> tuple[Action, ...]:
    """The actions in order: "Start over: chop the onion, then add it" has three."""
    return actions_of(text.replace(": ", ". ")).actions


def _prepared_things(text: str, action: Action) -> Iterator[tuple[str, str, str]]:
    """Yield (verb, kin of the thing, "chopped onion") for each thing that is called prepared."""
    for head in action.mentioned:
        words = head.split("_")
        for index, word in enumerate(words[:-1]):
            is_participial = is_participle(word) or word in WORDS.bare_participles
            if not is_participial or verb_base(word) not in WORDS.preparing:
                continue
            phrase = " ".join(words[index:])
            # In "Get an onion and cut onions" it is a verb, although the analyser reads "cut
            # onions".
            spans = [span.first for span in spans_of(text, phrase)]
            if spans and words_of(text)[spans[0] - 1] not in WORDS.before_verbs:
                yield _verb_class(verb_base(word)), kin(head), phrase
            break


def _preparations(action: Action) -> _Deeds:
    """(Verb, kin of the thing) for each thing that an action prepares."""
    verb = _verb_class(action.predicate.partition("_")[0].lower())
    return frozenset((verb, kin(head)) for head in action.objects)


def _verb_class(verb: str) -> str:
    """One class for all verbs of cutting: what was diced may be called chopped."""
    return "cut" if verb in WORDS.cutting else verb
