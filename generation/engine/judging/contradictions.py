"""Where a procedure contradicts itself: rules about the state of things before each step.

A rule speaks only of what earlier texts said. `Contradiction.key` is what two procedures are
compared by: what the original does too, the writer is not blamed for.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from generation.engine.english.actions import Action, Place, StepActions, actions_of
from generation.engine.english.families import PUTTING, Family
from generation.engine.english.forms import is_plural
from generation.engine.english.surface import as_words
from generation.engine.english.words import compact, kin
from generation.engine.judging.world import ANYWHERE, World
from generation.engine.word_lists import word_set

# A thing that is got again after more steps than this was put down in between, said or not.
MAX_HELD_STEPS = 4
_HEAT_SOURCES = word_set(
    "stove burner hob cooker stovetop oven fire flame heat kettle toaster knob cooktop"
)
_BRINGING = frozenset({Family.ACQUIRE, Family.TAKE_OUT})
# Putting away what is put away is for `BACK_TO_SAME_PLACE` and `STEP_REPEATED` to say.
_NEEDS_NO_HOLD = _BRINGING | {Family.LOOK, Family.RELEASE}
# Who does this takes the thing from where it is.
_FETCHING = frozenset({"MOVE", "SLIDE", "PUSH", "PULL"})
# There is more of the same where these words name the place.
_SUPPLIES = word_set(
    "holder dispenser pack packet package box roll carton jar bag bottle container stack"
)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Step `position` cannot be done as it is said, given what the steps before it did.

    Where it is about places, `known_place` is where the thing was put and `stated_place` where the
    step says it is.
    """

    code: str
    position: int
    entity: str
    detail: str
    known_place: str | None = None
    stated_place: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.code, compact(self.entity)


_Found = Iterator[Contradiction]


def contradictions_of(
    texts: Iterable[str | None], *, corrections: Collection[int] = ()
) -> list[Contradiction]:
    """Return where the steps contradict each other, in order; None stands for a step left out.

    `corrections` are the steps that undo or redo others: they may do again what is done, and what
    they put back is left at hand.
    """
    world = World()
    found: list[Contradiction] = []
    for position, text in enumerate(texts):
        if text is None:
            continue
        step = actions_of(text)
        is_correction = position in corrections
        for action in step.actions:
            for rule in _RULES_OF_CORRECTIONS if is_correction else _RULES:
                found.extend(rule(world, step, action, position))
            world.apply(action, position)
            if is_correction:
                world.leave_at_hand(action)
    return found


def _used_while_away(world: World, step: StepActions, action: Action, position: int) -> _Found:
    if action.family in _NEEDS_NO_HOLD or step.is_fresh:
        return
    for head in action.instruments[:1] if action.predicate in _FETCHING else action.used:
        since = world.put_away.get(compact(head))
        if since is not None:
            detail = f"{as_words(head)} is used; it was put away and not got again since"
            yield Contradiction("PORTABLE_NOT_HELD", position, head, detail)


def _got_twice(world: World, step: StepActions, action: Action, position: int) -> _Found:
    if action.family is not Family.ACQUIRE or step.is_fresh or step.is_new:
        return
    for head in action.objects[:1]:
        since = world.held.get(compact(head))
        if since is None or position - since > MAX_HELD_STEPS or is_plural(as_words(head)):
            continue
        detail = f"{as_words(head)} is got again; it was got and not put down since"
        yield Contradiction("DUP_GET_NO_PUT", position, head, detail)


def _used_after_disposal(world: World, step: StepActions, action: Action, position: int) -> _Found:
    if action.family in {Family.ACQUIRE, Family.DISPOSE} or step.is_fresh:
        return
    for head in action.used:
        if compact(head) in world.thrown_away:
            detail = f"{as_words(head)} is used; it was thrown away before"
            yield Contradiction("USE_AFTER_DISPOSE", position, head, detail)


def _opened_twice(world: World, step: StepActions, action: Action, position: int) -> _Found:
    yield from _same_state(
        (Family.OPEN, world.is_open, True, "ALREADY_OPEN", "opened; it is open"),
        step, action, position,
    )  # fmt: skip


def _closed_twice(world: World, step: StepActions, action: Action, position: int) -> _Found:
    yield from _same_state(
        (Family.CLOSE, world.is_open, False, "ALREADY_CLOSED", "closed; it is closed"),
        step, action, position,
    )  # fmt: skip


def _switched_on_twice(world: World, step: StepActions, action: Action, position: int) -> _Found:
    yield from _same_state(
        (Family.SWITCH_ON, world.is_on, True, "ALREADY_ON", "switched on; it is on"),
        step, action, position,
    )  # fmt: skip


def _switched_off_twice(world: World, step: StepActions, action: Action, position: int) -> _Found:
    yield from _same_state(
        (Family.SWITCH_OFF, world.is_on, False, "ALREADY_OFF", "switched off; it is off"),
        step, action, position,
    )  # fmt: skip


_StateRule = tuple[Family, dict[str, bool], bool, str, str]


def _same_state(rule: _StateRule, step: StepActions, action: Action, position: int) -> _Found:
    family, states, state, code, what = rule
    if action.family is not family or step.is_fresh:
        return
    for head in action.objects[:1]:
        if states.get(compact(head)) is state and not is_plural(as_words(head)):
            yield Contradiction(code, position, head, f"{as_words(head)} is {what} already")


def _used_while_closed(world: World, step: StepActions, action: Action, position: int) -> _Found:
    """Something is taken out of, or put into, what was closed."""
    vessels = [action.origin] if action.family in _BRINGING | {Family.ADD} else []
    if action.family in PUTTING and action.destination and action.destination.is_inside:
        vessels.append(action.destination)
    for vessel in vessels:
        if vessel is not None and world.is_open.get(compact(vessel.head)) is False:
            detail = f"{as_words(vessel.head)} is closed, and something goes in or out of it"
            yield Contradiction("USE_WHILE_CLOSED", position, vessel.head, detail)


def _heated_while_off(world: World, step: StepActions, action: Action, position: int) -> _Found:
    if action.family is not Family.HEAT:
        return
    sources = {thing: on for thing, on in world.is_on.items() if _is_heat_source(thing)}
    if sources and not any(sources.values()):
        source = next(iter(sources))
        detail = f"{action.predicate.lower()} while the {source} is off"
        yield Contradiction("HEAT_WHILE_OFF", position, source, detail)


def _is_heat_source(thing: str) -> bool:
    return any(thing.endswith(word) for word in _HEAT_SOURCES)


def _elsewhere(world: World, step: StepActions, action: Action, position: int) -> _Found:
    """The thing is said to be in one vessel and was put into another (or on two surfaces)."""
    is_taken = action.family in _BRINGING
    stated = action.origin if is_taken else action.location
    if stated is None or not action.objects or step.is_fresh:
        return
    head = action.objects[0]
    known = world.places.get(compact(head), {})
    rivals = [place for place in known.values() if _may_compare(place, stated, is_taken)]
    if not rivals or len(rivals) < len(known) or kin(stated.head) in known:
        return
    # There may be more of it where the first one came from.
    if is_taken and _is_supply(world, head, stated):
        return
    if _is_around(world, known, stated):
        return
    code = "LOCATION_MISMATCH_ON_GET" if is_taken else "LOCATION_MISMATCH"
    where = " and ".join(as_words(place.head) for place in rivals)
    detail = f"{as_words(head)} is said to be at {as_words(stated.head)}; it was put at {where}"
    yield Contradiction(code, position, head, detail, rivals[-1].head, stated.head)


def _is_supply(world: World, head: str, stated: Place) -> bool:
    known = world.supplies.get(compact(head), set())
    return kin(stated.head) in _SUPPLIES or bool(known & {kin(stated.head), ANYWHERE})


def _may_compare(place: Place, stated: Place, is_taken: bool) -> bool:
    """What is in a bowl may well be on the table; what is in a bowl is in no other vessel."""
    if place.is_inside is None:
        return False
    return is_taken or place.is_inside is stated.is_inside is True


def _is_around(world: World, known: dict[str, Place], stated: Place) -> bool:
    """Return whether a place of the thing stands, or may stand, at the stated one."""
    return any(kin(stated.head) in world.places.get(compact(p.head), {}) for p in known.values())


def _put_back_where_it_is(world: World, step: StepActions, action: Action, position: int) -> _Found:
    if not action.is_back or action.destination is None or action.family not in PUTTING:
        return
    for head in action.objects[:1]:
        known = world.places.get(compact(head), {})
        if set(known) == {kin(action.destination.head)} and compact(head) in world.untouched:
            where = as_words(action.destination.head)
            detail = f"{as_words(head)} is put back at {where}, where it is"
            yield Contradiction("BACK_TO_SAME_PLACE", position, head, detail)


_RULES = (
    _used_while_away,
    _got_twice,
    _used_after_disposal,
    _opened_twice,
    _closed_twice,
    _switched_on_twice,
    _switched_off_twice,
    _used_while_closed,
    _heated_while_off,
    _elsewhere,
    _put_back_where_it_is,
)
_RULES_OF_CORRECTIONS = (_used_while_away, _used_after_disposal, _heated_while_off)
# What comes of leaving out a planned step is that mistake's own effect; these need the thing there.
_NEVER_EXCUSED = frozenset({"PORTABLE_NOT_HELD"})


def excused_keys(
    original: Sequence[str], planned: Sequence[str | None]
) -> frozenset[tuple[str, str]]:
    """Return the contradictions that are none of the writer's doing.

    `original` are the steps of the procedure, `planned` the same with nothing but the planned
    deletions and swaps carried out. A thing for which the original itself breaks a rule is not
    tracked closely enough by its texts for that rule to mean anything.
    """
    own = {found.key for found in contradictions_of(original)}
    entailed = {
        found.key for found in contradictions_of(planned) if found.code not in _NEVER_EXCUSED
    }
    return frozenset(own | entailed)
