"""Small extra actions that go wrong with the things at hand, and what puts each right again."""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from generation.engine.english.families import Family
from generation.engine.english.forms import is_plural
from generation.engine.english.instructions import clause_of, gerund_of, imperative, thing_of
from generation.engine.english.surface import as_head, upper_first
from generation.engine.english.words import Noun, kin, names, replace_noun
from generation.engine.rewriting.at_hand import CARRIED, Sort, Thing, sorts, things_at_hand
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.role_text import role_span
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.semrep import Role
from generation.engine.word_lists import load_words

_SLOT = re.compile(r"\{(\w+)\}")
# Things looked at: the nearest say most about the place of a slip.
MAX_THINGS = 9
# How much likelier a slip is with a thing of the coming step or of the one before.
NEAR = 3.0
# How much a form's fillings count: with 1 most slips would be of the forms with two things.
POWER_OF_FILLINGS = 2 / 3
# Steps around that are done to other things, once more or too early; how likely these are beside
# all the forms of the list together.
STEPS_AROUND = 4
SHARE_OF_MISTAKEN, SHARE_OF_OWN, SHARE_OF_OUT_OF_TURN = 0.2, 0.6, 0.1
MAX_WORDS = 10


@dataclass(frozen=True, slots=True)
class Slip:
    """A slip in words; `fit` says how much it has to do with its place (1 = nothing)."""

    text: str
    repair: str
    fit: float = 1.0


# Slips of one form, worked out when they are asked for.
Source = Callable[[], list[Slip]]


@dataclass(frozen=True, slots=True)
class SlipTexts:
    """`lexicon/slips.toml`: slips and their repairs, by whether they need a thing.

    `slots` are the sorts of things that can stand in a slot.
    """

    slots: dict[str, frozenset[Sort]]
    with_things: dict[str, str]
    without_things: dict[str, str]


@cache
def slip_texts() -> SlipTexts:
    """Raises `WordListError` where the file is wrong."""
    return load_words(Path(__file__).parent / "lexicon" / "slips.toml", SlipTexts)


def sources_at(
    scene: Scene, index: int, gone: frozenset[int] = frozenset(), *, is_own: bool = False
) -> dict[Source, float]:
    """The forms of what can go wrong before a step with the things at hand, and weights.

    `gone` are steps that are left out. With `is_own` every slip has a thing of the step itself. A
    form with many fillings is likelier, so that slips differ, but none stands in every text.
    """
    things = things_at_hand(scene, index, gone)[:MAX_THINGS]
    own = [thing for thing in things if thing.step_index == index]
    # What a later step finds in its place is not put down elsewhere.
    placed = {
        kin(step.object_head)
        for step in scene.steps[index:]
        if step.object_head and {Role.ORIGIN, Role.LOCATION} & set(step.heads_by_role)
    }
    loose = [thing for thing in things if kin(as_head(thing.words)) not in placed]
    found: dict[Source, float] = {}
    for text, repair in slip_texts().with_things.items():
        options = {
            slot: [
                thing
                for thing in (loose if slot == "held" and "{flat}" in text else things)
                if thing.sort in slip_texts().slots[slot]
            ]
            for slot in dict.fromkeys(_SLOT.findall(text))
        }
        count = math.prod(map(len, options.values()))
        if count and (not is_own or any(set(own) & set(chosen) for chosen in options.values())):
            found[partial(_filled, Slip(text, repair), options, index, is_own)] = (
                count**POWER_OF_FILLINGS
            )
    total = sum(found.values()) or 1.0
    around = [
        step
        for step in scene.steps[max(0, index - STEPS_AROUND) : index + STEPS_AROUND]
        if step.index != index and step.index not in gone
    ]
    here = scene.steps[index : index + 1]
    found[partial(_mistaken, here, things)] = SHARE_OF_MISTAKEN * total
    if is_own:  # The step itself says what is done with its things: nothing takes that back first.
        found[partial(_mistaken, around, own, "")] = SHARE_OF_OWN * total
    else:
        found[partial(_mistaken, around, things)] = SHARE_OF_MISTAKEN * total
    found[partial(_out_of_turn, around, index, things)] = SHARE_OF_OUT_OF_TURN * total
    return found


def _filled(
    form: Slip, options: Mapping[str, Sequence[Thing]], index: int, is_own: bool
) -> list[Slip]:
    """A form of a slip with each choice of different things in its slots."""
    found = []
    for chosen in itertools.product(*options.values()):
        is_near = any(thing.step_index in {index - 1, index} for thing in chosen)
        is_fitting = not is_own or any(thing.step_index == index for thing in chosen)
        if is_fitting and len({kin(as_head(thing.words)) for thing in chosen}) == len(chosen):
            words = {slot: thing.words for slot, thing in zip(options, chosen, strict=True)}
            fit = NEAR if is_near else 1.0
            found.append(Slip(form.text.format(**words), form.repair.format(**words), fit))
    return found


def _mistaken(
    steps: Sequence[SceneStep], things: Sequence[Thing], repair: str = "Leave the {} alone"
) -> list[Slip]:
    """Steps that are done to another thing, or with another tool of the same sort."""
    found = []
    for step, role in itertools.product(steps, (Role.OBJECT, Role.INSTRUMENT)):
        head = next(iter(step.heads_by_role.get(role, ())), "")
        span = role_span(step, step.text, role, head) if head else None
        if span is None or not (_is_repeatable(step) if role == Role.OBJECT else _is_plain(step)):
            continue
        alike = {thing.sort for thing in things if kin(as_head(thing.words)) == kin(head)}
        alike = alike | CARRIED if role == Role.OBJECT else alike & {Sort.TOOL, Sort.CLOTH}
        for thing in things:
            if thing.sort in alike and not any(names(step.text, w) for w in thing.words.split()):
                noun = Noun(thing.words, is_plural_only=is_plural(thing.words))
                text = replace_noun(step.text, span, noun)
                found.append(Slip(text, repair.format(thing.words)))
    return found


def _out_of_turn(steps: Sequence[SceneStep], index: int, things: Sequence[Thing]) -> list[Slip]:
    """Steps before `index` done once more, and later ones that are done too early."""
    found = []
    fixed = {kin(as_head(thing.words)) for thing in things if thing.is_fixed}
    for step in steps:
        is_past, thing = step.index < index, clause_of(step.text).object_phrase
        is_added = is_past and step.family is Family.ADD and Role.DESTINATION in step.heads_by_role
        is_short = len(step.text.split()) < MAX_WORDS
        if not thing or not is_short or kin(step.object_head or "") in fixed:
            continue
        if is_added or _is_repeatable(step):
            text = f"{upper_first(imperative(step.text))} {'once more' if is_past else 'too early'}"
            extra = f"Take away the extra {thing_of(thing).removeprefix('the ')}"
            found.append(Slip(text, extra if is_added else f"Stop {gerund_of(step.text)}"))
    return found


def _is_repeatable(step: SceneStep) -> bool:
    """Whether what the step does can be done to many things, again, and at any time."""
    is_known = step.tree is not None and step.tree.predicate.lower() in sorts().states["repeatable"]
    return is_known and step.object_head is not None and _is_plain(step)


def _is_plain(step: SceneStep) -> bool:
    """Whether the step is one action, and none that has to be undone before it is done again."""
    is_one = step.tree is not None and len(step.tree.clauses) == 1
    return is_one and step.family not in {Family.OPEN, Family.CLOSE}


def slips_without_things() -> list[Slip]:
    """What people do in between where a procedure names nothing to go wrong with."""
    return [Slip(text, repair) for text, repair in slip_texts().without_things.items()]


def pick_slip(
    draft: Draft, tries: Iterable[Mapping[Source, float]], fits: Callable[[Slip], bool]
) -> Slip:
    """A slip that fits, of the first of the tries that has one.

    A source is as likely as its weight says. Where nothing fits, something that needs no thing.
    """
    drawn = (
        slip
        for sources in (*tries, {slips_without_things: 1.0})
        for source in draft.shuffled(sources)
        for slip in draft.shuffled({slip: slip.fit for slip in source()})
        if fits(slip)
    )
    return next(drawn, None) or draft.pick(slips_without_things())
