"""Read a model's answer, by one rule for all tasks: tolerant of formatting, strict about meaning.

In this order: an empty text is no answer; a JSON object (code fences and words before it do not
matter) answers with its field and nothing else; else the whole text, without markup and
punctuation, may be one of the choices; else exactly one of the choices may occur in it as whole
words, unless a "not" comes right before it. Anything else is not read, and the reason is kept.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.engine.task import Reading

SHOWN_CHARACTERS = 60
# After how many braces to stop looking for an object: a text of braces alone takes quadratic time.
MOST_OPENINGS = 1000
NO_LIST = "no JSON object with a list of intervals"
_MARKUP = re.compile(r"[*_`\"'“”‘’.,!?;:()\[\]#>-]+")
_NEGATION = re.compile(r"\b(?:not|no|isn t|never|n t)\s*(?:an?|the)?\s*$")
# How far before a choice its negation is looked for.
_NEGATION_CHARACTERS = 40
# Models that think in the answer itself mark the end of it like this.
_THOUGHT_END = "</think>"
_THOUGHT = re.compile(f"<think>.*?{_THOUGHT_END}", re.DOTALL)


def json_object(text: str) -> Mapping[str, Any] | None:
    """The JSON object that the text consists of or ends with, None where there is none."""
    text = _without_thoughts(text).removesuffix("```").rstrip()
    decoder = json.JSONDecoder()
    end = 0
    for _ in range(MOST_OPENINGS):
        start = text.find("{", end)
        if start < 0:
            break
        try:
            value, end = decoder.raw_decode(text, start)
        except ValueError:
            # Not every brace opens an object: try the next.
            end = start + 1
            continue
        if end == len(text):
            return dict(value)
    return None


def read_choice(
    text: str, choices: Sequence[str], *, field: str = "answer", score: str = ""
) -> Reading:
    """One of the choices as {"answer", "score"}; `score` is the name of the object's score field.

    >>> read_choice("**Yes.**", ("yes", "no")).value
    {'answer': 'yes', 'score': None}
    >>> read_choice("It could be yes or no", ("yes", "no")).reason
    'names 2 of the choices: yes, no'
    """
    plain = _without_thoughts(text)
    if not plain:
        return Reading(None, "empty")
    answer_object = json_object(text)
    if answer_object is None:
        return _choice_in_words(plain, choices)
    named = answer_object.get(field)
    by_name = {_plain(choice): choice for choice in choices}
    if isinstance(named, bool):
        named = "yes" if named else "no"
    answer = by_name.get(_plain(str(named))) if isinstance(named, str | int) else None
    if answer is None:
        return Reading(None, f"{field} is {_shown(named)}; expected one of {', '.join(choices)}")
    if not score or answer_object.get(score) is None:
        return Reading({"answer": answer, "score": None})
    number = as_number(answer_object[score])
    if number is None:
        return Reading(None, f"{score} is {_shown(answer_object[score])}; expected a number")
    return Reading({"answer": answer, "score": number})


def read_text(text: str, *, field: str) -> Reading:
    """Free text as {"text"}: the field of an object, or the whole text where it is no object."""
    plain = _without_thoughts(text)
    answer_object = json_object(text)
    if answer_object is not None:
        words = answer_object.get(field)
        if not isinstance(words, str) or not words.strip():
            return Reading(None, f"{field} is {_shown(words)}; expected a text")
        return Reading({"text": words.strip()})
    if plain.startswith(("{", "[")):
        return Reading(None, f"broken JSON: {_shown(plain)}")
    return Reading({"text": plain}) if plain else Reading(None, "empty")


def as_number(value: object) -> float | None:
    """A finite number, None for anything else, booleans included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # A whole number in JSON may be larger than any float.
    return float(value) if abs(value) <= sys.float_info.max else None


def _without_thoughts(text: str) -> str:
    """The text without its thoughts."""
    # Only up to the last end mark: without one the pattern would search the rest at every start.
    thought, end, answer = text.rpartition(_THOUGHT_END)
    return (_THOUGHT.sub("", thought + end) + answer).strip()


def _choice_in_words(text: str, choices: Sequence[str]) -> Reading:
    words = _plain(text)
    mentioned = []
    # Longest first, so that "wrong action" is not counted again inside "correct wrong action".
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
            mentioned.append(choice)
            rest = pattern.sub(" ", rest)
    if len(mentioned) == 1:
        return Reading({"answer": mentioned[0], "score": None})
    if mentioned:
        listed = ", ".join(choice for choice in choices if choice in mentioned)
        return Reading(None, f"names {len(mentioned)} of the choices: {listed}")
    return Reading(None, f"names none of the choices: {_shown(text)}")


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text).casefold().split())


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return repr(text[:SHOWN_CHARACTERS] + "…" if len(text) > SHOWN_CHARACTERS else text)
