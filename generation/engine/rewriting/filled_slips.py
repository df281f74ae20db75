"""Slips of the word lists with the things of a scene in their slots."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from generation.engine.english.families import Family
from generation.engine.english.instructions import as_known, clause_of
from generation.engine.english.surface import as_words
from generation.engine.english.words import spans_of
from generation.engine.rewriting.lexicon.domains import Domain, words_of_domain
from generation.engine.rewriting.lexicon.kinds import recognise
from generation.engine.rewriting.lexicon.slips import PIECE, Slip, slips_of, slot_kinds
from generation.engine.rewriting.scene import Scene, SceneStep
from generation.engine.semrep import Role

_SLOT = re.compile(r"\{(\w+)\}")
_COUNTED = re.compile(r"^(two|three|four|five|six|\d+) (?=[a-z])")
_JOINING = frozenset({"ATTACH", "CONNECT", "SCREW", "MOUNT", "FIT"})
_ADDING = frozenset({"add", "pour", "sprinkle"})
_ALL_OF = re.compile(
    r"^(?:(?:both|each|any|all|some|more|other|individual|every|running|[\d/.]+|one|two|three"
    r"|entire|whole|appropriate|correct|right-sized) )+"
)
# "The tomato throughout the platter" and "tomatoes cut-side" were read as one thing.
_NO_NAME = re.compile(r"&|_throughout_|_side$")
# What is no word and keeps its capitals: S2, UV.
_CODE = re.compile(r"\b[A-Z]+\d|\b[A-Z]{2,}")
# What a table has and a floor has not.
_OF_FURNITURE = re.compile(
    r"\b(?:edge|corner|leg|off|under|middle|against)(?: of)? the floor\b|the floor (?:with|until)\b"
)
# A slip has to do with what was in hand in these many steps before, and with the coming one.
STEPS_BACK = 8
# Fillings of one slip that are looked at; more would only be more of the same.
MAX_FILLINGS = 6
# How much likelier a slip gets with a thing of the scene in it, and one of the very next steps.
WITH_THING, WITH_NEAR_THING = 4.0, 5.0


@dataclass(frozen=True, slots=True)
class FilledSlip:
    """A slip in words; `fit` says how much it has to do with its place (1 = nothing)."""

    text: str
    repair: str
    fit: float


def filled_slips(scene: Scene, index: int, *, is_anywhere: bool = False) -> Iterator[FilledSlip]:
    """Yield the slips that can happen before a step, with the things named near it.

    With `is_anywhere` the things of the whole procedure fill the slots, and general slips join in.
    """
    near = _things_near(scene, index, len(scene.steps) if is_anywhere else STEPS_BACK)
    said: set[str] = set()
    for domain in dict.fromkeys((scene.domain, Domain.GENERAL)):
        for filled in (f for slip in slips_of(domain) for f in _fillings(slip, near, scene.domain)):
            is_fitting = is_anywhere or domain is scene.domain or filled.fit > 1
            if is_fitting and filled.text not in said:
                said.add(filled.text)
                yield filled


def repeated_additions(
    scene: Scene, index: int, *, gone: frozenset[int] = frozenset()
) -> Iterator[FilledSlip]:
    """Yield "add it once more" for what was added in the steps right before.

    `gone` are steps that are left out: what they should have added cannot be added once more.
    """
    for step in scene.steps[max(0, index - STEPS_BACK) : index]:
        if step.index in gone:
            continue
        clause = clause_of(step.text)
        is_addition = step.family is Family.ADD and Role.DESTINATION in step.heads_by_role
        if not is_addition or clause.verb not in _ADDING or not clause.phrases:
            continue
        place = clause.phrases[0]
        if place.preposition not in {"to", "into", "in", "onto", "on"} or not place.words:
            continue
        thing, target = as_known(clause.object_phrase).removeprefix("the "), as_known(place.words)
        counted = _COUNTED.match(thing)
        more = f"extra {thing}"
        if counted is not None:
            thing = thing[counted.end() :]
            more = f"{counted.group(1)} more {thing}"
        yield FilledSlip(
            text=f"{clause.verb.capitalize()} {more} {place.preposition} {target}",
            repair=f"Scoop the extra {thing} off {target}"
            if place.preposition in {"on", "onto"}
            else f"Scoop the extra {thing} out of {target}",
            fit=WITH_NEAR_THING,
        )


def _things_near(scene: Scene, index: int, steps_back: int) -> dict[str, dict[str, bool]]:
    """Return the things named near a step by kind; whether they are of the very next steps."""
    found: dict[str, dict[str, bool]] = {}
    first = max(0, index - steps_back)
    for step in reversed(scene.steps[first : index + 1]):
        for head in _usable_heads(step):
            kind = _kind_of(scene, step, head)
            if kind is not None and scene.possession.is_at_hand(head, index):
                is_next = index - step.index <= 1
                words = _ALL_OF.sub("", _as_written(step, head))
                found.setdefault(kind, {}).setdefault(words, is_next)
    return found


def _as_written(step: SceneStep, head: str) -> str:
    """Return a head as words, with the capitals that its step gives it: "switch S2"."""
    for span in spans_of(step.text, head):
        written = step.text[span.start : span.end]
        if _CODE.search(written) is not None:
            return written
    return as_words(head)


def _kind_of(scene: Scene, step: SceneStep, head: str) -> str | None:
    match = recognise(head, scene.domain)
    if match is not None:
        return match.kind.name
    is_joined = step.tree is not None and step.tree.predicate in _JOINING
    is_piece = is_joined and head == step.object_head
    return PIECE if is_piece and scene.domain is Domain.GENERAL else None


def _usable_heads(step: SceneStep) -> Iterator[str]:
    return (head for head in step.heads if _NO_NAME.search(head) is None)


def _fillings(slip: Slip, near: dict[str, dict[str, bool]], domain: Domain) -> Iterator[FilledSlip]:
    slots = list(dict.fromkeys(_SLOT.findall(slip.text + slip.repair)))
    options = [_options(slot, near, domain) for slot in slots]
    for chosen in itertools.islice(itertools.product(*options), MAX_FILLINGS):
        words = {slot: word for slot, (word, _) in zip(slots, chosen, strict=True)}
        if len(set(words.values())) < len(words):
            continue
        fit = max((weight for _, weight in chosen), default=1.0)
        text = slip.text.format(**words)
        if _OF_FURNITURE.search(text) is None:
            yield FilledSlip(text, slip.repair.format(**words), fit)


def _options(
    slot: str, near: dict[str, dict[str, bool]], domain: Domain
) -> list[tuple[str, float]]:
    things = [
        (word, WITH_NEAR_THING if is_next else WITH_THING)
        for kind in sorted(slot_kinds().get(slot, ()))
        for word, is_next in near.get(kind, {}).items()
    ]
    if slot == "surface":
        # A surface alone does not tie a slip to its place.
        return [(word, 1.0) for word, _ in things[:1]] or [(words_of_domain(domain).surface, 1.0)]
    return sorted(things, key=lambda item: -item[1])
