"""Where a procedure contradicts itself: rules about the state of things before each step.

A rule only uses what earlier texts say. Contradictions of two procedures are compared by
`Contradiction.key`: the writer is not blamed for those that the original has as well.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from generation.engine.english.actions import Action, StepActions, actions_of
from generation.engine.english.families import PUTTING, Family
from generation.engine.english.forms import is_plural
from generation.engine.english.surface import as_words
from generation.engine.english.words import compact, kin
from generation.engine.judging.words import WORDS
from generation.engine.judging.world import ANYWHERE, STATE_OF, World

# After more steps than this, a thing that is got again was probably put down without mention.
MAX_HELD_STEPS = 4
_HEAT_SOURCES = tuple(WORDS.heat_sources)
_BRINGING = frozenset({Family.ACQUIRE, Family.TAKE_OUT})
# Releasing a thing that is already put away is left to `BACK_TO_SAME_PLACE` and `STEP_REPEATED`.
_NEEDS_NO_HOLD = _BRINGING | {Family.LOOK, Family.RELEASE}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Step `position` cannot be done as it says, given the steps before it.

    If it is about places, `actual_place` is where the thing was put, and `stated_place` where the
    step says that it is.
    """

    code: str
    position: int
    entity: str
    detail: str
    actual_place: str | None = None
    stated_place: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.code, compact(self.entity)


_Contradictions = Iterator[Contradiction]


def contradictions_of(
    texts: Iterable[str | None], *, corrections: Collection[int] = ()
) -> list[Contradiction]:
    """The contradictions of the steps, in order; a text is None for a step that is left out.

    `corrections` are the steps that undo or redo others: they may repeat actions, and what they put
    back stays at hand.
    """
    world = World()
    contradictions: list[Contradiction] = []
    for world.position, text in enumerate(texts):
        step = actions_of(text or "")
        is_correction = world.position in corrections
        for action in step.actions:
            for rule in _RULES_OF_CORRECTIONS if is_correction else _RULES:
                contradictions.extend(rule(world, step, action))
            world.apply(action)
            if is_correction:
                world.leave_at_hand(action)
    return contradictions


def _contradiction(world: World, code: str, head: str, what: str, *places: str) -> Contradiction:
    return Contradiction(code, world.position, head, f"{as_words(head)} {what}", *places)


def _used_while_away(world: World, step: StepActions, action: Action) -> _Contradictions:
    if action.family in _NEEDS_NO_HOLD or step.is_fresh:
        return
    for head in action.instruments[:1] if action.predicate in WORDS.fetching else action.used:
        if compact(head) in world.put_away:
            what = "is used; it was put away and not got again since"
            yield _contradiction(world, "PORTABLE_NOT_HELD", head, what)


def _got_twice(world: World, step: StepActions, action: Action) -> _Contradictions:
    if action.family is not Family.ACQUIRE or step.is_fresh or step.is_new:
        return
    for head in action.objects[:1]:
        since = world.held.get(compact(head))
        is_recent = since is not None and world.position - since <= MAX_HELD_STEPS
        if is_recent and not is_plural(as_words(head)):
            what = "is got again; it was got and not put down since"
            yield _contradiction(world, "DUP_GET_NO_PUT", head, what)


def _used_after_disposal(world: World, step: StepActions, action: Action) -> _Contradictions:
    if action.family in {Family.ACQUIRE, Family.DISPOSE} or step.is_fresh:
        return
    for head in action.used:
        if compact(head) in world.thrown_away:
            yield _contradiction(
                world, "USE_AFTER_DISPOSE", head, "is used; it was thrown away before"
            )


def _in_that_state_already(world: World, step: StepActions, action: Action) -> _Contradictions:
    if action.family not in STATE_OF or step.is_fresh:
        return
    quality, state, code, what = STATE_OF[action.family]
    for head in action.objects[:1]:
        if world.states[quality].get(compact(head)) is state and not is_plural(as_words(head)):
            yield _contradiction(world, code, head, f"is {what} already")


def _used_while_closed(world: World, step: StepActions, action: Action) -> _Contradictions:
    """Something is taken out of, or put into, a closed thing."""
    vessels = [action.origin] if action.family in _BRINGING | {Family.ADD} else []
    if action.family in PUTTING and action.destination and action.destination.is_inside:
        vessels.append(action.destination)
    for vessel in vessels:
        if vessel is not None and world.states["open"].get(compact(vessel.head)) is False:
            what = "is closed, and something goes in or out of it"
            yield _contradiction(world, "USE_WHILE_CLOSED", vessel.head, what)


def _heated_while_off(world: World, step: StepActions, action: Action) -> _Contradictions:
    if action.family is not Family.HEAT:
        return
    sources = {
        thing: on for thing, on in world.states["on"].items() if thing.endswith(_HEAT_SOURCES)
    }
    if sources and not any(sources.values()):
        source = next(iter(sources))
        detail = f"{action.predicate.lower()} while the {source} is off"
        yield Contradiction("HEAT_WHILE_OFF", world.position, source, detail)


def _elsewhere(world: World, step: StepActions, action: Action) -> _Contradictions:
    """The step says that a thing is in one vessel, but it was put into another (or surfaces)."""
    is_taken = action.family in _BRINGING
    stated = action.origin if is_taken else action.location
    if stated is None or not action.objects or step.is_fresh:
        return
    head = action.objects[0]
    places, stated_kin = world.places.get(compact(head), {}), kin(stated.head)
    # A thing in a bowl may well be on the table, but not in another vessel.
    rivals = [
        place
        for place in places.values()
        if place.is_inside is not None and (is_taken or place.is_inside is stated.is_inside is True)
    ]
    if not rivals or len(rivals) < len(places) or stated_kin in places:
        return
    # There may be more of it where it came from.
    supplies = world.supplies.get(compact(head), set())
    if is_taken and (stated_kin in WORDS.supplies or supplies & {stated_kin, ANYWHERE}):
        return
    # The vessel of the thing may itself be at the stated place.
    if any(stated_kin in world.places.get(compact(place.head), {}) for place in places.values()):
        return
    code = "LOCATION_MISMATCH_ON_GET" if is_taken else "LOCATION_MISMATCH"
    where = " and ".join(as_words(place.head) for place in rivals)
    what = f"is said to be at {as_words(stated.head)}; it was put at {where}"
    yield _contradiction(world, code, head, what, rivals[-1].head, stated.head)


def _put_back_where_it_is(world: World, step: StepActions, action: Action) -> _Contradictions:
    if not action.is_back or action.destination is None or action.family not in PUTTING:
        return
    for head in action.objects[:1]:
        places = world.places.get(compact(head), {})
        if set(places) == {kin(action.destination.head)} and compact(head) in world.untouched:
            what = f"is put back at {as_words(action.destination.head)}, where it is"
            yield _contradiction(world, "BACK_TO_SAME_PLACE", head, what)


_RULES = (
    _used_while_away,
    _got_twice,
    _used_after_disposal,
    _in_that_state_already,
    _used_while_closed,
    _heated_while_off,
    _elsewhere,
    _put_back_where_it_is,
)
_RULES_OF_CORRECTIONS = (_used_while_away, _used_after_disposal, _heated_while_off)
# Contradictions that follow from a planned deletion are its effect, except this one: the thing has
# to be got again before it is used.
_NEVER_EXCUSED = frozenset({"PORTABLE_NOT_HELD"})


def excused_keys(
    original: Sequence[str], planned: Sequence[str | None]
) -> frozenset[tuple[str, str]]:
    """The contradictions that the writer is not responsible for.

    `original` are the steps of the procedure, `planned` the same after nothing but the planned
    deletions and swaps. If the original itself breaks a rule for a thing, its texts do not track
    that thing closely enough for the rule to mean anything.
    """
    own = {item.key for item in contradictions_of(original)}
    entailed = {item.key for item in contradictions_of(planned) if item.code not in _NEVER_EXCUSED}
    return frozenset(own | entailed)
