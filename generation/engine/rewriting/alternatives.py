"""Which things could be taken for the right one at a step.

Things of the procedure come first where the person could really have them: named before, and of
the same kind. Things of the word lists come in where the right thing is not something that one
has to get, or where it is just being got.
"""

import itertools
import re
from dataclasses import dataclass

from generation.engine.english.families import WORKING, Family
from generation.engine.english.forms import is_plural, singular
from generation.engine.english.surface import as_head, as_words
from generation.engine.english.words import Noun, compact, kin, names, spans_of, words_of
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import Match, recognise, same_kind
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.semrep import Role
from generation.engine.semrep.lexicon import QUANTITY_WORDS
from generation.engine.word_lists import word_set

# Things that a place has anyway: nobody gets them before they are used.
AMBIENT_KINDS = word_set(
    "surface storage hob control basin tap bin body limb skin hand sign heat hole nostril wheel "
    "tyre tube brake valve drive fastener release person cover plant wound jewel rim link debris "
    "page supply iron reading date chart shelf cap sticky"
) | {"frame part", "plant part", "office device"}
_ON_ANY_FOOD = WORKING | {Family.CLEAN, Family.ADD}
# Nothing but water comes from these.
_TAPS = ("tap", "faucet", "sink", "dispenser")
# What a text calls pepper and cuts is no spice.
_UNCUT = frozenset({"spice", "seasoning", "powder", "liquid", "water", "oil", "sauce", "drink"})
# What is beaten has to be soft.
_BEATEN = frozenset({"egg", "batter", "salad", "starch", "cooked", "dough"})
_BEATING = frozenset({"WHISK", "BEAT", "MIX", "BLEND", "KNEAD"})
# What is taken from, or away, has to be there.
_FROM_ITS_PLACE = frozenset({Family.TAKE_OUT, Family.RELEASE, Family.DISPOSE})
_PLACE_ROLES = (Role.LOCATION, Role.DESTINATION)
# Kinds that are stirred, cut, heated and washed alike; in the order in which they are offered.
FOOD_KINDS = (
    "vegetable", "leaf", "starch", "egg", "batter", "fish", "aromatic", "cooked", "salad", "fruit",
    "cherry",
)  # fmt: skip
PACKAGING = frozenset({"packaging", "jar"})
# Food in these roles is what something is added to: it has to be there, as it has for all work.
_FLUID_KINDS = ("liquid", "drink", "dough")
_TARGET_ROLES = frozenset({Role.COOBJECT, Role.DESTINATION, Role.LOCATION})
# Words before a thing that say how it was prepared; they go with its substitute too.
PREPARATIONS = word_set(
    "chopped diced sliced cut peeled grated minced shredded boiled beaten cooked fresh dried "
    "washed crushed remaining used small large"
)
# Words for how a thing looks; it is that thing all the same.
_LOOKS = word_set(
    "red green blue yellow white black brown clear plastic wooden metal paper big new old"
)
# Words between "rest" and what it is the rest of: "of the".
REST_REACH = 3


_DIGIT = re.compile(r"\d")
_QUANTITY = re.compile(r"^(?:(?:\d[\d/.]*|one|two|three|four|half|some|any|each|both) )+")


@dataclass(frozen=True, slots=True)
class Alternative:
    """A thing for another one; `is_at_hand` where the person could have it at the step."""

    noun: Noun
    is_at_hand: bool


def alternatives(
    scene: Scene, step: SceneStep, text: str, role: str, head: str
) -> tuple[Alternative, ...]:
    """The things that could stand for `head` in a role, the procedure's own first.

    Nothing that `text`, the step as it reads so far, names already.
    """
    match = recognise(head, scene.domain)
    if match is None or _is_named_after(match, scene):
        return tuple(
            item
            for item in _by_role(scene, step, role, head)
            if not names(text, item.noun.words) and not _is_back_there(scene, step, text, item)
        )
    if _is_the_only_one(step, text, role, head, match):
        return ()
    is_acquired = step.family is Family.ACQUIRE and role == Role.OBJECT
    is_worked_on = role in _TARGET_ROLES or step.family in WORKING
    is_target = is_worked_on and match.kind.name in (*FOOD_KINDS, *_FLUID_KINDS)
    is_moved = Role.ORIGIN in step.heads_by_role and step.family is not Family.ACQUIRE
    is_taken_off = role == Role.OBJECT and (step.family in _FROM_ITS_PLACE or is_moved)
    # Once the thing was acquired, only what was got is there.
    is_got = scene.possession.is_acquired_before(head, step.index)
    is_there_anyway = is_acquired or match.kind.name in AMBIENT_KINDS
    is_free = is_there_anyway or not (is_target or is_taken_off or is_got)
    own = [] if is_acquired else _own_things(scene, step, head, match)
    own = [item for item in own if not _is_back_there(scene, step, text, item)]
    listed = _other_packages(scene, match) if match.kind.name in PACKAGING else []
    if not listed and not _is_what_is_left(text, head):
        listed = [
            Alternative(
                _prepared(noun, match),
                is_at_hand=is_free and scene.possession.is_at_hand(as_head(noun.words), step.index),
            )
            for noun in same_kind(head, scene.domain, str(step.family))
            if not (is_acquired and compact(noun.words) in scene.first_named)
        ]
    if not own and not is_free:
        own = _other_food(scene, step, head, match)
    if role == Role.ORIGIN and step.family is Family.TAKE_OUT:
        own, listed = ([i for i in items if _holds(scene, step, i)] for items in (own, listed))
    found: dict[str, Alternative] = {}
    for item in (*own, *listed):
        is_there = " the " not in item.noun.words and any(
            not _differs(item.noun.words, named) for named in step.heads
        )
        if not is_there and not names(text, item.noun.words):
            found.setdefault(compact(item.noun.words), item)
    return tuple(found.values())


def _is_named_after(match: Match, scene: Scene) -> bool:
    """Whether the thing is called by what it does with another: a battery box is no box."""
    own = set(match.before.split()) - PREPARATIONS - _LOOKS
    return bool(own) and scene.domain is Domain.GENERAL and match.kind.name == "storage"


def _is_the_only_one(step: SceneStep, text: str, role: str, head: str, match: Match) -> bool:
    """Whether nothing of the kind could stand for the thing where the step names it."""
    kind = match.kind.name
    if step.family is Family.CUT and kind in _UNCUT and role == Role.OBJECT:
        return True
    if kind == "tube":
        return names(text, "air")  # Nothing else at a bicycle holds it.
    if kind == "water":
        return any(names(text, tap) for tap in _TAPS)
    if kind == "lid":  # "The lid of the kettle".
        return any(text[span.end :].startswith(" of ") for span in spans_of(text, head))
    return kind == "heat" and role != Role.OBJECT


def _holds(scene: Scene, step: SceneStep, place: Alternative) -> bool:
    """Whether what the step takes can be there."""
    head = step.object_head
    return head is None or scene.possession.can_be_at(head, [as_head(place.noun.words)], step.index)


def _is_back_there(scene: Scene, step: SceneStep, text: str, item: Alternative) -> bool:
    """Whether the text would put a thing back where it is."""
    if not names(text, "back"):
        return False
    thing, there = kin(as_head(item.noun.words)), _places_named(step)
    moves = (
        other
        for other in reversed(scene.steps[: step.index])
        if other.object_head is not None and kin(other.object_head) == thing
    )
    return any(_places_named(move) & there for move in itertools.islice(moves, 1))


def _places_named(step: SceneStep) -> set[str]:
    return {kin(head) for role in _TARGET_ROLES for head in step.heads_by_role.get(role, ())}


def _is_what_is_left(text: str, head: str) -> bool:
    """Whether the text speaks of the rest of a thing: there is no rest of another."""
    words = words_of(text)
    return any(
        "rest" in set(words[max(0, span.first - REST_REACH) : span.first])
        for span in spans_of(text, head)
    )


def _other_packages(scene: Scene, match: Match) -> list[Alternative]:
    """The same package of something else: the salt bag for the sugar bag."""
    return [
        Alternative(Noun(f"{noun.words} {match.thing}"), is_at_hand=True)
        for noun in same_kind(match.before.replace(" ", "_"), scene.domain)
    ]


def _other_food(scene: Scene, step: SceneStep, head: str, match: Match) -> list[Alternative]:
    """Food at hand of whatever kind, for work that is done on any food."""
    if match.kind.name not in FOOD_KINDS or step.family not in _ON_ANY_FOOD:
        return []
    return [
        Alternative(noun_of_match(other, found), is_at_hand=True)
        for kind in FOOD_KINDS
        if kind in _BEATEN or step.tree is None or step.tree.predicate not in _BEATING
        for other in scene.heads_by_kind.get(kind, ())
        if (found := recognise(other, scene.domain)) is not None and _is_there(scene, other, step)
    ]


def _is_there(scene: Scene, other: str, step: SceneStep) -> bool:
    """Whether the person has the thing at the step, and where the step works."""
    if not scene.is_named_before(other, step.index):
        return False
    if not scene.possession.is_at_hand(other, step.index):
        return False
    if step.family not in WORKING:
        return True
    places = [head for role in _PLACE_ROLES for head in step.heads_by_role.get(role, ())]
    nested = step.heads_by_role.get(Role.OBJECT, ())[1:]
    return scene.possession.can_be_at(other, (*places, *nested), step.index)


def _own_things(scene: Scene, step: SceneStep, head: str, match: Match) -> list[Alternative]:
    is_ambient = match.kind.name in AMBIENT_KINDS
    return [
        Alternative(noun_of_match(other, match), is_at_hand=True)
        for other in scene.heads_by_kind.get(match.kind.name, ())
        if (found := recognise(other, scene.domain)) is not None
        and found.thing != match.thing
        and _differs(other, head)
        and (is_ambient or _is_there(scene, other, step))
    ]


def noun_of_match(head: str, match: Match) -> Noun:
    """A recognised thing as a noun, in the singular unless it has none."""
    words = _QUANTITY.sub("", as_words(head))
    if match.kind.is_mass:
        return Noun(words, is_mass=True, is_plural_only=is_plural(words))
    return Noun(singular(words))


def _prepared(noun: Noun, match: Match) -> Noun:
    before = " ".join(word for word in match.before.split() if word in PREPARATIONS)
    if not before:
        return noun
    return Noun(f"{before} {noun.words}", noun.is_mass, noun.is_plural_only)


def _by_role(scene: Scene, step: SceneStep, role: str, head: str) -> tuple[Alternative, ...]:
    """What filled the role in other steps; for a thing of which no kind is known."""
    found: dict[str, Alternative] = {}
    predicate = None if step.tree is None else step.tree.predicate
    for other in scene.steps:
        if other.tree is None or other is step or other.tree.predicate != predicate:
            continue
        for named in other.heads_by_role.get(role, ())[:1]:
            is_counted = named.partition("_")[0] in QUANTITY_WORDS or _DIGIT.search(named)
            if is_counted or not _differs(named, head):
                continue
            if recognise(named, scene.domain) is None:
                is_at_hand = _is_there(scene, named, step)
                noun = Noun(as_words(named), is_plural_only=is_plural(as_words(named)))
                found.setdefault(compact(named), Alternative(noun, is_at_hand=is_at_hand))
    return tuple(found.values())


def _differs(one: str, other: str) -> bool:
    """Whether neither name contains the other: a bowl is no mistake for a mixing bowl."""
    first, second = compact(one), compact(other)
    return first not in second and second not in first
