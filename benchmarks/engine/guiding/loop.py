"""The loop of an assistant that watches: the watcher decides, the planner keeps the plan.

    opening     planner (the goal alone) --plan-->
    each point  watcher (clips, what was said, plan) --silent--> the plan stays
                                                     --interrupt--> planner (last clip) --plan-->

It has no clock and asks nobody: it yields what it asks and is sent what came of it, so that a
queued assessment and the live page drive the same loop. The planner runs at the opening and after
an interrupt, never else; an answer of it that is no plan keeps the old one.
Source: Plan, Watch, Recover, sections 2.2, 2.5 and 6.1.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from enum import StrEnum

from benchmarks.engine.guiding.clips import CLIP_S, select_clips
from benchmarks.engine.guiding.decisions import Decision, read_decision
from benchmarks.engine.guiding.loop_prompts import planner_prompt, watcher_prompt
from benchmarks.engine.guiding.loop_state import LoopState, Moment, Speaker, Spoken
from benchmarks.engine.guiding.plan_state import PlanFaultError, PlanState, parse_plan
from benchmarks.engine.task import Request, Response, Stretch, Value

# The participant itself watches; whoever keeps the plan is a role of its own.
WATCHER, PLANNER = "", "planner"


class PlannerOutcome(StrEnum):
    """How the plan came to be what it is after a point; only RENEWED brings another one."""

    NOT_ASKED = "not asked"
    RENEWED = "renewed"
    NO_PLAN = "no plan in the answer"
    OTHER_GOAL = "another goal"
    UNDONE = "a completed step is open again"
    NEVER = "no answer"


@dataclass(frozen=True, slots=True)
class Step:
    """What the loop did at a moment, with its state from then on.

    `value` is the decision, None where there is none for the `reason`: never a silence. `lag_s` is
    how long after the moment an interrupt was spoken, and `is_late` that the next moment had come.
    """

    state: LoopState
    value: Value | None
    reason: str = ""
    planner: PlannerOutcome = PlannerOutcome.NOT_ASKED
    planner_reason: str = ""
    lag_s: float = 0.0
    is_late: bool = False


def advance(state: LoopState, moment: Moment) -> Generator[Request, Response, Step]:
    """Decide at a moment; the first one of a recording is the opening."""
    planner, planner_reason = PlannerOutcome.NOT_ASKED, ""
    is_opening = not state.is_open
    if is_opening:
        if moment.has_planner:
            state, planner, planner_reason = yield from _plan(state, moment)
        state = replace(state, is_open=True, updates_s=(*state.updates_s, moment.now_s))
    if moment.asks:
        state = _with(state, Spoken(moment.now_s, Speaker.USER, moment.asks))
    history = state.history if moment.history is None else moment.history
    clips = moment.clips
    if clips is None:
        clips = tuple(Stretch(*clip) for clip in select_clips(moment.now_s, state.updates_s))
    response = yield Request(WATCHER, watcher_prompt(moment, state, history), clips)
    if response.text is None:
        return Step(state, None, response.reason, planner, planner_reason)
    reading = read_decision(response.text)
    value = reading.value
    if value is None or value["answer"] != Decision.INTERRUPT:
        return Step(state, value, reading.reason, planner, planner_reason)
    spoken_s = moment.now_s if response.arrived_s is None else response.arrived_s
    state = _with(state, Spoken(spoken_s, Speaker.ASSISTANT, value["text"]))
    # The first plan is there already, and nothing was done since.
    if not is_opening:
        if moment.has_planner:
            state, planner, planner_reason = yield from _plan(state, moment)
        state = replace(state, updates_s=(*state.updates_s, moment.now_s))
    is_late = moment.until_s is not None and spoken_s > moment.until_s
    lag_s = round(spoken_s - moment.now_s, 3)
    return Step(state, value, "", planner, planner_reason, lag_s, is_late)


def _with(state: LoopState, spoken: Spoken) -> LoopState:
    return replace(state, history=(*state.history, spoken))


def _plan(
    state: LoopState, moment: Moment
) -> Generator[Request, Response, tuple[LoopState, PlannerOutcome, str]]:
    """Ask for the plan; at the opening nothing of the recording is shown."""
    own = state.history[-1:]
    said = state.history if moment.history is None else (*moment.history, *own)
    last = Stretch(max(0.0, moment.now_s - CLIP_S), moment.now_s)
    clips = (last,) if state.is_open else ()
    response = yield Request(PLANNER, planner_prompt(moment, state, said), clips)
    if response.text is None:
        return state, PlannerOutcome.NEVER, response.reason
    try:
        plan = parse_plan(response.text)
    except PlanFaultError as error:
        return state, PlannerOutcome.NO_PLAN, str(error)
    outcome, reason = _checked(plan, state.plan)
    if outcome is not PlannerOutcome.RENEWED:
        return state, outcome, reason
    return replace(state, plan=plan), outcome, ""


def _checked(plan: PlanState, before: PlanState | None) -> tuple[PlannerOutcome, str]:
    """Whether a plan may follow another: the same goal, and what is done stays done.

    A completed step may stand in the plan again, to be done once more, as long as it is also among
    the completed ones.
    """
    if before is None:
        return PlannerOutcome.RENEWED, ""
    if _plain(plan.goal) != _plain(before.goal):
        return PlannerOutcome.OTHER_GOAL, f"{plan.goal!r}; expected {before.goal!r}"
    done = {_plain(step) for step in plan.completed}
    left = {_plain(step) for step in (plan.current or "", *plan.next)} - done
    for step in before.completed:
        if _plain(step) in left:
            return PlannerOutcome.UNDONE, f"{step!r} was completed before"
    return PlannerOutcome.RENEWED, ""


def _plain(words: str) -> str:
    return " ".join(words.casefold().split()).rstrip(".")
