"""Whether a written text is a mistake at all, and one that a person could make.

The checks know English words and no domain: they cannot tell whether a verb suits a thing, and
where the reader is unsure they are silent.
"""

import re
from collections.abc import Iterator

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.english.actions import Action, actions_of
from generation.engine.english.families import Family
from generation.engine.english.forms import is_plural, verb_base
from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.instructions import clause_of
from generation.engine.english.surface import as_words
from generation.engine.english.words import (
    compact,
    compact_text,
    kin,
    spans_of,
    word_set_of,
    words_of,
)
from generation.engine.judging.case import Case
from generation.engine.judging.check import Faults, soft
from generation.engine.judging.findings import Fault
from generation.engine.judging.words import WORDS

# Another type says itself what is a mistake: who is distracted looks out of the window.
_WORDED_TYPES = frozenset(
    {
        None,
        ErrorType.WRONG_EXECUTION.name,
        ErrorType.SUBSTITUTION.name,
        ErrorType.INSERTION.name,
    }
)
_PART = re.compile(r"\b(?:half|part|a third|a quarter) of (?:the |an? |your )?", re.IGNORECASE)
_WHOLE_ACTS = frozenset(
    {Family.OPEN, Family.SWITCH_ON, Family.SWITCH_OFF, Family.TIGHTEN, Family.MOVE}
)
_ORDER = re.compile(r"\border of ([a-z ,-]+)", re.IGNORECASE)
_LIST_JOINERS = re.compile(r"\s*(?:,\s*and\b|,|\band\b)\s*")


def _mistakes(case: Case) -> Iterator[tuple[int, str, str]]:
    """Yield position, text and original ("" for an extra step) of each worded mistake."""
    for position, row, text in case.shown:
        if row.mod in {Mod.ERROR, Mod.INSERTION} and row.error_type in _WORDED_TYPES:
            yield position, text, case.original_of(row) or ""


@soft("A mistake changes nothing that matters: it is a look or a touch, or says the same.")
def no_mistake(case: Case) -> Faults:
    """Example: 'Look at the cup', or 'Place two lids on it' for 'Put 2 lids on it'."""
    for position, text, original in _mistakes(case):
        actions = actions_of(text).actions
        is_reworded = compact_text(text) != compact_text(original)
        if original and is_reworded and _gist(text) == _gist(original):
            yield Fault(position, f"{text!r} says the same as {original!r}")
        elif actions and all(_is_idle(action, text, case) for action in actions):
            own = next(iter(actions_of(original).actions), None)
            # Where the step looks or presses, to look or press elsewhere may be a mistake.
            if own is None or not (
                own.predicate == actions[0].predicate
                or own.family is actions[0].family is Family.LOOK
            ):
                yield Fault(position, f"changes nothing that matters: {text!r}")


def _is_idle(action: Action, text: str, case: Case) -> bool:
    """Whether an action leaves everything as it was."""
    clause, verb = clause_of(text), action.predicate.partition("_")[0]
    body = WORDS.body & word_set_of(text)
    # "Press on the pan with a thumb", "rest an elbow on it"; pressing the dough does something.
    is_bare = not clause.object_phrase or bool(WORDS.body & word_set_of(clause.object_phrase))
    prepositions = {phrase.preposition for phrase in clause.phrases if phrase.words}
    return (
        action.family is Family.LOOK
        or (verb in WORDS.touching and "dry" not in words_of(text))
        or (verb in WORDS.leaning and is_bare and (bool(body) or verb == "LEAN"))
        or (verb == "SHAKE" and not _vessels(case) & {compact(head) for head in action.objects})
        # "Set the tool down out of reach": it lies somewhere, as it did before.
        or (
            action.family is Family.PLACE
            and "down" in words_of(text)
            and bool(prepositions)
            and prepositions <= WORDS.beside
        )
    )


def _vessels(case: Case) -> set[str]:
    """What holds something in a step: to shake it may spill or mix."""
    actions = (action for text in case.take.texts for action in actions_of(text).actions)
    places = (place for it in actions for place in (it.destination, it.origin, it.location))
    return {compact(place.head) for place in places if place is not None}


def _gist(text: str) -> tuple[str, ...]:
    """The words of a text without articles, verbs of getting as one, numbers as digits.

    Verbs of other families differ: to peel is not to cut, to lay not to stand.
    """
    families = {
        action.predicate.partition("_")[0]: str(action.family)
        for action in actions_of(text).actions
        if action.family is Family.ACQUIRE
    }
    words = (word for word in words_of(text) if word not in WORDS.no_gist)
    spelled = (GRAMMAR.preposition_spelling.get(word, word) for word in words)
    return tuple(
        families.get(verb_base(word).upper(), WORDS.digits.get(word, word)) for word in spelled
    )


@soft("An amount is one that the thing cannot have: part of one thing, or more than there are.")
def impossible_count(case: Case) -> Faults:
    """Example: 'Plug in only half of the heater', or 'all six plates' of three."""
    for position, text, original in _mistakes(case):
        if detail := _part_of_whole(text) or _too_many(text, original, case):
            yield Fault(position, f"{detail}: {text!r}")


def _part_of_whole(text: str) -> str:
    for part in _PART.finditer(text):
        for action in actions_of(text).actions:
            verb = action.predicate.partition("_")[0].removeprefix("RE")
            takes_wholes = (
                action.family in _WHOLE_ACTS
                or verb.lower() in GRAMMAR.joining_verbs
                or action.predicate in WORDS.done_to_wholes
            )
            for head in action.objects if takes_wholes else ():
                starts = [span.start for span in spans_of(text, head)]
                near = any(part.end() <= start <= part.end() + 30 for start in starts)
                if near and not is_plural(as_words(head)):
                    return (
                        f"{as_words(head)} is one thing, and a part of it cannot be {verb.lower()}"
                    )
    return ""


def _too_many(text: str, original: str, case: Case) -> str:
    """More than the procedure has, where the text says that they are there or lists them."""
    order = _ORDER.search(text)
    listed = 0 if order is None else len(_LIST_JOINERS.split(order[1].strip()))
    for count, thing, head in _counts(text):
        own = {number for number, other, _ in _counts(original) if other == thing}
        there = sum(
            n for step in case.take.texts for n, other, _ in _counts(step) if other == thing
        )
        start = spans_of(text, head)[0].first
        is_definite = start > 0 and words_of(text)[start - 1] in WORDS.all_there
        if count not in own and (1 < listed < count or (is_definite and 0 < there < count)):
            return f"there are only {listed or there} of {as_words(thing)}"
    return ""


def _counts(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield number, kin and head of each counted thing: (6, "plate", "six_plates")."""
    for action in actions_of(text).actions:
        for head in action.mentioned:
            first, _, thing = head.partition("_")
            number = WORDS.digits.get(first, first)
            if thing and number.isdigit() and spans_of(text, head):
                yield int(number), kin(thing), head
