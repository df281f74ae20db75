"""The state of things over the steps of a procedure, as their texts tell it.

What is held, put away, thrown away, open, switched on, and where things were put. What no step
mentions is not known, and is taken to be as it should be.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from generation.engine.english.actions import Action, Place
from generation.engine.english.families import PUTTING, WORKING, Family
from generation.engine.english.surface import as_words
from generation.engine.english.words import compact, kin
from generation.engine.word_lists import word_set

# The supply of a thing of which nobody said where it came from.
ANYWHERE = "*"
_BIN_WORDS = word_set("trash bin garbage dustbin waste rubbish can compost")
_STORING = frozenset({"PUT_AWAY", "STORE"})
_THROWING = frozenset({"THROW", "DUMP", "TOSS"})


@dataclass(slots=True)
class World:
    """The state after some steps; keys are compact heads, values the step that made it so."""

    held: dict[str, int] = field(default_factory=dict)
    put_away: dict[str, int] = field(default_factory=dict)
    thrown_away: dict[str, int] = field(default_factory=dict)
    is_open: dict[str, bool] = field(default_factory=dict)
    is_on: dict[str, bool] = field(default_factory=dict)
    places: dict[str, dict[str, Place]] = field(default_factory=dict)
    supplies: dict[str, set[str]] = field(default_factory=dict)
    untouched: set[str] = field(default_factory=set)

    def apply(self, action: Action, position: int) -> None:
        """Take over what an action does."""
        self.untouched.difference_update(map(compact, action.instruments))
        if action.family not in WORKING:
            self.untouched.difference_update(map(compact, action.objects))
        effect = _EFFECTS.get(action.family)
        if effect is not None:
            effect(self, action, position)
        if action.family in PUTTING:
            self._put(action)

    def leave_at_hand(self, action: Action) -> None:
        """Take back what only undoing made so: nothing is in hand, and nothing out of reach."""
        for head in action.objects:
            self.held.pop(compact(head), None)
            if action.predicate not in _STORING:
                self.put_away.pop(compact(head), None)

    def _put(self, action: Action) -> None:
        if action.destination is None:
            return
        for head in action.objects[:1]:
            thing = compact(head)
            # A substance may be in several vessels at once, a thing is in one place.
            if action.family is not Family.ADD:
                self.places.pop(thing, None)
            elif thing not in self.places:
                # Where it came from, and whether anything was left there, nobody said.
                self.supplies.setdefault(thing, set()).add(ANYWHERE)
            self.untouched.add(thing)
            self.places.setdefault(thing, {})[kin(action.destination.head)] = action.destination


def _acquire(world: World, action: Action, position: int) -> None:
    for head in action.objects:
        thing = compact(head)
        world.held[thing] = position
        world.put_away.pop(thing, None)
        world.thrown_away.pop(thing, None)
        world.places.pop(thing, None)
        if action.origin is not None:
            world.supplies.setdefault(thing, set()).add(kin(action.origin.head))


def _take_out(world: World, action: Action, position: int) -> None:
    for head in action.objects:
        thing = compact(head)
        world.put_away.pop(thing, None)
        world.thrown_away.pop(thing, None)
        world.places.pop(thing, None)


def _release(world: World, action: Action, position: int) -> None:
    for head in action.objects[:1]:
        world.held.pop(compact(head), None)
        world.put_away[compact(head)] = position


def _let_go(world: World, action: Action, position: int) -> None:
    for head in action.objects:
        world.held.pop(compact(head), None)
        world.put_away.pop(compact(head), None)


def _dispose(world: World, action: Action, position: int) -> None:
    if not _throws_away(action):
        return
    for head in action.objects[:1]:
        world.held.pop(compact(head), None)
        world.thrown_away[compact(head)] = position


def _throws_away(action: Action) -> bool:
    """One throws chopped onion into the pan, and shells into the bin."""
    if action.predicate not in _THROWING or action.destination is None:
        return True
    return any(word in _BIN_WORDS for word in as_words(action.destination.head).split())


def _open(world: World, action: Action, position: int) -> None:
    for head in action.objects[:1]:
        world.is_open[compact(head)] = True


def _close(world: World, action: Action, position: int) -> None:
    for head in action.objects[:1]:
        world.is_open[compact(head)] = False


def _switch_on(world: World, action: Action, position: int) -> None:
    for head in action.objects[:1]:
        world.is_on[compact(head)] = True


def _switch_off(world: World, action: Action, position: int) -> None:
    for head in action.objects[:1]:
        world.is_on[compact(head)] = False


_EFFECTS: dict[Family, Callable[[World, Action, int], None]] = {
    Family.ACQUIRE: _acquire,
    Family.TAKE_OUT: _take_out,
    Family.RELEASE: _release,
    Family.PLACE: _let_go,
    Family.ADD: _let_go,
    Family.DROP: _let_go,
    Family.MOVE: _let_go,
    Family.DISPOSE: _dispose,
    Family.OPEN: _open,
    Family.CLOSE: _close,
    Family.SWITCH_ON: _switch_on,
    Family.SWITCH_OFF: _switch_off,
}
