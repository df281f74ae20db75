"""What a person has at hand at a step: the things named around it, and what can be done with each.

What can be done with a thing follows from what the procedure does with it: what is picked up can be
dropped, what is poured can be spilled, what is screwed on can be touched. Nouns and kinds whose
sort is clear from the word itself are listed in `lexicon/sorts.toml`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path

from generation.engine.english.forms import (
    can_be_noun,
    is_base_verb,
    is_gerund,
    is_participle,
    is_plural,
)
from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.instructions import PHRASE_ENDS, thing_of
from generation.engine.english.surface import as_head, as_words
from generation.engine.english.words import kin, spans_of, words_of
from generation.engine.rewriting.alternatives import PREPARATIONS
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import is_of_domain, recognise
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.semrep import Role
from generation.engine.word_lists import load_words, word_set

# How many steps before and after name what is around.
STEPS_BACK, STEPS_AHEAD = 8, 3
_THINGS = frozenset(
    {Role.OBJECT, Role.COOBJECT, Role.INSTRUMENT, Role.ORIGIN, Role.PATH, Role.CONTENT,
     Role.DESTINATION, Role.LOCATION}
)  # fmt: skip
# A thing is filled, covered or wetted with something that is no tool.
_NO_TOOLS_OF = frozenset({"FILL", "COVER", "WET", "SEAL", "TOP", "COAT", "MIX", "PRIME"})
# What may stand before a part of the body.
_OF_BODIES = word_set(
    "left right upper lower inner outer other bare injured hurt own index wet dry"
)
# After these a bare word that can be a verb is a verb: "add the beans and simmer", "bend to check".
_BEFORE_VERBS = word_set("and or then to")
# What is misread as a thing: "crush each flat", "in case no wires hang there".
_NO_HEADS = word_set("the it") | GRAMMAR.quantifiers | GRAMMAR.predeterminers
_NO_BEGINNINGS = PHRASE_ENDS | GRAMMAR.negations
# "Respiration", "thickness".
_NO_THING = re.compile(r"(?:ation|ssion|ness|ility|ance|ence|ship)s?$")


class Sort(StrEnum):
    """What can be done with a thing; a plain `THING` can only be touched."""

    BODY = "body"
    BEING = "being"
    LIQUID = "liquid"
    STUFF = "stuff"
    CLOTH = "cloth"
    SHEET = "sheet"
    VESSEL = "vessel"
    TOOL = "tool"
    HELD = "held"
    FIXED = "fixed"
    FLAT = "flat"
    THING = "thing"
    NOTHING = "nothing"


# Sorts of things that a hand can carry unless they are fastened to something.
CARRIED = frozenset({Sort.CLOTH, Sort.SHEET, Sort.VESSEL, Sort.TOOL, Sort.HELD})


@dataclass(frozen=True, slots=True)
class Sorts:
    """`sorts.toml`: nouns and kinds by sort, verbs by the sort or new state of their object.

    A thing is `wet` or `hot` until it is `dry`, and `fixed` until it is `loose`.
    """

    nouns: dict[Sort, frozenset[str]]
    kinds: dict[Sort, frozenset[str]]
    verbs: dict[Sort, frozenset[str]]
    states: dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing in the words of its procedure, with the state that it is in: "wet towel".

    `is_fixed` if it is attached to another thing, so that it can only be touched.
    """

    words: str
    sort: Sort
    step_index: int
    is_fixed: bool


@cache
def sorts() -> Sorts:
    """Raises `WordListError` if the file is wrong."""
    return load_words(Path(__file__).parent / "lexicon" / "sorts.toml", Sorts)


@cache
def _sort_by_noun() -> dict[str, Sort]:
    return {kin(noun): sort for sort, nouns in sorts().nouns.items() for noun in nouns}


def things_at_hand(
    scene: Scene, index: int, deleted: frozenset[int] = frozenset()
) -> tuple[Thing, ...]:
    """What a person could use right before step `index`, the nearest first.

    `deleted` are steps that are left out: what they do to things does not happen.
    """
    around = scene.steps[max(0, index - STEPS_BACK) : index + STEPS_AHEAD + 1]
    things: dict[str, Thing] = {}
    for step in sorted(around, key=lambda step: abs(step.index - index)):
        for role, head in _heads(step):
            words = _in_words_of_step(step.text, head)
            name = as_head(words)
            actions = [
                (other.index, other.tree.predicate.lower())
                for other in around
                if other.tree is not None and other.index not in deleted and _acts_on(other, name)
            ]
            # "The chopped tomato" before it is chopped.
            first = words.partition(" ")[0]
            is_prepared = first in PREPARATIONS or is_participle(first)
            is_to_come = step.index >= index and is_prepared
            if words in things or is_to_come or not scene.possession.is_at_hand(head, index):
                continue
            sort = _sort(step, role, name, scene.domain, {verb for _, verb in actions})
            first_at, first_verb = actions[0] if actions else (-1, "")
            does_not_exist_yet = first_at >= index and first_verb in sorts().states["made"]
            if sort is Sort.NOTHING or does_not_exist_yet:
                continue
            is_fixed, state = _state_before(index, actions)
            is_fixed = is_fixed and sort in CARRIED
            things[words] = Thing(
                words=f"{state} {words}" if state and state not in words.split() else words,
                sort=Sort.THING if is_fixed else sort,
                step_index=step.index,
                is_fixed=is_fixed,
            )
    return tuple(things.values())


def _acts_on(step: SceneStep, thing: str) -> bool:
    """Whether the step may act on this very thing: blade and old blade, not old and new blade."""
    named = step.object_head
    if named is None or kin(named) != kin(thing):
        return False
    return named.endswith(thing) or thing.endswith(named)


def _heads(step: SceneStep) -> Iterator[tuple[str, str]]:
    for role, heads in step.heads_by_role.items():
        for head in heads if role in _THINGS else ():
            # The analyser sometimes misreads "tomatoes cut-side down" and "over the back".
            first = head.partition("_")[0]
            is_thing = "&" not in head and head not in _NO_HEADS and len(kin(head)) > 1
            if is_thing and first not in _NO_BEGINNINGS:
                yield role, head


@lru_cache(maxsize=20_000)
def _in_words_of_step(text: str, head: str) -> str:
    """A thing in the words of its step: without how much of it, with its capitals."""
    spans = spans_of(text, head)
    words = text[spans[0].start : spans[0].end] if spans else as_words(head)
    is_code = any(letter.isupper() for letter in words[1:])
    words = " ".join(takewhile(lambda word: word not in PHRASE_ENDS, words.split())) or words
    # Of "the mug's contents" the mug is at hand.
    words = words.removesuffix("'s").removesuffix("’s")
    before, _, last = words.rpartition(" ")
    if before and is_participle(last.lower()):
        words = before  # "With the spoon wedged under it."
    return thing_of(words if is_code else words.lower()).removeprefix("the ").removeprefix("both ")


def _sort(step: SceneStep, role: str, head: str, domain: Domain, verbs: set[str]) -> Sort:
    listed = _listed_sort(head, domain)
    if listed is not None:
        return listed
    last = head.rpartition("_")[2]
    is_no_noun = not can_be_noun(last) or last in GRAMMAR.units_of_length | GRAMMAR.number_words
    if is_no_noun or is_gerund(head) or _NO_THING.search(head) or _is_verb(step.text, head):
        return Sort.NOTHING
    by_verb = [sort for sort in (Sort.HELD, Sort.LIQUID, Sort.STUFF) if verbs & sorts().verbs[sort]]
    if by_verb and (by_verb[0] is Sort.HELD or not is_plural(head)):
        return by_verb[0]
    predicate = "" if step.tree is None else step.tree.predicate.partition("_")[0]
    if role == Role.INSTRUMENT and predicate not in _NO_TOOLS_OF:
        return Sort.TOOL
    return Sort.THING


def _is_verb(text: str, head: str) -> bool:
    """Whether the word read as a thing is really another verb of the step."""
    words, spans = words_of(text), spans_of(text, head)
    first = spans[0].first if spans and is_base_verb(head) else 0
    return first > 0 and words[first - 1] in _BEFORE_VERBS


@lru_cache(maxsize=20_000)
def _listed_sort(head: str, domain: Domain) -> Sort | None:
    """The sort by the word alone: by the domain's list first, then by noun, then by kind."""
    match = recognise(head, domain)
    kind, kinds_by_sort = match and match.kind.name, sorts().kinds.items()
    by_kind = next((sort for sort, kinds in kinds_by_sort if kind in kinds), None)
    if is_of_domain(head, domain):
        return by_kind
    by_noun = _sort_by_noun().get(kin(head))
    if by_noun is Sort.BODY and not set(head.split("_")[:-1]) <= _OF_BODIES:
        by_noun = None  # "The wiper arm", "the drum head".
    return by_noun or by_kind


def _state_before(index: int, actions: list[tuple[int, str]]) -> tuple[bool, str]:
    """Whether a thing is attached to another before a step, and its state: wet, hot or none."""
    states, state, is_fixed = sorts().states, "", None
    for verb in (verb for at, verb in actions if at < index):
        new = next((name for name in ("wet", "hot", "dry") if verb in states[name]), state)
        state = "" if new == "dry" else new
        if verb in states["fixed"] or verb in states["loose"]:
            is_fixed = verb in states["fixed"]
    if is_fixed is None:
        # What is loosened later is still attached.
        is_fixed = next((verb for at, verb in actions if at >= index), "") in states["loose"]
    return is_fixed, state
