"""Small extra actions that go wrong: what a slip is, and what puts it right again.

A slip is `text = repair`. A slot in braces is a thing of the scene near the place of the slip, of
one of the kinds that `slots.toml` gives it, or, for a surface, one that the place has anyway.
`[a/b]` says a slip in several ways, and its repair with it (`_ways_of`). No slip takes away what
later steps need. Written for PIE-V.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from generation.engine.rewriting.lexicon.domains import Domain, words_of_domain
from generation.engine.word_lists import load_words

# Stands for a thing of no known kind that is put to another one.
PIECE = "piece"


@dataclass(frozen=True, slots=True)
class Slip:
    """A mistaken extra action with slots, and the action that puts it right."""

    text: str
    repair: str


# A list of ways to say a part of a slip, and what stands between two of them.
_WAYS = re.compile(r"\[([^\]]*)\]")
WAY_SEPARATOR = "/"


@cache
def slips_of(domain: Domain) -> tuple[Slip, ...]:
    """Return the slips of a domain, each way of each; every domain can use the general ones."""
    return tuple(slip for line in words_of_domain(domain).slips.items() for slip in _ways_of(*line))


@cache
def slot_kinds() -> dict[str, frozenset[str]]:
    """Return the kinds of things that fill a slot, by its name; blank for `surface` alone."""
    return load_words(Path(__file__).with_name("slots.toml"), dict[str, frozenset[str]])


def _ways_of(text: str, repair: str) -> Iterator[Slip]:
    """Yield a line of the word lists with one way of each of its lists.

    A list of the repair goes with the list of the text that is as long and shares most words.

    >>> [slip.repair for slip in _ways_of("Drop it [on a toe/in soup]", "Take it [off/out]")]
    ['Take it off', 'Take it out']
    """
    told, answers = _lists(text), _lists(repair)
    pairs = [_partner(answer, told) for answer in answers]
    for chosen in itertools.product(*(range(len(ways)) for ways in told)):
        mended = _said(
            repair, [answer[chosen[k]] for answer, k in zip(answers, pairs, strict=True)]
        )
        yield Slip(_said(text, [ways[k] for ways, k in zip(told, chosen, strict=True)]), mended)


def _lists(part: str) -> list[list[str]]:
    return [ways.split(WAY_SEPARATOR) for ways in _WAYS.findall(part)]


def _partner(answer: list[str], told: list[list[str]]) -> int:
    fitting = [k for k, ways in enumerate(told) if len(ways) == len(answer)]
    shared = {
        k: sum(bool(set(a.split()) & set(b.split())) for a, b in zip(answer, told[k], strict=True))
        for k in fitting
    }
    return max(fitting, key=shared.__getitem__)


def _said(part: str, ways: list[str]) -> str:
    order = iter(ways)
    return _WAYS.sub(lambda _: next(order), part).strip()
