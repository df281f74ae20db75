"""What an assistant that watches carries from one moment to the next, and what is given at each."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from annotation.engine.stored import from_stored
from benchmarks.engine.guiding.plan_state import PlanState
from benchmarks.engine.task import Stretch


class Speaker(StrEnum):
    """Who said something while the recording went on."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Spoken:
    """Words on the clock of the recording."""

    time_s: float
    who: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class LoopState:
    """The plan, None before there is one, what was said, and when the plan was renewed.

    `is_open`: the opening is over.
    """

    is_open: bool = False
    plan: PlanState | None = None
    history: tuple[Spoken, ...] = ()
    updates_s: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "LoopState":
        return from_stored(cls, stored)


@dataclass(frozen=True, slots=True)
class Moment:
    """A point of a recording, with what the assistant is given there.

    `plan` is what it is told of the plan, "" for nothing; with `has_planner` it is told the
    planner's instead. `history` and `clips` are those of the right answers, None for its own.
    `until_s` is the next moment: words that come later are late. `asks` is what the person asks.
    """

    now_s: float
    goal: str
    plan: str = ""
    has_planner: bool = False
    history: tuple[Spoken, ...] | None = None
    clips: tuple[Stretch, ...] | None = None
    until_s: float | None = None
    asks: str = ""
