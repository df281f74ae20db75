"""How a step could go wrong: its text with one detail changed, and no word else.

A change names another thing of the procedure, another amount, another side or direction, a place
missed, or a manner in which acts of this class fail. What would not surely make sense is not
offered, so a step may have no change at all.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from generation.engine.english.clauses import Clause
from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.instructions import label_end
from generation.engine.english.surface import as_head, without_final_stop
from generation.engine.english.things import NamedThing, all_clauses, named_things, object_of
from generation.engine.english.words import kin, mentions, spans_of, words_of
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.amounts import (
    OtherAmount,
    only_some,
    other_counts,
    other_measures,
    too_much,
)
from generation.engine.rewriting.confusable import confusable_with, with_other_thing
from generation.engine.rewriting.draft import Form, Mutation
from generation.engine.rewriting.lexicon.kinds import KINDS, recognise
from generation.engine.rewriting.lexicon.mishaps import Acts, Trait, acts_of, class_of, other_sides
from generation.engine.rewriting.role_text import words_of_role
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.semrep import Role
from generation.engine.semrep.features import heads_of_role
from generation.engine.semrep.lexicon import PREPOSITIONS
from generation.engine.word_lists import word_set

_ROLE_OF_SLOT = {
    "object": Role.OBJECT, "tool": Role.INSTRUMENT, "place": Role.DESTINATION,
    "source": Role.ORIGIN, "other": Role.LOCATION,
}  # fmt: skip
_SIDE_NOUNS = frozenset({"of", "side", "end", "half", "hand", "corner", "edge", "row", "part"})
_BESIDE = frozenset({"in", "into", "on", "onto", "under", "inside"})
_IS_LONG = re.compile(rf"\b(?:{'|'.join(PREPOSITIONS)})\b|,", re.IGNORECASE)
_MORE_CLASSES = frozenset({"add", "mark", "cut", "cut_through", "turn", "press"})
# Done to each of several things by itself, so that one can be left out.
_OF_EACH = frozenset({"join", "connect", "tighten", "loosen", "open", "close", "fill", "wrap"})
_MAX_WORDS = 16


def changes(scene: Scene, step: SceneStep, text: str) -> tuple[Mutation, ...]:
    """Every sensible change of a step, each in the role that it shows in.

    `text` is the step as it reads so far: a second change is made in the text of the first.
    """
    return scene.once(_changes, step, text)


def thing_changes(scene: Scene, step: SceneStep, text: str) -> tuple[Mutation, ...]:
    """The changes that name another thing of the procedure, or the hands, alone."""
    return scene.once(_thing_changes, step, text)


def _thing_changes(scene: Scene, step: SceneStep, text: str) -> tuple[Mutation, ...]:
    if not all_clauses(text) or step.tree is None:
        return ()
    return (*_other_things(scene, step, text), *_bare_hands(step, text))


def _changes(scene: Scene, step: SceneStep, text: str) -> tuple[Mutation, ...]:
    clauses = all_clauses(text)
    if not clauses or step.tree is None:
        return ()
    found = (
        *thing_changes(scene, step, text),
        *_other_amounts(scene, step, text, clauses),
        *_other_sides(scene, step, text, clauses),
        *_beside(scene, step, text, clauses),
        *_manners(scene, text, clauses),
    )
    return tuple(item for item in found if item.text != text)


def acts_of_clause(clause: Clause) -> Acts:
    """The class of a clause's act, by its verb and the prepositions after it."""
    return acts_of(clause.predicate, _prepositions(clause))


def class_of_clause(clause: Clause) -> str:
    return class_of(clause.predicate, _prepositions(clause))


def _prepositions(clause: Clause) -> tuple[str, ...]:
    return tuple(phrase.preposition for phrase in clause.phrases if phrase.preposition)


def role_of(step: SceneStep, thing: NamedThing) -> str:
    """The role in which the step's representation has a thing, else the one of its slot."""
    for role, heads in step.heads_by_role.items():
        if any(mentions(thing.words, head) or kin(head) == thing.kin for head in heads):
            return role
    return _ROLE_OF_SLOT[thing.slot]


def _other_things(scene: Scene, step: SceneStep, text: str) -> Iterator[Mutation]:
    original = {named.words for named in named_things(step.text)}
    for thing in named_things(text):
        if thing.words not in original or thing.slot == "other":
            continue
        for other in confusable_with(scene, step, thing):
            changed, wrong = with_other_thing(text, thing, other)
            role = role_of(step, thing)
            yield Mutation(changed, role, MutationScope.ENTITY, thing.words, wrong, Form.THING)


def _bare_hands(step: SceneStep, text: str) -> Iterator[Mutation]:
    """Yield the text with the hands in place of a tool that only helps them."""
    for thing in named_things(text):
        if thing.slot != "tool" or not thing.before or thing.head in GRAMMAR.containers:
            continue
        is_handy = thing.verb in _BY_HAND or class_of(thing.verb) in _CLASSES_BY_HAND
        if is_handy and role_of(step, thing) == Role.INSTRUMENT:
            changed = f"{text[: thing.start]}bare hands{text[thing.end :]}"
            right, scope = thing.words, MutationScope.ENTITY
            yield Mutation(changed, Role.INSTRUMENT, scope, right, "bare hands", Form.THING)


# What hands can do, worse.
_CLASSES_BY_HAND = frozenset({"loosen", "remove", "place", "take", "turn_over", "spread"})
_BY_HAND = word_set("tighten dip drop scrape wipe scoop spoon transfer squeeze hold move")


def _other_amounts(
    scene: Scene, step: SceneStep, text: str, clauses: tuple[Clause, ...]
) -> Iterator[Mutation]:
    amounts: list[tuple[OtherAmount, NamedThing | None]] = [
        (item, None) for item in other_measures(text)
    ]
    for thing in named_things(text):
        acts, name = acts_of(thing.verb), class_of(thing.verb)
        prepositions = next((_prepositions(c) for c in clauses if c.predicate == thing.verb), ())
        acts = acts_of(thing.verb, prepositions)
        if thing.slot != "object":
            continue
        can_be_more = name in _MORE_CLASSES
        amounts += [(item, thing) for item in other_counts(text, thing, can_be_more=can_be_more)]
        if Trait.PARTS in acts.traits:
            some = only_some(text, thing, are_counted=name in _OF_EACH)
            amounts += [(item, thing) for item in some]
        if Trait.ADDS in acts.traits and _is_substance(scene, thing):
            amounts += [(item, thing) for item in too_much(text, thing)]
    for item, named in amounts:
        role = _role_at(step, text, item.at) if named is None else role_of(step, named)
        if role is not None:
            yield Mutation(
                item.text, role, MutationScope.ATTRIBUTE, item.right, item.wrong, Form.AMOUNT
            )


def _is_substance(scene: Scene, thing: NamedThing) -> bool:
    """Whether a thing is added by the amount: never one single thing with an article."""
    if (
        thing.is_plural
        or thing.words.startswith("open ")
        or thing.before.lower() not in {"", "some", "the"}
    ):
        return False
    uses = [use for _, use in scene.uses_of(thing.kin)]
    if any(use.before.lower() in {"a", "an", "one", "1"} for use in uses):
        return False
    # "The net" is a single thing, "the paint" of "open the can of paint" is not.
    return thing.before.lower() != "the" or any(not use.before or use.is_measured for use in uses)


def _role_at(step: SceneStep, text: str, position: int) -> str | None:
    """The role whose words stand at or right after a position of the text."""
    roles = () if step.tree is None else [item.role for item in step.tree.arguments if item.role]
    for role in roles:
        words = words_of_role(step, text, role)
        if any(word.start <= position < word.end for word in words):
            return role
    following = text[position:]
    for role in roles:
        for head in heads_of_role(step.tree, role) if step.tree else ():
            spans = spans_of(following, head)
            if spans and spans[0].start < _MAX_WORDS:
                return role
    timely = {Role.DURATION, Role.TEMPORAL, Role.QUANTITY, Role.DEGREE, Role.CONDITION}
    return next((role for role in roles if role in timely), None)


def _other_sides(
    scene: Scene, step: SceneStep, text: str, clauses: tuple[Clause, ...]
) -> Iterator[Mutation]:
    until = _NO_ACT.search(text)
    words = [word for word in words_of(text) if until is None or word.start < until.start()]
    sides, is_up_or_down = other_sides(), not {"up", "down"}.isdisjoint(words)
    adverbs = {str(word) for clause in clauses for _, word in clause.modifiers}
    adverbs |= {str(word) for clause in clauses for word in clause.adverbs}
    things = named_things(text)
    for place, word in enumerate(words):
        wrong = sides.get(word)
        if wrong is None or word.start < label_end(text) or place == 0:
            continue
        if word in _TURNS and is_up_or_down:
            continue  # "Down to the bottom."
        following = words[place + 1] if place + 1 < len(words) else ""
        is_quality = any(
            thing.noun_start <= word.start
            and word.end < thing.end
            and (
                # "A zip top bag" has no zip bottom; to "the long stitch" there is no short one.
                (word in _PLACES and word.start == thing.noun_start)
                or (word not in _PLACES and thing.before.lower() != "the")
                or any(wrong in words_of(use.words) for _, use in scene.uses_of(thing.kin))
            )
            for thing in things
        )
        is_side = words[place - 1] in {"the", "its"} and following in _SIDE_NOUNS
        is_side = is_side or (words[place - 1] == "the" and not following and word in _TURNS)
        is_adverb = word in adverbs and (word.endswith("ly") or word in _DIRECTIONS)
        if not (is_quality or is_side or is_adverb) or f"{word}-" in text or f"-{word}" in text:
            continue
        before, after = text[: word.start], text[word.end :]
        swap = re.compile(rf"\b{wrong}\b")
        changed = swap.sub(word, before) + wrong + swap.sub(word, after)
        role = _role_at(step, text, word.start) or (Role.MANNER if is_adverb else None)
        if role is not None:
            yield Mutation(changed, role, MutationScope.ATTRIBUTE, word, wrong, Form.SIDE)


# What should come of the act, or when it ends, is no way to do it.
_NO_ACT = re.compile(r"\b(?:until|so that|if|when|because|to see)\b")
_TURNS = frozenset({"left", "right", "top", "bottom", "front", "back"})
_PLACES = _TURNS | {"upper", "lower", "inner", "outer", "inside", "outside"}
_DIRECTIONS = word_set(
    "clockwise counterclockwise anticlockwise upward downward upwards downwards forward backward"
    " left right halfway"
)


def _beside(
    scene: Scene, step: SceneStep, text: str, clauses: tuple[Clause, ...]
) -> Iterator[Mutation]:
    """Yield the text with a thing put beside its place."""
    for clause in clauses:
        if Trait.PLACES not in acts_of_clause(clause).traits or clause.particle == "back":
            continue
        for phrase in clause.phrases[1:2]:
            things = named_things(text)
            thing = next((t for t in things if t.start == phrase.words[0].start), None)
            is_put = any(t.slot == "object" and t.verb == clause.predicate for t in things)
            if phrase.preposition not in _BESIDE or thing is None or not is_put:
                continue
            match = recognise(as_head(thing.name), scene.domain)
            if match is not None and match.kind.name in KINDS.unconfused:
                continue  # "On the skin."
            if _is_fitted(scene, thing):
                continue
            first, last = phrase.preposition_words[0], phrase.preposition_words[-1]
            changed = f"{text[: first.start]}beside{text[last.end :]}"
            right, wrong = text[first.start : thing.end], f"beside {thing.words}"
            role = role_of(step, thing)
            yield Mutation(changed, role, MutationScope.SUBSTRUCTURE, right, wrong, Form.PLACE)


def _is_fitted(scene: Scene, thing: NamedThing) -> bool:
    """Whether a place belongs to what is put together: things sit in it, not beside it."""
    return any(
        class_of_clause(clause) in _FITTING
        for step in scene.steps
        if mentions(step.text, thing.name)
        for clause in all_clauses(step.text)[:1]
    )


_FITTING = frozenset({"join", "connect", "screw"})


def _manners(scene: Scene, text: str, clauses: tuple[Clause, ...]) -> Iterator[Mutation]:
    """Yield the text with a manner in which its only act fails, at the end."""
    (clause, *others) = clauses
    is_plain = not (others or clause.subordinates or clause.adverbs or clause.modifiers)
    is_timed = next(iter(other_measures(text)), None) is not None
    words = words_of(text)
    is_full = bool(_SAYS_HOW & set(words)) or "(" in text or bool(_SAYS_HOW_MUCH.search(text))
    is_full = is_full or words[-1] in _RESULTS
    is_short = len(text.split()) <= _MAX_WORDS
    if is_timed or is_full or clause.is_denied or not (is_plain and is_short):
        return
    acts = acts_of_clause(clause)
    things = named_things(text)
    # What is only put somewhere without a place cannot stand askew there.
    is_placed = Trait.PLACES not in acts.traits or len(clause.phrases) > 1
    is_back = clause.particle == "back"
    place = next((item for item in things if item.slot == "place"), None)
    is_flat = bool(_FLAT & set(_prepositions(clause)))
    is_flat = is_flat and not (place is not None and _is_fitted(scene, place))
    thing = object_of(text)
    if class_of_clause(clause) == "spread" and not (thing and _is_substance(scene, thing)):
        return  # A net, a sheet.
    for manner in acts.manners if clause.phrases and is_placed and not is_back else ():
        if manner == "too far to one side" and not is_flat:
            continue
        # The object is one thing, not a substance and not several.
        is_one = thing is not None and not (thing.is_plural or is_stuff(text, thing))
        if manner in _OF_ONE_THING and not is_one:
            continue
        changed = with_manner(text, manner)
        yield Mutation(changed, Role.MANNER, MutationScope.ATTRIBUTE, "", manner, Form.MANNER)


# A step that says how already, or names a choice, has no manner to add.
_SAYS_HOW = word_set(
    "or well thoroughly completely fully until so again twice overnight third half quarter first"
)
_SAYS_HOW_MUCH = re.compile(rf"\b(?:by|for) (?:an?|\d+|{'|'.join(GRAMMAR.number_words)})\b")
# "Rasp it smooth": what comes of it is said already.
_RESULTS = word_set("smooth flat clean dry tight apart even level straight")
# To one side is what lies on something, not what is in it.
_FLAT = frozenset({"on", "onto", "over", "under"})
_OF_ONE_THING = frozenset(
    {"crookedly", "the wrong way round", "too far to one side", "only halfway"}
)


def is_stuff(text: str, thing: NamedThing) -> bool:
    """Whether a thing is so much of something: measured, or bare where others have an article."""
    has_articles = bool({"the", "a", "an", "your"} & set(words_of(text)))
    return thing.is_measured or (not thing.before and has_articles)


@lru_cache(maxsize=2_000)
def with_manner(text: str, manner: str) -> str:
    """The text with a manner at its end, after a comma if it is long.

    >>> with_manner("Stir the tea.", "too briefly"), with_manner("Stir it with a spoon", "too fast")
    ('Stir the tea too briefly', 'Stir it with a spoon, but too fast')
    """
    bare = without_final_stop(text)
    is_apart = manner.startswith(("not", "only")) or _IS_LONG.search(bare)
    return f"{bare}, but {manner}" if is_apart else f"{bare} {manner}"
