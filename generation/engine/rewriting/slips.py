"""Small extra actions that go wrong with the things at hand, and what undoes each."""

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
from generation.engine.english.words import Noun, kin, mentions, replace_noun
from generation.engine.rewriting.at_hand import CARRIED, Sort, Thing, sorts, things_at_hand
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.role_text import role_span
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.semrep import Role
from generation.engine.word_lists import load_words

_SLOT = re.compile(r"\{(\w+)\}")
# How many things are considered: the nearest fit the place of a slip best.
MAX_THINGS = 9
# How much likelier a slip is with a thing of the next step or of the step before.
NEAR = 3.0
# How much the number of fillings of a form counts: with 1 most slips would have two things.
POWER_OF_FILLINGS = 2 / 3
# How many steps around can be done to other things, once more or too early, and how likely such
# slips are compared with all listed forms together.
STEPS_AROUND = 4
SHARE_OF_MISTAKEN, SHARE_OF_OWN, SHARE_OF_OUT_OF_TURN = 0.2, 0.6, 0.1
MAX_WORDS = 10


@dataclass(frozen=True, slots=True)
class Slip:
    """A slip in words; `fit` says how closely it is related to its place (1 = not at all)."""

    text: str
    repair: str
    fit: float = 1.0


# The slips of one form, computed when called.
Source = Callable[[], list[Slip]]


@dataclass(frozen=True, slots=True)
class SlipTexts:
    """`lexicon/slips.toml`: slips and their repairs, with and without things.

    `slots` are the sorts of things that can fill a slot.
    """

    slots: dict[str, frozenset[Sort]]
    with_things: dict[str, str]
    without_things: dict[str, str]


@cache
def slip_texts() -> SlipTexts:
    """Raises `WordListError` if the file is wrong."""
    return load_words(Path(__file__).parent / "lexicon" / "slips.toml", SlipTexts)


def sources_at(
    scene: Scene, index: int, deleted: frozenset[int] = frozenset(), *, is_own: bool = False
) -> dict[Source, float]:
    """The forms of slips that can happen before a step with the things at hand, with weights.

    `deleted` are steps that are left out. With `is_own` every slip has a thing of the step itself.
    A form with many fillings is likelier, so that slips vary, but no form dominates.
    """
    things = things_at_hand(scene, index, deleted)[:MAX_THINGS]
    own = [thing for thing in things if thing.step_index == index]
    # A thing that a later step expects in its place is not put down elsewhere.
    placed = {
        kin(step.object_head)
        for step in scene.steps[index:]
        if step.object_head and {Role.ORIGIN, Role.LOCATION} & set(step.heads_by_role)
    }
    loose = [thing for thing in things if kin(as_head(thing.words)) not in placed]
    sources: dict[Source, float] = {}
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
            sources[partial(_filled, Slip(text, repair), options, index, is_own)] = (
                count**POWER_OF_FILLINGS
            )
    total = sum(sources.values()) or 1.0
    around = [
        step
        for step in scene.steps[max(0, index - STEPS_AROUND) : index + STEPS_AROUND]
        if step.index != index and step.index not in deleted
    ]
    here = scene.steps[index : index + 1]
    sources[partial(_mistaken, here, things)] = SHARE_OF_MISTAKEN * total
    if is_own:  # Doing the step itself is the repair: nothing else undoes it first.
        sources[partial(_mistaken, around, own, "")] = SHARE_OF_OWN * total
    else:
        sources[partial(_mistaken, around, things)] = SHARE_OF_MISTAKEN * total
    sources[partial(_out_of_turn, around, index, things)] = SHARE_OF_OUT_OF_TURN * total
    return sources


def _filled(
    form: Slip, options: Mapping[str, Sequence[Thing]], index: int, is_own: bool
) -> list[Slip]:
    """A form of a slip with each choice of different things in its slots."""
    slips = []
    for chosen in itertools.product(*options.values()):
        is_near = any(thing.step_index in {index - 1, index} for thing in chosen)
        is_fitting = not is_own or any(thing.step_index == index for thing in chosen)
        if is_fitting and len({kin(as_head(thing.words)) for thing in chosen}) == len(chosen):
            words = {slot: thing.words for slot, thing in zip(options, chosen, strict=True)}
            fit = NEAR if is_near else 1.0
            slips.append(Slip(form.text.format(**words), form.repair.format(**words), fit))
    return slips


def _mistaken(
    steps: Sequence[SceneStep], things: Sequence[Thing], repair: str = "Leave the {} alone"
) -> list[Slip]:
    """Steps done to another thing, or with another tool, of the same sort."""
    slips = []
    for step, role in itertools.product(steps, (Role.OBJECT, Role.INSTRUMENT)):
        head = next(iter(step.heads_by_role.get(role, ())), "")
        span = role_span(step, step.text, role, head) if head else None
        if span is None or not (_is_repeatable(step) if role == Role.OBJECT else _is_plain(step)):
            continue
        alike = {thing.sort for thing in things if kin(as_head(thing.words)) == kin(head)}
        alike = alike | CARRIED if role == Role.OBJECT else alike & {Sort.TOOL, Sort.CLOTH}
        for thing in things:
            if thing.sort in alike and not any(mentions(step.text, w) for w in thing.words.split()):
                noun = Noun(thing.words, is_plural_only=is_plural(thing.words))
                text = replace_noun(step.text, span, noun)
                slips.append(Slip(text, repair.format(thing.words)))
    return slips


def _out_of_turn(steps: Sequence[SceneStep], index: int, things: Sequence[Thing]) -> list[Slip]:
    """Steps before `index` done once more, and later steps done too early."""
    slips = []
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
            slips.append(Slip(text, extra if is_added else f"Stop {gerund_of(step.text)}"))
    return slips


def _is_repeatable(step: SceneStep) -> bool:
    """Whether the step's action can be done to many things, again, and at any time."""
    tree = step.tree
    is_listed = tree is not None and tree.predicate.lower() in sorts().states["repeatable"]
    return is_listed and step.object_head is not None and _is_plain(step)


def _is_plain(step: SceneStep) -> bool:
    """Whether the step is a single action that need not be undone before it is done again."""
    is_single = step.tree is not None and len(step.tree.clauses) == 1
    return is_single and step.family not in {Family.OPEN, Family.CLOSE}


def slips_without_things() -> list[Slip]:
    """Slips for a procedure whose things offer none."""
    return [Slip(text, repair) for text, repair in slip_texts().without_things.items()]


def pick_slip(
    draft: Draft, tries: Iterable[Mapping[Source, float]], fits: Callable[[Slip], bool]
) -> Slip:
    """A fitting slip from the first of the tries that has one, else a slip without things.

    Sources are drawn by their weights.
    """
    drawn = (
        slip
        for sources in (*tries, {slips_without_things: 1.0})
        for source in draft.shuffled(sources)
        for slip in draft.shuffled({slip: slip.fit for slip in source()})
        if fits(slip)
    )
    return next(drawn, None) or draft.pick(slips_without_things())
