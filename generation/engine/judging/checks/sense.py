"""Whether a written text is a mistake at all, and one that a person could make.

The checks know English words and no domain: they cannot tell whether a verb suits a thing, and
where the reader is unsure they are silent.
"""

import re
from collections.abc import Iterator

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.english.actions import Action, actions_of
from generation.engine.english.families import Family
from generation.engine.english.forms import is_plural
from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.instructions import clause_of
from generation.engine.english.surface import as_words
from generation.engine.english.things import NamedThing, named_things
from generation.engine.english.words import spans_of, word_set_of, words_of
from generation.engine.judging.case import Case
from generation.engine.judging.check import Faults, soft
from generation.engine.judging.findings import Fault
from generation.engine.judging.words import WORDS
from generation.engine.rewriting.lexicon.kinds import is_of_domain

# Another type says itself what is a mistake: who is distracted looks out of the window.
_WORDED = {ErrorType.WRONG_EXECUTION, ErrorType.SUBSTITUTION, ErrorType.INSERTION}
_WORDED_TYPES = frozenset({None, *(it.name for it in _WORDED)})
_PART = re.compile(r"\b(?:half|part|a third|a quarter) of (?:the |an? |your )?", re.IGNORECASE)
_WHOLE_ACTS = frozenset(
    {Family.OPEN, Family.SWITCH_ON, Family.SWITCH_OFF, Family.TIGHTEN, Family.MOVE}
)
_ORDER = re.compile(r"\border of ([a-z ,-]+)", re.IGNORECASE)
# Characters between "half of the" and its noun; Python reads no number of thousands of digits.
NEAR, MAX_DIGITS = 30, 6
_LIST_JOINERS = re.compile(r"\s*(?:,\s*and\b|,|\band\b)\s*")


def _mistakes(case: Case) -> Iterator[tuple[int, str, str]]:
    """Yield position, text and original ("" for an extra step) of each worded mistake."""
    for position, row, text in case.shown:
        if row.mod in {Mod.ERROR, Mod.INSERTION} and row.error_type in _WORDED_TYPES:
            yield position, text, case.original_of(row) or ""


@soft("A mistake changes nothing that matters: it is a look or a touch.")
def no_mistake(case: Case) -> Faults:
    """Example: 'Look at the cup' for 'Put the lid on the cup'.

    To check, measure or look for something is a step like others.
    """
    for position, text, original in _mistakes(case):
        actions = actions_of(text).actions
        own = next(iter(actions_of(original).actions), None)
        # Where the step looks or presses, to look or press elsewhere may be a mistake.
        is_alike = own is not None and any(
            own.predicate == it.predicate or own.family is it.family is Family.LOOK
            for it in actions[:1]
        )
        if actions and not is_alike and all(_is_idle(action, text) for action in actions):
            yield Fault(position, f"changes nothing that matters: {text!r}")


def _is_idle(action: Action, text: str) -> bool:
    """Whether an action leaves everything as it was."""
    clause, verb = clause_of(text), action.predicate.partition("_")[0]
    prepositions = {phrase.preposition for phrase in clause.phrases if phrase.words}
    # "Press on the pan with a thumb", "rest an elbow on it"; pressing the dough does something.
    body = WORDS.body & word_set_of(text)
    is_bare = not clause.object_phrase or bool(WORDS.body & word_set_of(clause.object_phrase))
    if action.family is Family.PLACE and "down" in words_of(text):
        # "Set the tool down out of reach": it lies somewhere, as it did before.
        return bool(prepositions) and prepositions <= WORDS.beside
    is_touch = verb in WORDS.leaning and is_bare and (bool(body) or verb == "LEAN")
    is_search = verb == "LOOK" and "for" in prepositions
    return is_touch or (verb in WORDS.touching and not is_search)


@soft("An amount is one that the thing cannot have: part of one thing, or more than there are.")
def impossible_count(case: Case) -> Faults:
    """Example: 'Plug in only half of the heater', or 'all six plates' of three."""
    for position, text, original in _mistakes(case):
        if detail := _part_of_whole(text) or _too_many(text, original, case):
            yield Fault(position, f"{detail}: {text!r}")


def _part_of_whole(text: str) -> str:
    parts = [part.end() for part in _PART.finditer(text)]
    for action in actions_of(text).actions if parts else ():
        verb = action.predicate.partition("_")[0].removeprefix("RE").lower()
        if action.family in _WHOLE_ACTS or verb in GRAMMAR.joining_verbs | WORDS.done_to_wholes:
            for head in action.objects:
                starts = [span.start for span in spans_of(text, head)]
                is_near = any(0 <= start - part <= NEAR for start in starts for part in parts)
                if is_near and not is_plural(as_words(head)):
                    return f"{as_words(head)} is one thing, and a part of it cannot be {verb}"
    return ""


def _too_many(text: str, original: str, case: Case) -> str:
    """More than the procedure has, where the text says that they are there or lists them."""
    order = _ORDER.search(text)
    listed = 0 if order is None else len(_LIST_JOINERS.split(order[1].strip()))
    counts = [pair for step in case.take.texts for pair in _counts(step)]
    for count, thing in _counts(text):
        own = [number for number, other in _counts(original) if other.kin == thing.kin]
        there = sum(number for number, other in counts if other.kin == thing.kin)
        is_definite = not WORDS.all_there.isdisjoint(thing.before.lower().split())
        if count not in own and (1 < listed < count or (is_definite and 0 < there < count)):
            return f"there are only {listed or there} of {thing.words}"
    return ""


def _counts(text: str) -> Iterator[tuple[int, NamedThing]]:
    """Yield each counted thing with its number: 6 of "all six plates"."""
    for thing in named_things(text):
        for word in thing.before.lower().split():
            if word in WORDS.numbers:
                yield WORDS.numbers.index(word), thing
            elif word.isdecimal() and len(word) <= MAX_DIGITS:
                yield int(word), thing


@soft("A thing is named as being there that no step has and that the text does not bring.")
def thing_not_at_hand(case: Case) -> Faults:
    """Example: 'Brush flux on the price tag' for 'Brush flux on the foil', of a lamp's steps.

    What belongs to the domain of the procedure is at hand, as a mug in a kitchen; and another act
    than the step's may bring things of its own.
    """
    domain = case.take.scene.domain
    named: frozenset[str] = frozenset().union(*map(word_set_of, case.take.texts))
    for position, row, text in case.shown:
        if row.mod is Mod.ERROR:
            for thing in _put_in_place(text, case.original_of(row) or ""):
                # "The bolts of the brake" are where the brake is.
                is_definite = "the" in thing.before.lower().split() and " of " not in thing.words
                is_there = thing.kin in named | WORDS.everywhere
                if is_definite and not (is_there or is_of_domain(thing.head, domain)):
                    detail = f"the {thing.words} is in no step, and nobody brought it: {text!r}"
                    yield Fault(position, detail, entity=thing.name)
        named |= word_set_of(text)


def _put_in_place(text: str, original: str) -> Iterator[NamedThing]:
    """Yield the things of a text that does the step's act where the step has another thing."""
    words = word_set_of(text)
    gone = {(it.verb, it.slot) for it in named_things(original) if it.kin not in words}
    return (thing for thing in named_things(text) if (thing.verb, thing.slot) in gone)


@soft("A pronoun or a bare measure stands for nothing that was named.")
def pronoun_of_nothing(case: Case) -> Faults:
    """Example: 'Reach for the pair' of tweezers; 'Wipe them' where only a cup was named."""
    before = ""
    for position, row, text in case.shown:
        if row.mod in {Mod.ERROR, Mod.INSERTION}:
            for word in _words_of_nothing(text, before):
                yield Fault(position, f"{word!r} stands for nothing: {text!r}", entity=word)
        before = text


def _words_of_nothing(text: str, before: str) -> Iterator[str]:
    """Yield "the pair" without "of", and pronouns without a thing here or in the step before."""
    words = words_of(text)
    for at, word in enumerate(words):
        if word in WORDS.bare_measures and words[at + 1 : at + 2] != ("of",):
            yield from [word] if "the" in words[max(0, at - 2) : at] else []
        elif word in {"it", "them"}:
            names = [it.words for it in named_things(before) + named_things(text[: word.start])]
            if not names or (word == "them" and len(names) == 1 and not is_plural(names[0])):
                yield word
