"""Which things could be confused with the right one at a step.

Things of the procedure come first if the person could really have them: named before, and of the
same kind. Things of the word lists are used if the right thing need not be fetched, or if this
step fetches it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from generation.engine.english.families import WORKING, Family
from generation.engine.english.forms import is_plural, singular
from generation.engine.english.surface import as_head, as_words
from generation.engine.english.words import Noun, compact, kin, mentions
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import KINDS, Match, recognise, same_kind
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.semrep import Role
from generation.engine.word_lists import word_set

_ON_ANY_FOOD = WORKING | {Family.CLEAN, Family.ADD}
_BEATING = frozenset({"WHISK", "BEAT", "MIX", "BLEND", "KNEAD"})
# What is taken out or away has to be there.
_FROM_ITS_PLACE = frozenset({Family.TAKE_OUT, Family.RELEASE, Family.DISPOSE})
_PLACE_ROLES = (Role.LOCATION, Role.DESTINATION)
# Food in these roles is what something is added to: it has to be there, as it has for all work.
_TARGET_ROLES = (Role.COOBJECT, *_PLACE_ROLES)
# Words before a thing that say how it was prepared; they go with its substitute too.
PREPARATIONS = word_set(
    "chopped diced sliced cut peeled grated minced shredded boiled beaten cooked fresh dried "
    "washed crushed remaining used small large"
)
_QUANTITY = re.compile(r"^(?:(?:\d[\d/.]*|one|two|three|four|half|some|any|each|both) )+")


@dataclass(frozen=True, slots=True)
class Alternative:
    """A thing instead of another; `is_at_hand` if the person could have it at the step."""

    noun: Noun
    is_at_hand: bool


def alternatives(
    scene: Scene, step: SceneStep, text: str, role: str, head: str
) -> tuple[Alternative, ...]:
    """The things that could replace `head` in a role, the procedure's own first.

    Left out are things that `text`, the step as it reads so far, already names, and things that
    it would put back where they are.
    """
    match = recognise(head, scene.domain)
    # "The rest of the" goes with the thing that was used before, and with no other.
    beside = (f"rest of the {head}", *(KINDS.unmistaken.get(match.kind.name, ()) if match else ()))
    if any(mentions(text, as_words(words)) for words in beside):
        return ()
    # A box that is named after another thing, such as a battery box, is no container.
    is_named_after = scene.domain is Domain.GENERAL and match and match.kind.name == "storage"
    if match is None or (is_named_after and set(match.before.split()) - PREPARATIONS):
        options = _used_likewise(scene, step, role, head)
    else:
        options = _of_its_kind(scene, step, role, head, match)
    places = _places(step) if mentions(text, "back") else set()
    by_name: dict[str, Alternative] = {}
    for item in options:
        words = item.noun.words
        is_named = any(not _differs(words, named) for named in step.heads) and " the " not in words
        is_there = bool(places & _last_places(scene, words, step.index))
        if not (is_named or is_there or mentions(text, words)):
            by_name.setdefault(compact(words), item)
    return tuple(by_name.values())


def _used_likewise(scene: Scene, step: SceneStep, role: str, head: str) -> Iterator[Alternative]:
    """Yield what fills the role in other steps with this action; for a thing of no listed kind."""
    for other in scene.steps:
        if step.tree is None or other.tree is None or other.tree.predicate != step.tree.predicate:
            continue
        for named in other.heads_by_role.get(role, ())[:1]:
            words = as_words(named)
            if _QUANTITY.match(words) or not _differs(named, head):
                continue
            if recognise(named, scene.domain) is None:
                noun = Noun(words, is_plural_only=is_plural(words))
                yield Alternative(noun, is_at_hand=_is_there(scene, named, step))


def _of_its_kind(
    scene: Scene, step: SceneStep, role: str, head: str, match: Match
) -> Iterator[Alternative]:
    """Yield things of the same kind: those of the procedure, then those of the word lists."""
    kind, possession = match.kind.name, scene.possession
    if kind == "heat" and role != Role.OBJECT:
        return
    is_acquired = step.family is Family.ACQUIRE and role == Role.OBJECT
    is_worked_on = role in _TARGET_ROLES or step.family in WORKING
    is_target = is_worked_on and kind in {*KINDS.food, *KINDS.fluid}
    is_moved = Role.ORIGIN in step.heads_by_role and step.family is not Family.ACQUIRE
    is_taken_off = role == Role.OBJECT and (step.family in _FROM_ITS_PLACE or is_moved)
    # Once a step has fetched the thing, only fetched things are there.
    is_fetched = possession.is_acquired_before(head, step.index)
    is_free = is_acquired or kind in KINDS.ambient or not (is_target or is_taken_off or is_fetched)
    own = [] if is_acquired else list(_own_things(scene, step, head, match, (kind,)))
    if not own and not is_free and kind in KINDS.food and step.family in _ON_ANY_FOOD:
        is_beaten = step.tree is not None and step.tree.predicate in _BEATING
        kinds = [name for name in KINDS.food if not is_beaten or name in KINDS.beaten]
        own = list(_own_things(scene, step, head, match, tuple(kinds)))
    yield from own
    if kind in KINDS.packaging and match.before:
        # The same package of something else: the salt bag for the sugar bag.
        for noun in same_kind(as_head(match.before), scene.domain):
            yield Alternative(Noun(f"{noun.words} {match.thing}"), is_at_hand=True)
        return
    prepared = " ".join(word for word in match.before.split() if word in PREPARATIONS)
    for noun in same_kind(head, scene.domain, str(step.family)):
        if not (is_acquired and compact(noun.words) in scene.first_named):
            is_at_hand = is_free and possession.is_at_hand(as_head(noun.words), step.index)
            words = f"{prepared} {noun.words}".strip()
            yield Alternative(Noun(words, noun.is_mass, noun.is_plural_only), is_at_hand)


def _own_things(
    scene: Scene, step: SceneStep, head: str, match: Match, kinds: tuple[str, ...]
) -> Iterator[Alternative]:
    """Yield the procedure's things of some kinds that the person has at the step."""
    for other in (other for kind in kinds for other in scene.heads_by_kind.get(kind, ())):
        other_match = recognise(other, scene.domain)
        if other_match is None or other_match.thing == match.thing or not _differs(other, head):
            continue
        if match.kind.name in KINDS.ambient or _is_there(scene, other, step):
            words, is_mass = _QUANTITY.sub("", as_words(other)), other_match.kind.is_mass
            noun = Noun(words, True, is_plural(words)) if is_mass else Noun(singular(words))
            yield Alternative(noun, is_at_hand=True)


def _is_there(scene: Scene, other: str, step: SceneStep) -> bool:
    """Whether the person has the thing at the step, in the place where the step happens."""
    if not scene.is_named_before(other, step.index):
        return False
    places = (*_heads(step, *_PLACE_ROLES), *step.heads_by_role.get(Role.OBJECT, ())[1:])
    return scene.possession.is_at_hand(other, step.index) and (
        step.family not in WORKING or scene.possession.can_be_at(other, places, step.index)
    )


def _last_places(scene: Scene, thing: str, index: int) -> set[str]:
    """Where the last step before `index` that acts on a thing puts it."""
    before, head = scene.steps[:index], kin(as_head(thing))
    moves = [move for move in before if move.object_head and kin(move.object_head) == head]
    return _places(moves[-1]) if moves else set()


def _places(step: SceneStep) -> set[str]:
    return {kin(head) for head in _heads(step, *_TARGET_ROLES)}


def _heads(step: SceneStep, *roles: str) -> tuple[str, ...]:
    return tuple(head for role in roles for head in step.heads_by_role.get(role, ()))


def _differs(name: str, other: str) -> bool:
    """Whether neither name contains the other: a bowl is no mistake for a mixing bowl."""
    first, second = compact(name), compact(other)
    return first not in second and second not in first
