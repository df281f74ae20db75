"""Planters of mistakes that are none, or that nobody could make."""

from collections.abc import Iterator

from bench.planted_faults.planting import (
    Planter,
    inserted,
    substituted,
    unchanged_positions,
    wrongly_done,
)
from generation.engine.english.surface import definite
from generation.engine.english.things import NamedThing, named_things
from generation.engine.judging.case import Case
from generation.engine.semrep import Role

_Options = Iterator[tuple[Case, int | None]]
_WHOLE_VERBS = ("attach", "open", "close", "plug", "tighten", "unscrew", "fasten", "turn_on")
_STRANGER = "the price tag"


def _objects(case: Case) -> Iterator[tuple[int, NamedThing]]:
    """Yield the unchanged rows whose first thing is the object, and that thing."""
    for position in unchanged_positions(case):
        things = named_things(case.rows[position].text or "")
        if things and things[0].slot == "object":
            yield position, things[0]


def _with_object(case: Case, position: int, thing: NamedThing, words: str) -> Case:
    text = case.rows[position].text or ""
    text = f"{text[: thing.start]}{words}{text[thing.end :]}"
    return wrongly_done(case, position, text, (Role.OBJECT,))


def no_mistake(case: Case) -> _Options:
    for position, thing in _objects(case):
        name = definite(thing.name)
        yield inserted(case, position, f"Look at {name}"), position
        yield substituted(case, position, f"Reach past {name} to the window"), position
        yield substituted(case, position, f"Press on {name} with a thumb"), position


def impossible_count(case: Case) -> _Options:
    for position, thing in _objects(case):
        if thing.verb.startswith(_WHOLE_VERBS) and not (thing.is_plural or thing.is_measured):
            words = f"only half of {definite(thing.words)}"
            yield _with_object(case, position, thing, words), position


def thing_not_at_hand(case: Case) -> _Options:
    for position, thing in _objects(case):
        others = named_things(case.rows[position].text or "")[1:]
        if thing.kin not in {other.kin for other in others}:
            yield _with_object(case, position, thing, _STRANGER), position


def pronoun_of_nothing(case: Case) -> _Options:
    for position in unchanged_positions(case):
        yield inserted(case, position, "Reach for the pair"), position
        if position == 0:
            yield inserted(case, position, "Wipe it with a cloth"), position


PLANTERS: dict[str, Planter] = {
    planter.__name__.upper(): planter
    for planter in (no_mistake, impossible_count, thing_not_at_hand, pronoun_of_nothing)
}
