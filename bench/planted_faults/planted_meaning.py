"""Planters of faults against the sense of a procedure: roles, consequences, states of things."""

from collections.abc import Iterator

from bench.planted_faults.planting import (
    Planter,
    inserted,
    substituted,
    unchanged_positions,
    wrongly_done,
)
from generation.engine.english.actions import Action, actions_of
from generation.engine.english.families import Family
from generation.engine.english.forms import is_plural
from generation.engine.english.surface import as_words, definite
from generation.engine.english.words import Noun, compact, mentions, replace_noun, spans_of
from generation.engine.judging.case import Case
from generation.engine.rewriting.cascades import required_cascades
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import recognise
from generation.engine.semrep import Role

_Options = Iterator[tuple[Case, int | None]]
_FLOURISH = "Hum a tune by the window"


def _actions(case: Case, *families: Family) -> Iterator[tuple[int, Action]]:
    """Yield unchanged rows of one action, and that action, if it is of one of the families."""
    for position in unchanged_positions(case):
        actions = actions_of(case.rows[position].text or "").actions
        if len(actions) == 1 and (not families or actions[0].family in families):
            yield position, actions[0]


def _the(head: str) -> str:
    return definite(as_words(head))


def _is_used_later(case: Case, position: int, head: str) -> Iterator[int]:
    """Yield the unchanged rows after one that use a thing without getting it."""
    for later, action in _actions(case):
        if later > position and compact(head) in map(compact, action.used):
            if action.family is Family.ACQUIRE:
                return
            yield later


def _is_one(case: Case, head: str) -> bool:
    """Whether the head names one thing: of a substance there may be more elsewhere."""
    match = recognise(head, case.take.scene.domain)
    return match is not None and not match.kind.is_mass and not is_plural(as_words(head))


def _others_of_kind(head: str, domain: Domain) -> tuple[Noun, ...]:
    """What is listed beside a thing, as nouns."""
    match = recognise(head, domain)
    if match is None:
        return ()
    names = (name.format(as_words(head)) for name in match.kind.offered if name != match.thing)
    return tuple(match.kind.noun(name) for name in names)


def predicate_changed(case: Case) -> _Options:
    for position, action in _actions(case, Family.ADD, Family.CUT, Family.STIR, Family.OPEN):
        if action.objects:
            text = f"Throw {_the(action.objects[0])} on the floor"
            yield wrongly_done(case, position, text, (Role.OBJECT,)), position


def _role_variants(case: Case, planned: str, changed: str) -> Iterator[tuple[int, str]]:
    """Yield texts in which the thing of one role is another of its kind and the rest is kept."""
    for position, action in _actions(case):
        by_role = {
            Role.OBJECT: action.objects[:1],
            Role.INSTRUMENT: action.instruments[:1],
            Role.DESTINATION: () if action.destination is None else (action.destination.head,),
        }
        if not by_role.get(Role(planned)):
            continue
        text = case.rows[position].text or ""
        for head in by_role[Role(changed)]:
            spans, others = spans_of(text, head), _others_of_kind(head, case.take.scene.domain)
            others = tuple(noun for noun in others if not mentions(text, noun.words))
            if len(spans) == 1 and others:
                yield position, replace_noun(text, spans[0], others[0])


def role_not_mutated(case: Case) -> _Options:
    """Another role than the planned one goes wrong."""
    for planned, changed in (
        (Role.OBJECT, Role.INSTRUMENT),
        (Role.OBJECT, Role.DESTINATION),
        (Role.INSTRUMENT, Role.OBJECT),
    ):
        for position, text in _role_variants(case, planned, changed):
            yield wrongly_done(case, position, text, (planned,)), position


def other_role_mutated(case: Case) -> _Options:
    yield from role_not_mutated(case)


def cascade_missing(case: Case) -> _Options:
    """Another thing is got, and the steps after go on as if nothing had happened."""
    for position, action in _actions(case, Family.ACQUIRE):
        text = case.rows[position].text or ""
        for head in action.objects[:1]:
            spans, others = spans_of(text, head), _others_of_kind(head, case.take.scene.domain)
            if not spans or not others:
                continue
            harmed = substituted(case, position, replace_noun(text, spans[0], others[0]))
            needed = required_cascades(harmed.take.scene, harmed.rows, "P01")
            for cascade in needed[:1]:
                yield harmed, cascade.position


def neighbour_duplicate(case: Case) -> _Options:
    for position in unchanged_positions(case):
        text = case.rows[position].text or ""
        yield inserted(case, position, text.rstrip(". ")), position


def step_repeated(case: Case) -> _Options:
    for position, _ in _actions(case, Family.RELEASE, Family.DISPOSE):
        for later in unchanged_positions(case):
            if later > position + 1:
                yield inserted(case, later, case.rows[position].text or ""), later
                break


def degree_reversed(case: Case) -> _Options:
    """A step is done in full by a planned mistake, and then in part by another."""
    for position, action in _actions(case):
        following = position + 1
        if action.objects and following in set(unchanged_positions(case)):
            text = (case.rows[position].text or "").rstrip(". ")
            whole = wrongly_done(case, position, f"{text} completely", (Role.MANNER,))
            yield inserted(whole, following, f"{text} partially", event_id="P02"), following


def use_before_intro(case: Case) -> _Options:
    """The step that gets a thing is replaced, and the thing is used all the same."""
    for position, action in _actions(case, Family.ACQUIRE):
        for head in action.objects[:1]:
            is_first = not any(mentions(row.text or "", head) for row in case.rows[:position])
            later = next(_is_used_later(case, position, head), None)
            named = [p for p in range(position + 1, len(case.rows))
                     if mentions(case.rows[p].text or "", head)]  # fmt: skip
            if is_first and later is not None and named[0] == later:
                yield substituted(case, position, _FLOURISH), later


def _used_things(case: Case) -> Iterator[tuple[int, str]]:
    """Yield (row, thing) for things in use that were got before, one by one."""
    for position, action in _actions(case, Family.ACQUIRE):
        for head in action.objects[:1]:
            if not is_plural(as_words(head)):
                yield from ((later, head) for later in _is_used_later(case, position, head))


def portable_not_held(case: Case) -> _Options:
    for later, head in _used_things(case):
        family = actions_of(case.rows[later].text or "").actions[0].family
        if family not in {Family.RELEASE, Family.LOOK, Family.TAKE_OUT}:
            yield inserted(case, later, f"Put away {_the(head)}"), later + 1


def dup_get_no_put(case: Case) -> _Options:
    for position, action in _actions(case, Family.ACQUIRE):
        if action.objects and not is_plural(as_words(action.objects[0])):
            text = f"Get {_the(action.objects[0])}"
            yield inserted(case, position, text), position + 1


def use_after_dispose(case: Case) -> _Options:
    for later, head in _used_things(case):
        family = actions_of(case.rows[later].text or "").actions[0].family
        if family is not Family.DISPOSE:
            yield inserted(case, later, f"Throw {_the(head)} in the trash can"), later + 1


def _done_twice(case: Case, family: Family, verb: str) -> _Options:
    """The action is done just before the step that does it."""
    for position, action in _actions(case, family):
        if action.objects and not is_plural(as_words(action.objects[0])):
            yield inserted(case, position, f"{verb} {_the(action.objects[0])}"), position + 1


def already_open(case: Case) -> _Options:
    yield from _done_twice(case, Family.OPEN, "Open")


def already_closed(case: Case) -> _Options:
    yield from _done_twice(case, Family.CLOSE, "Close")


def already_on(case: Case) -> _Options:
    yield from _done_twice(case, Family.SWITCH_ON, "Turn on")


def already_off(case: Case) -> _Options:
    yield from _done_twice(case, Family.SWITCH_OFF, "Turn off")


def use_while_closed(case: Case) -> _Options:
    for position, action in _actions(case, Family.ACQUIRE, Family.ADD, Family.TAKE_OUT):
        if action.origin is not None:
            text = f"Close {_the(action.origin.head)}"
            yield inserted(case, position, text), position + 1


def heat_while_off(case: Case) -> _Options:
    for position, _ in _actions(case, Family.HEAT):
        yield inserted(case, position, "Turn off the stove"), position + 1


def location_mismatch(case: Case) -> _Options:
    for position, action in _actions(case, Family.STIR, Family.CUT, Family.HEAT):
        if action.objects and action.location is not None and action.location.is_inside:
            text = f"Put {_the(action.objects[0])} into the bucket"
            yield inserted(case, position, text), position + 1


def location_mismatch_on_get(case: Case) -> _Options:
    for position, action in _actions(case, Family.ACQUIRE):
        if action.objects and action.origin is not None and _is_one(case, action.objects[0]):
            text = f"Put {_the(action.objects[0])} into the bucket"
            yield inserted(case, position, text), position + 1


def back_to_same_place(case: Case) -> _Options:
    for position, action in _actions(case, Family.PLACE):
        following = position + 1
        if following not in set(unchanged_positions(case)) or not action.objects:
            continue
        if action.destination is not None and action.destination.is_inside is not None:
            word = "into" if action.destination.is_inside else "onto"
            where = f"{word} {_the(action.destination.head)}"
            text = f"Put {_the(action.objects[0])} back {where}"
            yield inserted(case, following, text), following


def affordance_mismatch(case: Case) -> _Options:
    for position, action in _actions(case, Family.CUT):
        text = case.rows[position].text or ""
        for head in action.objects[:1]:
            spans = spans_of(text, head)
            salt = recognise("salt", case.take.scene.domain)
            if spans and salt is not None:
                yield (
                    substituted(
                        case, position, replace_noun(text, spans[0], salt.kind.noun("salt"))
                    ),
                    position,
                )


def product_not_made(case: Case) -> _Options:
    """The step that cuts something is replaced, and a later one calls it cut."""
    for position, action in _actions(case, Family.CUT):
        participle = {"CHOP": "chopped", "CUT": "cut", "DICE": "diced", "SLICE": "sliced"}
        word = participle.get(action.predicate)
        for head in action.objects[:1] if word else ():
            phrase = f"{word} {as_words(head)}"
            others = [p for p, other in _actions(case, Family.CUT) if p != position
                      and compact(head) in map(compact, other.objects)]  # fmt: skip
            later = [p for p in unchanged_positions(case)
                     if p > position and phrase in (case.rows[p].text or "").lower()]  # fmt: skip
            if later and not others:
                yield substituted(case, position, _FLOURISH), later[0]


def order_broken(case: Case) -> _Options:
    for family, verb in ((Family.OPEN, "Close"), (Family.SWITCH_ON, "Turn off")):
        for position, action in _actions(case, family):
            for head in action.objects[:1]:
                if not any(mentions(row.text or "", head) for row in case.rows[:position]):
                    yield inserted(case, position, f"{verb} {_the(head)}"), position


PLANTERS: dict[str, Planter] = {
    planter.__name__.upper(): planter
    for planter in (
        predicate_changed, role_not_mutated, other_role_mutated, cascade_missing,
        neighbour_duplicate, step_repeated, degree_reversed, use_before_intro, portable_not_held,
        dup_get_no_put, use_after_dispose, already_open, already_closed, already_on, already_off,
        use_while_closed, heat_while_off, location_mismatch, location_mismatch_on_get,
        back_to_same_place, affordance_mismatch, product_not_made, order_broken,
    )
}  # fmt: skip
