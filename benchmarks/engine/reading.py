"""Read a model's answer, by one rule for all tasks: tolerant of formatting, strict about meaning.

In this order: an empty text is no answer; a JSON object (code fences and words around it do not
matter) answers with its field and nothing else; else the text has to state a choice, see
`benchmarks.engine.answers.statements`. Anything else is not read, and the reason is kept.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.engine.answers.statements import stated_choice, without_thoughts
from benchmarks.engine.task import Reading

# Raise it when the same text is read otherwise; answers that were read before keep their values.
# 2: a choice has to be stated, and is no longer read out of a sentence that contains its word.
READING_VERSION = 2
SHOWN_CHARACTERS = 60
# After how many braces to stop looking for an object: a text of braces alone takes quadratic time.
MOST_OPENINGS = 1000
NO_LIST = "no JSON object with a list of intervals"


def json_object(text: str) -> Mapping[str, Any] | None:
    """The JSON object that the text consists of or ends with, None where there is none."""
    text = without_thoughts(text).removesuffix("```").rstrip()
    return next((value for value, end in _objects_in(text) if end == len(text)), None)


def json_objects(text: str) -> Iterator[Mapping[str, Any]]:
    """Every JSON object in a text, wherever it stands."""
    for value, _ in _objects_in(without_thoughts(text)):
        yield value


def _objects_in(text: str) -> Iterator[tuple[dict[str, Any], int]]:
    """The JSON objects of a text one after the other, each with where it ends."""
    decoder = json.JSONDecoder()
    end = 0
    for _ in range(MOST_OPENINGS):
        start = text.find("{", end)
        if start < 0:
            return
        try:
            value, end = decoder.raw_decode(text, start)
        except ValueError:
            # Not every brace opens an object: try the next.
            end = start + 1
        else:
            yield value, end


def read_choice(
    text: str, choices: Sequence[str], *, field: str = "answer", score: str = ""
) -> Reading:
    """One of the choices as {"answer", "score"}; `score` is the name of the object's score field.

    >>> read_choice("**Yes.**", ("yes", "no")).value
    {'answer': 'yes', 'score': None}
    >>> read_choice("It was done with no problems.", ("yes", "no")).reason
    "says none of the choices clearly: 'It was done with no problems.'"
    """
    plain = without_thoughts(text)
    if not plain:
        return Reading(None, "empty")
    answer_object = json_object(text) or _object_with(field, plain)
    if answer_object is None:
        return _said(plain, choices)
    by_field = {name.casefold(): entry for name, entry in answer_object.items()}
    named = by_field.get(field.casefold())
    if isinstance(named, bool):
        named = "yes" if named else "no"
    answer = stated_choice(str(named), choices)[0] if isinstance(named, str | int) else None
    if answer is None:
        return Reading(None, f"{field} is {_shown(named)}; expected one of {', '.join(choices)}")
    if not score or answer_object.get(score) is None:
        return Reading({"answer": answer, "score": None})
    number = as_number(answer_object[score])
    if number is None:
        return Reading(None, f"{score} is {_shown(answer_object[score])}; expected a number")
    return Reading({"answer": answer, "score": number})


def _object_with(field: str, text: str) -> Mapping[str, Any] | None:
    """The only object with the field in a text that goes on after it, None where there are more."""
    objects = [value for value, _ in _objects_in(text) if field in value]
    return objects[0] if len(objects) == 1 else None


def _said(text: str, choices: Sequence[str]) -> Reading:
    answer, others = stated_choice(text, choices)
    if answer is not None:
        return Reading({"answer": answer, "score": None})
    if others:
        listed = ", ".join(choice for choice in choices if choice in others)
        return Reading(None, f"names {len(others)} of the choices: {listed}")
    return Reading(None, f"says none of the choices clearly: {_shown(text)}")


def read_text(text: str, *, field: str) -> Reading:
    """Free text as {"text"}: the field of an object, or the whole text where it is no object."""
    plain = without_thoughts(text)
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


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return repr(text[:SHOWN_CHARACTERS] + "…" if len(text) > SHOWN_CHARACTERS else text)
