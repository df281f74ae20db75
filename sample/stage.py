"""What stands where on the drawn worktop, before and after each step of a procedure.

A scene names its props and gives one direction per step text: which prop moves, how, to where and
what has changed afterwards. A mistake is therefore seen in the picture because its own text has
its own direction, and a missing step because its direction was never followed.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

SCENES_PATH = Path(__file__).with_name("scenes.json")

WIDTH, HEIGHT = 640, 360  # pixels, of every frame
SHELF_Y, WORKTOP_Y = 126, 272  # pixels from the top: where things stand
SHELF_X = (60, 145, 230, 315, 400, 485, 575)
WORKTOP_X = (80, 200, 320, 440, 560)
# Where a prop that leaves the picture goes to.
OFF_X = WIDTH + 80

SLOTS = {
    **{f"s{n}": (x, SHELF_Y) for n, x in enumerate(SHELF_X, start=1)},
    **{f"w{n}": (x, WORKTOP_Y) for n, x in enumerate(WORKTOP_X, start=1)},
}
OFF = "off"
# The hand is no prop; a direction may still change its colour (gloves).
HAND = "hand"
# "under dripper" is what the dripper stands on when the step is done.
UNDER = "under "
BARE_HAND = "#e8bd9c"


class Motion(StrEnum):
    """The gestures that the hand knows."""

    CARRY = "carry"  # take a prop somewhere and leave it there
    INTO = "into"  # let a prop vanish inside another
    POUR = "pour"  # tilt a prop over another and put it back
    SAW = "saw"
    STIR = "stir"
    RUB = "rub"
    TURN = "turn"
    DIP = "dip"
    PUMP = "pump"
    DROP = "drop"  # lift a prop and let it fall
    TOUCH = "touch"
    POINT = "point"
    WAIT = "wait"


# Motions in which the prop is a tool that works on the target and comes back.
TOOL_MOTIONS = frozenset(
    {
        Motion.POUR,
        Motion.SAW,
        Motion.STIR,
        Motion.RUB,
        Motion.TURN,
        Motion.DIP,
        Motion.PUMP,
    }
)
# Motions of the bare hand.
HAND_MOTIONS = frozenset({Motion.TOUCH, Motion.POINT, Motion.WAIT})


@dataclass(frozen=True, slots=True)
class Prop:
    """One drawn thing; sizes in pixels.

    `at` is a slot or the prop it stands on; `seat` is how deep things stand in it, as a share of
    its height from the top. `fill` is the colour of its contents (or of its mark) up to `level`.
    """

    shape: str
    colour: str
    width: int
    height: int
    at: str
    fill: str = ""
    level: float = 0.0
    seat: float = 0.0
    shown: bool = True
    lit: bool = False


@dataclass(frozen=True, slots=True)
class Direction:
    """What happens in one step; `then` maps a prop to the fields that have changed afterwards."""

    motion: Motion
    prop: str
    target: str = ""
    then: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scene:
    """The props of one scenario as they stand at the start, and one direction per step text."""

    setting: str
    props: Mapping[str, Prop]
    directions: Mapping[str, Direction]


@dataclass(frozen=True, slots=True)
class State:
    """What the picture shows at one moment; `props` in the order in which they are drawn."""

    props: Mapping[str, Prop]
    hand_colour: str = BARE_HAND

    def is_visible(self, name: str) -> bool:
        """Whether the prop is seen: it is shown, and so is whatever it stands in."""
        prop = self.props[name]
        return prop.shown and (prop.at not in self.props or self.is_visible(prop.at))

    def position(self, name: str) -> tuple[float, float]:
        """Where the middle of the base of the prop stands, in pixels."""
        at = self.props[name].at
        if at in SLOTS:
            return SLOTS[at]
        if at == OFF:
            return OFF_X, WORKTOP_Y
        return self.seat_of(at)

    def seat_of(self, name: str) -> tuple[float, float]:
        """Where a thing that is put on the prop (or slot) stands."""
        if name in SLOTS:
            return SLOTS[name]
        x, y = self.position(name)
        host = self.props[name]
        return x, y - host.height * (1 - host.seat)

    def top_of(self, name: str) -> float:
        """The highest edge of the prop and of what stands on it, in pixels from the top."""
        shown = [member for member in self.group(name) if self.is_visible(member)]
        return min(
            self.position(member)[1] - self.props[member].height for member in shown or [name]
        )

    def group(self, name: str) -> list[str]:
        """The prop and everything that stands on it, hosts before guests."""
        members = [name]
        for member in members:
            members.extend(guest for guest, prop in self.props.items() if prop.at == member)
        return members


def load_scenes() -> dict[str, Scene]:
    content = json.loads(SCENES_PATH.read_text(encoding="utf-8"))
    return {
        scenario: Scene(
            setting=str(scene["setting"]),
            props={name: Prop(**value) for name, value in scene["props"].items()},
            directions={
                text: Direction(**{**value, "motion": Motion(value["motion"])})
                for text, value in scene["directions"].items()
            },
        )
        for scenario, scene in content.items()
    }


def opening_state(scene: Scene) -> State:
    return State(props=dict(scene.props))


def state_after(state: State, direction: Direction) -> State:
    props = dict(state.props)
    if direction.motion in (Motion.CARRY, Motion.DROP):
        moved = replace(props[direction.prop], at=direction.target)
        _to_front(props, state.group(direction.prop))
        props[direction.prop] = moved
    if direction.motion is Motion.INTO or direction.target == OFF:
        props[direction.prop] = replace(props[direction.prop], shown=False)
    hand_colour = state.hand_colour
    for named, changes in direction.then.items():
        # What is poured runs through to whatever the thing happens to stand on.
        name = props[named.removeprefix(UNDER)].at if named.startswith(UNDER) else named
        if name == HAND:
            hand_colour = str(changes["colour"])
        else:
            props[name] = replace(props[name], **changes)  # type: ignore[arg-type] # same
            if "at" in changes:
                _to_front(props, [name])
    return State(props=props, hand_colour=hand_colour)


def _to_front(props: dict[str, Prop], names: Iterable[str]) -> None:
    for name in names:
        props[name] = props.pop(name)
