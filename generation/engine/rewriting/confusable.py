"""Which things of a procedure a person could take for another one at a step.

Only things that the procedure itself names are offered, in its own words, and only with evidence
that they are of one sort: they share their noun ("the red pen", "the green pen"), the same act is
done to both, or both are listed under one kind. What is not there, or used up already, is not
offered.
"""

import re
from functools import lru_cache

from generation.engine.english.forms import is_participle
from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.surface import as_head, upper_first
from generation.engine.english.things import NamedThing, named_things
from generation.engine.english.words import mentions, words_of
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import recognise
from generation.engine.rewriting.lexicon.mishaps import Trait, acts_of, class_of
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.word_lists import word_set

# After these a thing stays where it was put, so that it cannot be put there again.
_USING_UP = frozenset({Trait.JOINS, Trait.PLACES, Trait.ADDS})
# Acts of one class are done to things of one sort only in these.
_OF_ONE_SORT = frozenset({"add", "chop", "peel"})
# What is done to things of any sort, so that the same verb says little of them.
_SAME_VERB = _OF_ONE_SORT | {"join", "connect", "screw"}
# What these are done to is there already, and was not put there later.
_REMOVALS = frozenset({"remove", "loosen", "open", "clean", "strain"})
_NO_SORT = word_set("let use repeat make do allow keep wait have leave")
# What these do to a thing with "a" or a number comes about by it: a cut, a hole, a strip.
_MAKING = frozenset({"cut", "cut_up", "cut_through", "mark", "draw"})
_VAGUE = frozenset({"mixture", "batter", "drip", "waste", "piece"})
_ONE_VESSEL = tuple(map(word_set, ("pan skillet frypan", "dish plate platter", "mug cup")))
# Which one of several it is, whatever else it is called.
_RANKS = frozenset({"smallest", "largest", "longest", "shortest", "biggest", "widest"})
_PIECES = word_set("clove cloves piece pieces slice slices can cans pack packs")
_LISTED = re.compile(r"\b(?:order of|in order|respectively)\b")
# Whole procedures of most sources; in a longer one what is far off is not taken by mistake.
STEPS_AROUND = 30
_ORDINALS = frozenset({"first", "second", "third", "next", "last", "same", "other"})


def confusable_with(scene: Scene, step: SceneStep, thing: NamedThing) -> list[NamedThing]:
    """What could be taken for a thing of a step, each in its first wording."""
    if mentions(step.text, "in the order of") or _LISTED.search(step.text):
        return []  # It goes on to say which of them they are, and the others are not these.
    is_object = thing.slot == "object"
    if is_object and class_of(thing.verb) in _MAKING and thing.before.lower() != "the":
        return []
    if thing.slot == "tool" and step.text[thing.end : thing.end + 1] == ",":
        return []  # One of several.
    if thing.slot == "place" and not any(
        named.slot == "object" and named.verb == thing.verb for named in named_things(step.text)
    ):
        return []  # "Transfer to a dish": what is transferred may be in the other one.
    found: dict[str, NamedThing] = {}
    around = scene.steps[max(0, step.index - STEPS_AROUND) : step.index + STEPS_AROUND]
    for other in (named for near in around for named in named_things(near.text)):
        if other.key in found or not _is_of_one_sort(scene, thing, other):
            continue
        is_alike = thing.slot != "object" or _is_treated_alike(scene, step, thing, other)
        if is_alike and _is_other(step.text, thing, other) and _is_there(scene, step, thing, other):
            found[other.key] = other
    return list(found.values())


def with_other_thing(text: str, thing: NamedThing, other: NamedThing) -> tuple[str, str]:
    """The text with another thing in place of one, and the words of that.

    A measured substance keeps its measure; else the other thing is definite, as it is known, unless
    the procedure writes without articles.
    """
    is_bare = not thing.before and not other.before
    is_by_piece = bool(_PIECES & set(thing.before.lower().split()))  # "Two cloves of ginger."
    keeps = (
        thing.is_measured and other.is_measured and not is_by_piece
    ) or thing.before.lower() == "the"
    owner = next(iter(other.before.lower().split()), "")
    if keeps or is_bare:
        before = f"{thing.before} " if thing.before else ""
    else:
        before = f"{owner} " if owner in GRAMMAR.possessive_pronouns | {"your"} else "the "
    words = other.words if other.words[1:2].isupper() else other.words[:1].lower() + other.words[1:]
    written = before + words
    changed = text[: thing.start] + written + text[thing.end :]
    return (upper_first(changed) if thing.start == 0 else changed), written


def _is_other(text: str, thing: NamedThing, other: NamedThing) -> bool:
    """Whether the other thing is really another one, and not part of the step already."""
    if thing.key in other.key or other.key in thing.key:
        return False
    if mentions(text, other.words) or any(
        named.kin == other.kin != thing.kin for named in named_things(text)
    ):
        return False
    is_vague = bool(_ORDINALS & set(other.words.split())) and other.kin != thing.kin
    is_ranked = bool(_RANKS & set(f"{thing.words} {other.words}".lower().split()))
    has_number = bool(set(other.before.lower().split()) & {"each", "every", "another", "both"})
    is_body = "your" in {thing.before.lower(), other.before.lower()}
    # "The prepared mug", "the lined mug": one mug.
    firsts = (name.lower().partition(" ")[0] for name in (thing.words, other.words))
    is_vague |= other.kin in _VAGUE or (thing.kin == other.kin and any(map(is_participle, firsts)))
    is_vague |= is_ranked or any({thing.head, other.head} <= names for names in _ONE_VESSEL)
    # "Lay one block down and stack it", "stand three blocks equally spaced".
    is_counted = thing.before.lower() not in {"", "the"} and not thing.is_measured
    is_pronoun = bool({"it", "them", "each"} & set(words_of(text)))
    is_other_number = (is_counted or is_pronoun) and thing.is_plural is not other.is_plural
    return not (is_vague or has_number or is_body or is_other_number)


def _is_of_one_sort(scene: Scene, thing: NamedThing, other: NamedThing) -> bool:
    if other.kin == thing.kin:
        # Blocks that are first named as a place are blocks put there, under another name.
        first = next(it for _, it in scene.uses_of(other.kin) if it.words == other.words)
        return thing.slot != "object" or first.slot in {"object", "tool"}
    kinds = [_kind(item.name, scene.domain) for item in (thing, other)]
    if all(kinds):
        return kinds[0] == kinds[1]  # Both are listed.
    if thing.slot != other.slot or thing.is_measured is not other.is_measured:
        return False
    verb = thing.verb.partition("_")[0]
    same_act = thing.verb == other.verb and verb not in _NO_SORT
    same_class = class_of(thing.verb) == class_of(other.verb) in _OF_ONE_SORT
    if thing.slot == "object":
        same_act = same_act and class_of(thing.verb) in _SAME_VERB
    is_close = thing.preposition == other.preposition
    return is_close and thing.slot in {"object", "place", "tool"} and (same_act or same_class)


def _is_treated_alike(scene: Scene, step: SceneStep, thing: NamedThing, other: NamedThing) -> bool:
    """Whether a step does to the other thing what is done to this, or takes it into the hand too.

    A valve that is closed is no valve that can be lifted out.
    """
    places = [named.preposition for named in named_things(step.text) if named.verb == thing.verb]
    acts, name = acts_of(thing.verb, tuple(filter(None, places))), class_of(thing.verb)
    for _, use in scene.uses_of(other.kin):
        is_it = other.kin != thing.kin or use.key == other.key
        if not is_it or use.slot != "object":
            continue
        # What is sprinkled or drizzled is of one sort, what is added need not be.
        is_same_class = name == class_of(use.verb) and (name != "add" or thing.verb == "add")
        are_held = Trait.HOLDS in acts.traits & acts_of(use.verb).traits
        if use.verb == thing.verb or is_same_class or are_held:
            return True
    return False


@lru_cache(maxsize=20_000)
def _kind(name: str, domain: Domain) -> str:
    match = None if domain is Domain.GENERAL else recognise(as_head(name), domain)
    return "" if match is None else match.kind.name


def _is_there(scene: Scene, step: SceneStep, thing: NamedThing, other: NamedThing) -> bool:
    """Whether a person has the other thing at the step, and can still do the act to it."""
    if not scene.possession.is_at_hand(as_head(other.words), step.index):
        return False
    earlier = [use for at, use in scene.uses_of(other.kin) if at < step.index]
    name = class_of(thing.verb)
    if thing.slot == "object" and (
        (name == "take" and earlier)
        or (name in {"chop", "peel"} and any(class_of(use.verb) == name for use in earlier))
        or (name == "add" and not other.is_measured
            and any(use.slot == "object" and class_of(use.verb) == name for use in earlier))
    ):  # fmt: skip
        return False  # It is in the hand, in pieces or in the bowl already.
    if thing.slot == "place" and any(
        class_of(use.verb, (use.preposition,)) in _MAKING for use in earlier if use.key == other.key
    ):
        return False  # "The lines of the shape", which are cut by now.
    uses = [at for at, named in scene.uses_of(other.kin) if named.key == other.key]
    if thing.slot == "source" and class_of(thing.verb) != "take":
        return False  # It is where it was put.
    acts = acts_of(thing.verb, (thing.preposition,) if thing.preposition else ())
    if thing.slot == "object" and acts.traits & _USING_UP and not other.is_measured:
        return all(not _uses_up(scene, at, other) for at in uses if at < step.index)
    is_removed = "source" in {named.slot for named in named_things(step.text)}
    is_removed = is_removed or class_of(thing.verb) in _REMOVALS
    if thing.slot == "object" and is_removed and uses[0] >= step.index:
        return False
    if thing.slot == "object" or thing.slot == "place":
        # Worked on, or put something into: it has to be there by now.
        return uses[0] < step.index or not _is_made(scene, uses[0], other)
    return True


def _uses_up(scene: Scene, at: int, other: NamedThing) -> bool:
    return any(
        named.slot == "object"
        and named.kin == other.kin
        and bool(acts_of(named.verb).traits & _USING_UP)
        for named in named_things(scene.steps[at].text)
    )


def _is_made(scene: Scene, first: int, other: NamedThing) -> bool:
    """Whether the first step that names a thing brings it about: it is not there before."""
    named = next(item for item in named_things(scene.steps[first].text) if item.kin == other.kin)
    is_new = named.before.lower() in {"a", "an"} or named.before.lower() in GRAMMAR.number_words
    return is_new or named.slot != "object" or class_of(named.verb) in {"mark", "cut", "add"}
