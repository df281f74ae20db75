"""What a model's text says: one rule for all tasks, tolerant of dress and not of meaning.

In this order: nothing is no answer; a JSON object (a fence around it or words before it do not
matter) answers with its own field and nothing else; else the whole text, without markup and
punctuation, may be one of the choices; else exactly one of the choices may stand in it as whole
words, unless a "not" stands right before it. Everything else is not read, and the reason is kept.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.engine.task import Reading

SHOWN_CHARACTERS = 60
# So often an object is looked for behind a brace: each time takes longer the more text there is.
MOST_OPENINGS = 1000
NO_LIST = "no JSON object with a list of intervals"
_DRESS = re.compile(r"[*_`\"'“”‘’.,!?;:()\[\]#>-]+")
_NEGATION = re.compile(r"\b(?:not|no|isn t|never|n t)\s*(?:an?|the)?\s*$")
# A choice and its negation are no further apart.
_NEGATION_CHARACTERS = 40
# What thinks aloud in its answer ends so before it answers.
_THOUGHT_END = "</think>"
_THOUGHT = re.compile(f"<think>.*?{_THOUGHT_END}", re.DOTALL)


def json_object(text: str) -> Mapping[str, Any] | None:
    """The object that the text is or ends in, None where it has none."""
    text = _said(text).removesuffix("```").rstrip()
    decoder = json.JSONDecoder()
    end = 0
    for _ in range(MOST_OPENINGS):
        start = text.find("{", end)
        if start < 0:
            break
        try:
            found, end = decoder.raw_decode(text, start)
        except ValueError:
            # Not every brace opens an object: the next one may.
            end = start + 1
            continue
        if end == len(text):
            return dict(found)
    return None


def read_choice(
    text: str, choices: Sequence[str], *, field: str = "answer", score: str = ""
) -> Reading:
    """One of the choices as {"answer", "score"}; `score` names the field of an object that has it.

    >>> read_choice("**Yes.**", ("yes", "no")).value
    {'answer': 'yes', 'score': None}
    >>> read_choice("It could be yes or no", ("yes", "no")).reason
    'names 2 of the choices: yes, no'
    """
    plain = _said(text)
    if not plain:
        return Reading(None, "empty")
    found = json_object(text)
    if found is None:
        return _choice_in_words(plain, choices)
    given = found.get(field)
    by_name = {_plain(choice): choice for choice in choices}
    if isinstance(given, bool):
        given = "yes" if given else "no"
    answer = by_name.get(_plain(str(given))) if isinstance(given, str | int) else None
    if answer is None:
        return Reading(None, f"{field} is {_shown(given)}; expected one of {', '.join(choices)}")
    if not score or found.get(score) is None:
        return Reading({"answer": answer, "score": None})
    number = as_number(found[score])
    if number is None:
        return Reading(None, f"{score} is {_shown(found[score])}; expected a number")
    return Reading({"answer": answer, "score": number})


def read_text(text: str, *, field: str) -> Reading:
    """Free text as {"text"}: a field of an object, or the text itself where it is no object."""
    plain = _said(text)
    found = json_object(text)
    if found is not None:
        given = found.get(field)
        if not isinstance(given, str) or not given.strip():
            return Reading(None, f"{field} is {_shown(given)}; expected a text")
        return Reading({"text": given.strip()})
    if plain.startswith(("{", "[")):
        return Reading(None, f"broken JSON: {_shown(plain)}")
    return Reading({"text": plain}) if plain else Reading(None, "empty")


def as_number(given: object) -> float | None:
    """A finite number, None for anything else; true is no number."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    # A whole number of JSON may have more digits than any float.
    return float(given) if abs(given) <= sys.float_info.max else None


def _said(text: str) -> str:
    """A text without what was thought aloud; an end is looked for only where there is one left."""
    thought, end, answer = text.rpartition(_THOUGHT_END)
    return (_THOUGHT.sub("", thought + end) + answer).strip()


def _choice_in_words(text: str, choices: Sequence[str]) -> Reading:
    words = _plain(text)
    named = []
    # Longest first, so that "wrong action" is not found again inside "correct wrong action".
    rest = words
    for choice in sorted(choices, key=len, reverse=True):
        pattern = re.compile(rf"\b{re.escape(_plain(choice))}\b")
        if words == _plain(choice):
            return Reading({"answer": choice, "score": None})
        places = list(pattern.finditer(rest))
        if places:
            starts = [place.start() for place in places]
            if any(_NEGATION.search(rest, at - _NEGATION_CHARACTERS, at) for at in starts):
                return Reading(None, f"says “not {choice}”: {_shown(text)}")
            named.append(choice)
            rest = pattern.sub(" ", rest)
    if len(named) == 1:
        return Reading({"answer": named[0], "score": None})
    if named:
        listed = ", ".join(choice for choice in choices if choice in named)
        return Reading(None, f"names {len(named)} of the choices: {listed}")
    return Reading(None, f"names none of the choices: {_shown(text)}")


def _plain(text: str) -> str:
    return " ".join(_DRESS.sub(" ", text).casefold().split())


def _shown(given: object) -> str:
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)
    return repr(text[:SHOWN_CHARACTERS] + "…" if len(text) > SHOWN_CHARACTERS else text)
