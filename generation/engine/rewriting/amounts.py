"""Wrong amounts: other numbers for those of a step, and only some of what it names.

A measure or a time may be doubled or halved. Of counted things there may be no more than the
procedure has, so that one is left out; one is added only where an act makes or adds things.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from generation.engine.english.forms import is_plural, plural, singular
from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.things import NamedThing
from generation.engine.english.tokens import instruction_of
from generation.engine.word_lists import word_set

_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = re.compile(
    r"(?<![\w/.-])(?P<first>\d+/\d+|\d+(?:\.\d+)?)(?:(?P<dash>\s*[-–]\s*|\s+to\s+)(?P<last>\d+))?"
    r"(?P<gap>[ -]?)(?P<unit>[a-zA-Z°%]+)\b(?!-)"
)
_COUNT = re.compile(rf"(?<![\w-])(?P<number>\d+|{'|'.join(_WORDS)}) (?=[a-z])", re.IGNORECASE)
_UNITS = GRAMMAR.units_of_measure | GRAMMAR.units_of_time | GRAMMAR.units_of_length
_MORE_UNITS = word_set("percent kg lb psi bar km hz w degrees wide hr hrs")
_ABBREVIATIONS = word_set(
    "ml l g kg mm cm m tsp tbsp oz lb sec min hr psi bar km hz w wide percent °c"
)
_FACTORS = (Fraction(2), Fraction(1, 2), Fraction(3))
# "Roll five times": of what is not counted by the thing.
_MAX_COUNT = 9
_SIZE = re.compile(r" (?:thick|wide|long|deep|high|tall)\b")
_AFTER_LENGTH = re.compile(r"[.,;)]|$| (?:apart|from|above|below|off|away|into|of|to|on|and)\b")


@dataclass(frozen=True, slots=True)
class OtherAmount:
    """A text with another amount: `wrong` replaces `right` at position `at`."""

    text: str
    right: str
    wrong: str
    at: int


def other_measures(text: str) -> Iterator[OtherAmount]:
    """Yield the text with a measure or a time twice, half or three times as large.

    >>> [item.wrong for item in other_measures("Bake it for 20 minutes")]
    ['40 minutes', '10 minutes', '60 minutes']
    """
    for match in _NUMBER.finditer(instruction_of(text)):
        unit = match["unit"].lower()
        is_choice = text[: match.start()].endswith(" or ") or text[match.end() :].startswith(" or ")
        is_name = match["gap"] == "-" and not match["dash"]  # "A 6-oz. ramekin cup."
        if unit not in _UNITS | _MORE_UNITS or is_name or is_choice:
            continue
        sized = _SIZE.match(text, match.end())
        if (
            unit in GRAMMAR.units_of_length
            and sized is None
            and not _AFTER_LENGTH.match(text, match.end())
        ):
            continue  # "An 8 inch tortilla."
        for factor in _FACTORS[: 1 if "/" in match["first"] else None]:
            numbers = [_times(item, factor) for item in (match["first"], match["last"]) if item]
            if None in numbers:
                continue
            is_one = numbers[-1] == "1" or "/" in str(numbers[-1])
            written = singular(match["unit"]) if is_one else _plural_unit(match["unit"])
            if sized is not None:
                written = match["unit"]
            wrong = f"{(match['dash'] or '').join(map(str, numbers))}{match['gap']}{written}"
            changed = text[: match.start()] + wrong + text[match.end() :]
            yield OtherAmount(changed, match.group(), wrong, match.start())


def _times(number: str, factor: Fraction) -> str | None:
    """The number times the factor, None if it is no handy one."""
    value = Fraction(number) * factor
    if value.denominator == 1:
        return str(value.numerator)
    if "." in number:
        return f"{float(value):g}"
    if value.denominator > 8 or (factor < 1 and "/" not in number):
        return None
    whole, rest = divmod(value.numerator, value.denominator)
    return f"{whole} {rest}/{value.denominator}" if whole else f"{rest}/{value.denominator}"


def _plural_unit(unit: str) -> str:
    return unit if unit.lower() in _ABBREVIATIONS else plural(unit)


def other_counts(text: str, thing: NamedThing, *, can_be_more: bool) -> Iterator[OtherAmount]:
    """Yield the text with one less of a counted thing, or one more if there can be more."""
    match = _COUNT.match(instruction_of(text), thing.start)
    match = match or _COUNT.search(instruction_of(text), thing.start, thing.noun_start)
    if match is None or match.end() != thing.noun_start or " of " in thing.words:
        return
    word = match["number"].lower()
    number = int(word) if word.isdigit() else _WORDS.index(word) + 1
    if re.search(r"\b(?:order|them|each|respectively)\b", text):
        return
    is_definite = thing.before.lower().split()[0] in GRAMMAR.determiners | {"other"}
    if not 1 <= number <= _MAX_COUNT or (number > 1) is not is_plural(thing.words):
        return
    others = [number - 1] if number > 1 else []
    others += [number + 1] if can_be_more and not is_definite else []
    for other in others:
        written = str(other) if word.isdigit() else _WORDS[other - 1]
        written = written.capitalize() if match["number"][0].isupper() else written
        words = singular(thing.words) if other == 1 else plural(thing.words)
        if is_definite and other == 1:
            continue  # "The other one strand."
        changed = text[: match.start()] + f"{written} {words}" + text[thing.end :]
        right = f"{match['number']} {thing.words}"
        yield OtherAmount(changed, right, f"{written} {words}", match.start())


def only_some(text: str, thing: NamedThing, *, are_counted: bool) -> Iterator[OtherAmount]:
    """Yield the text with only some of several things, or all but one of them."""
    if thing.before.lower() != "the" or not thing.is_plural or thing.head in GRAMMAR.plural_only:
        return
    is_counted = are_counted and thing.head.endswith("s")
    for wrong in ("only some of the", *(("all but one of the",) if is_counted else ())):
        changed = text[: thing.start] + wrong + " " + text[thing.noun_start :]
        yield OtherAmount(changed, thing.words, f"{wrong} {thing.words}", thing.start)


def too_much(text: str, thing: NamedThing) -> Iterator[OtherAmount]:
    """Yield the text with too much or too little of a substance that is added."""
    is_bare = thing.before.lower() in {"", "the", "some", "a little"}
    if not is_bare or " of " in thing.words:
        return
    words = ("too many", "too few") if thing.is_plural else ("too much", "too little")
    of_the = " of the" if thing.before.lower() == "the" else ""
    for wrong in (word + of_the for word in words):
        changed = text[: thing.start] + f"{wrong} {thing.words}" + text[thing.end :]
        yield OtherAmount(changed, thing.words, f"{wrong} {thing.words}", thing.start)
