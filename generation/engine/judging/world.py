"""The state of things over the steps of a procedure, according to their texts.

That is what is held, put away, thrown away, open or switched on, and where things were put. What no
step mentions is unknown, and assumed to be as it should be.
"""

from dataclasses import dataclass, field

from generation.engine.english.actions import Action, Place
from generation.engine.english.families import PUTTING, WORKING, Family
from generation.engine.english.surface import as_words
from generation.engine.english.words import compact, kin
from generation.engine.judging.words import WORDS

# The supply of a thing if no step says where it came from.
ANYWHERE = "*"
# By action: the quality that it changes, to which value, and the code and words of repeating it.
STATE_OF = {
    Family.OPEN: ("open", True, "ALREADY_OPEN", "opened; it is open"),
    Family.CLOSE: ("open", False, "ALREADY_CLOSED", "closed; it is closed"),
    Family.SWITCH_ON: ("on", True, "ALREADY_ON", "switched on; it is on"),
    Family.SWITCH_OFF: ("on", False, "ALREADY_OFF", "switched off; it is off"),
}
_LETTING_GO = frozenset({Family.PLACE, Family.ADD, Family.DROP, Family.MOVE})


@dataclass(slots=True)
class World:
    """The state before the step at `position`; keys are compact heads.

    The values of the first three are the steps since which it is so.
    """

    position: int = 0
    held: dict[str, int] = field(default_factory=dict)
    put_away: dict[str, int] = field(default_factory=dict)
    thrown_away: dict[str, int] = field(default_factory=dict)
    states: dict[str, dict[str, bool]] = field(default_factory=lambda: {"open": {}, "on": {}})
    places: dict[str, dict[str, Place]] = field(default_factory=dict)
    supplies: dict[str, set[str]] = field(default_factory=dict)
    untouched: set[str] = field(default_factory=set)

    def apply(self, action: Action) -> None:
        things = [compact(head) for head in action.objects]
        self.untouched.difference_update(map(compact, action.instruments))
        if action.family not in WORKING:
            self.untouched.difference_update(things)
        if action.family in STATE_OF:
            quality, state, *_ = STATE_OF[action.family]
            self.states[quality].update(dict.fromkeys(things[:1], state))
        elif action.family in {Family.ACQUIRE, Family.TAKE_OUT}:
            self._bring(action, things)
        elif action.family is Family.RELEASE:
            _forget(things[:1], self.held)
            self.put_away.update(dict.fromkeys(things[:1], self.position))
        elif action.family in _LETTING_GO:
            _forget(things, self.held, self.put_away)
        elif action.family is Family.DISPOSE:
            # "Throw" disposes of something only if it goes into a bin, not into a pan.
            place = action.destination if action.predicate in WORDS.throwing else None
            if place is None or WORDS.bins & set(as_words(place.head).split()):
                _forget(things[:1], self.held)
                self.thrown_away.update(dict.fromkeys(things[:1], self.position))
        if action.family in PUTTING and action.destination is not None and things:
            self._put(things[0], action.destination, is_added=action.family is Family.ADD)

    def leave_at_hand(self, action: Action) -> None:
        """After a correction, its things are neither in hand nor put away."""
        things = [compact(head) for head in action.objects]
        _forget(things, self.held)
        if action.predicate not in WORDS.storing:
            _forget(things, self.put_away)

    def _bring(self, action: Action, things: list[str]) -> None:
        _forget(things, self.put_away, self.thrown_away, self.places)
        for thing in things:
            if action.family is Family.ACQUIRE:
                self.held[thing] = self.position
                if action.origin is not None:
                    self.supplies.setdefault(thing, set()).add(kin(action.origin.head))

    def _put(self, thing: str, place: Place, *, is_added: bool) -> None:
        # A substance may be in several vessels at once, but a thing is in one place.
        if not is_added:
            self.places.pop(thing, None)
        elif thing not in self.places:
            # No step says where it came from, so there may be more of it anywhere.
            self.supplies.setdefault(thing, set()).add(ANYWHERE)
        self.untouched.add(thing)
        self.places.setdefault(thing, {})[kin(place.head)] = place


def _forget(things: list[str], *tables: dict[str, int] | dict[str, dict[str, Place]]) -> None:
    for thing in things:
        for table in tables:
            table.pop(thing, None)
