"""How the hand moves while it follows a direction: where everything is at one moment of a step."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sample.stage import HAND_MOTIONS, OFF, OFF_X, TOOL_MOTIONS, Direction, Motion, State

# Where the hand waits: below the right corner of the picture, under the caption.
REST = (600.0, 430.0)
# When a step's change becomes visible, as a share of the step.
CHANGE_AT = {
    Motion.CARRY: 0.72,
    Motion.INTO: 0.72,
    Motion.DROP: 0.72,
    Motion.TOUCH: 0.5,
    Motion.POUR: 0.62,
}
USUAL_CHANGE_AT = 0.68
# How high above the straight line a thing is carried, in pixels.
LIFT = 36.0


@dataclass(frozen=True, slots=True)
class Pose:
    """One moment of a gesture.

    `hand` is the tip of the hand in pixels; `held` the prop in it, moved by `offset` pixels from
    where it stands and turned by `angle` degrees. `stream` runs from the first point to the second.
    `ring` is how much of the ring round `ring_at` is drawn, `ring_radius` its size in pixels.
    """

    hand: tuple[float, float]
    held: str = ""
    offset: tuple[float, float] = (0.0, 0.0)
    angle: float = 0.0
    stream: tuple[tuple[float, float], tuple[float, float]] | None = None
    ring: float = 0.0
    ring_at: tuple[float, float] = (0.0, 0.0)
    ring_radius: float = 0.0


Key = tuple[float, float, float, float]  # share of the step, x and y in pixels, degrees


def changes_at(direction: Direction) -> float:
    """At which share of the step the picture changes to the state after it."""
    return CHANGE_AT.get(direction.motion, USUAL_CHANGE_AT)


def pose_at(state: State, direction: Direction, progress: float) -> Pose:
    """The pose at `progress` (0 to 1) of a step that began in `state`."""
    if direction.motion in HAND_MOTIONS:
        return _hand_pose(state, direction, progress)
    keys = _tool_keys(state, direction) if direction.motion in TOOL_MOTIONS else None
    return _held_pose(state, direction, keys or _carry_keys(state, direction), progress)


def _ease(share: float) -> float:
    share = min(max(share, 0.0), 1.0)
    return share * share * (3 - 2 * share)


def _between(keys: Sequence[Key], progress: float) -> tuple[float, float, float]:
    for (from_p, *start), (to_p, *end) in pairwise(keys):
        if progress <= to_p:
            share = _ease((progress - from_p) / (to_p - from_p))
            x, y, angle = (a + (b - a) * share for a, b in zip(start, end, strict=True))
            return x, y, angle
    return keys[-1][1:]


def _carry_keys(state: State, direction: Direction) -> list[Key]:
    (x, y), motion = state.position(direction.prop), direction.motion
    if direction.target == OFF:
        return [(0.0, x, y, 0.0), (0.25, x, y, 0.0), (0.4, x, y - LIFT, 0.0), (0.72, OFF_X, y, 0.0)]
    to_x, to_y = state.seat_of(direction.target)
    if motion is Motion.DROP:
        high = min(y, to_y) - 90
        return [
            (0.0, x, y, 0.0),
            (0.2, x, y, 0.0),
            (0.45, to_x, high, 10.0),
            (0.58, to_x, to_y, 140.0),
            (0.65, to_x, to_y - 12, 170.0),
            (0.72, to_x, to_y, 180.0),
        ]
    top = min(y, to_y) - LIFT
    keys = [(0.0, x, y, 0.0), (0.25, x, y, 0.0), (0.48, (x + to_x) / 2, top, 0.0)]
    if motion is Motion.INTO:
        return [*keys, (0.6, to_x, to_y - 14, 0.0), (0.72, to_x, to_y + 24, 0.0)]
    return [*keys, (0.72, to_x, to_y, 0.0)]


def _tool_keys(state: State, direction: Direction) -> list[Key]:
    x, y = state.position(direction.prop)
    tool, target = state.props[direction.prop], state.props[direction.target]
    to_x, base_y = state.position(direction.target)
    top_y = state.top_of(direction.target)
    # Where the base of the tool stands while it works, and how far it is turned.
    match direction.motion:
        case Motion.POUR:
            # Spouts point to the left: the tilted vessel is held to the right of the target.
            to_x, to_y, angle = to_x + tool.height / 2 + 4, top_y - 22, 68.0
        case Motion.DIP | Motion.STIR:
            to_y, angle = top_y + target.height * 0.35, 70.0 if tool.width > tool.height else 0.0
        case Motion.PUMP:
            to_x, to_y, angle = to_x + target.width / 2 + tool.width / 2, base_y, 0.0
        case Motion.TURN:
            to_x, to_y = to_x + target.width * 0.3, top_y + target.height * 0.3
            angle = 35.0
        case _:
            to_y, angle = top_y + min(target.height * 0.5, 30.0), 0.0
    return [
        (0.0, x, y, 0.0),
        (0.16, x, y, 0.0),
        (0.36, to_x, to_y, angle),
        (0.78, to_x, to_y, angle),
        (0.92, x, y, 0.0),
    ]


def _wobble(motion: Motion, progress: float) -> tuple[float, float, float]:
    """How far a working tool swings from its place: pixels, pixels, degrees."""
    if not 0.36 <= progress <= 0.78:
        return 0.0, 0.0, 0.0
    turn = 2 * math.pi * (progress - 0.36) / 0.42
    match motion:
        case Motion.SAW:
            return 14 * math.sin(4 * turn), 2 * abs(math.sin(2 * turn)), 0.0
        case Motion.RUB:
            return 26 * math.sin(3 * turn), 0.0, 0.0
        case Motion.STIR:
            return 9 * math.sin(3 * turn), 3 * math.cos(3 * turn), 0.0
        case Motion.TURN:
            return 0.0, 0.0, 28 * math.sin(2 * turn)
        case Motion.DIP:
            return 0.0, -16 * math.cos(turn), 0.0
        case Motion.PUMP:
            return 0.0, -7 + 7 * math.cos(4 * turn), 0.0
        case _:
            return 0.0, 0.0, 2 * math.sin(2 * turn)


def _held_pose(state: State, direction: Direction, keys: list[Key], progress: float) -> Pose:
    home_x, home_y = state.position(direction.prop)
    prop = state.props[direction.prop]
    x, y, angle = _between(keys, progress)
    dx, dy, turn = _wobble(direction.motion, progress)
    x, y, angle = x + dx, y + dy, angle + turn
    let_go = 0.45 if direction.motion is Motion.DROP else keys[-1][0]
    hand = _hand_with(prop.width, prop.height, (x, y), (keys[1][0], let_go), keys, progress)
    stream = None
    if direction.motion is Motion.POUR and 0.38 <= progress <= 0.76:
        target_x, _y = state.position(direction.target)
        mouth_y = y - prop.height / 2 + 6
        stream = ((target_x, mouth_y), (target_x, max(mouth_y, state.top_of(direction.target) + 8)))
    return Pose(
        hand=hand,
        held=direction.prop,
        offset=(x - home_x, y - home_y),
        angle=angle,
        stream=stream,
    )


def _hand_with(
    width: float,
    height: float,
    base: tuple[float, float],
    grip: tuple[float, float],
    keys: list[Key],
    progress: float,
) -> tuple[float, float]:
    """The tip of the hand: coming, holding the prop from `grip[0]` to `grip[1]`, going."""
    reach = (width * 0.3, -height * 0.45)
    if progress < grip[0]:
        share = _ease(progress / grip[0])
        goal = (keys[0][1] + reach[0], keys[0][2] + reach[1])
    elif progress <= grip[1]:
        return base[0] + reach[0], base[1] + reach[1]
    else:
        share = 1 - _ease((progress - grip[1]) / (1 - grip[1]))
        let_go_x, let_go_y, _angle = _between(keys, grip[1])
        goal = (let_go_x + reach[0], let_go_y + reach[1])
    return tuple(rest + (to - rest) * share for rest, to in zip(REST, goal, strict=True))  # type: ignore[return-value] # two coordinates in, two out


def _hand_pose(state: State, direction: Direction, progress: float) -> Pose:
    x, y = state.position(direction.prop)
    prop = state.props[direction.prop]
    middle = (x, y - prop.height / 2)
    radius = max(prop.width, prop.height) / 2 + 12
    if direction.motion is Motion.WAIT:
        ring = min(progress / 0.9, 1.0)
        return Pose(hand=REST, ring=ring, ring_at=middle, ring_radius=radius)
    there = _ease(progress / 0.25) * (1 - _ease((progress - 0.8) / 0.2))
    press = 5 * math.sin(6 * math.pi * progress) if 0.25 <= progress <= 0.8 else 0.0
    goal = (middle[0] + 8, middle[1] + press)
    if direction.motion is Motion.POINT:
        goal = (middle[0] + radius + 6, middle[1] + 6)
    hand = (REST[0] + (goal[0] - REST[0]) * there, REST[1] + (goal[1] - REST[1]) * there)
    is_pointing = direction.motion is Motion.POINT and 0.2 <= progress <= 0.85
    ring = 1.0 if is_pointing else 0.0
    return Pose(hand=hand, ring=ring, ring_at=middle, ring_radius=radius)
