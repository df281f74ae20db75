"""What the watcher and the planner are asked, in our own words: the paper prints no prompts."""

from collections.abc import Sequence

from benchmarks.engine.guiding.decisions import Decision
from benchmarks.engine.guiding.loop_state import LoopState, Moment, Speaker, Spoken
from benchmarks.engine.guiding.plan_state import PlanState
from benchmarks.engine.prompts import numbered
from benchmarks.engine.task import Prompt

WATCHER_VERSION, PLANNER_VERSION = "guide.v2", "guide.planner.v1"
WATCHER_SYSTEM = (
    "You are an assistant who watches live, through a person's own camera, how they follow a plan."
    " Keep track of where they are. Say what to do next when a step is finished; speak up when a"
    " step is left out, done in the wrong order, with the wrong thing or in the wrong way, and say"
    " how to put it right; else be silent. Be brief."
)
WATCHER_ANSWER = (
    f"Answer with {Decision.INTERRUPT.token} and, right behind it, what you say in one sentence;"
    f" or with {Decision.SILENT.token} and nothing else."
)
PLANNER_SYSTEM = (
    "You keep the plan of a person at work for an assistant who watches through the person's own"
    " camera. You write the plan and nothing else."
)
PLANNER_ANSWER = """\
Write these six fields, each behind its mark:
<|mode|>start_proactive for the first plan, update_proactive while there is something left to do, \
end_proactive once all is done
<|goal|>the goal, in the words above
<|steps_completed_so_far|>a line for each step that is done
<|plan|>a line for each step that is left, in order; before the one to do now stands (Current)
<|step_complete_cues|>what can be seen when the current step is done
<|step_incomplete_cues|>what can be seen while it is not done
A step that is done stays among those that are done; where it has to be done once more, it stands \
in the plan as well. The two kinds of cues are about visible things, and never both true."""
NOTHING = "Nothing."
PICTURES = "Pictures of the recording, in the order of time:"


def watcher_prompt(moment: Moment, state: LoopState, history: Sequence[Spoken]) -> Prompt:
    """Asks for a decision at a moment."""
    plan = moment.plan
    if moment.has_planner:
        plan = "" if state.plan is None else plan_words(state.plan)
    parts = [
        f"Goal: {moment.goal}",
        *([plan] if plan else []),
        f"It is {moment.now_s:.1f} s into the recording.",
        said_words(history),
        *([f"The person asks you: {moment.asks}"] if moment.asks else []),
        WATCHER_ANSWER,
    ]
    return Prompt(
        WATCHER_VERSION, WATCHER_SYSTEM, "\n\n".join(parts), max_tokens=200, picture_note=PICTURES
    )


def planner_prompt(moment: Moment, state: LoopState, history: Sequence[Spoken]) -> Prompt:
    """Asks for the plan: the first one by the goal alone, later ones after the last words."""
    parts = [f"Goal: {moment.goal}"]
    if state.is_open:
        plan = "There is no plan yet." if state.plan is None else plan_words(state.plan)
        now = f"It is {moment.now_s:.1f} s into the recording."
        parts += [f"The plan so far:\n{plan}", now, said_words(history)]
    else:
        parts.append("Nothing was done yet.")
    return Prompt(
        PLANNER_VERSION,
        PLANNER_SYSTEM,
        "\n\n".join([*parts, PLANNER_ANSWER]),
        max_tokens=800,
        picture_note=PICTURES,
    )


def plan_words(plan: PlanState) -> str:
    """A planner's plan as the assistant reads it."""
    current = [] if plan.current is None else [plan.current]
    cues = (
        ("The current step is done when one sees", plan.complete_cues),
        ("It is not done while one sees", plan.incomplete_cues),
    )
    parts = [state_words(plan.completed, current, plan.next)]
    return "\n\n".join([*parts, *(f"{title}: {text}" for title, text in cues if text)])


def state_words(completed: Sequence[str], current: Sequence[str], following: Sequence[str]) -> str:
    """What is done of a plan, what is being done, and what is left."""
    lists = (("Completed", completed), ("Current", current), ("Next", following))
    return "\n\n".join(f"{title}:\n{numbered(steps) or NOTHING}" for title, steps in lists)


def said_words(history: Sequence[Spoken]) -> str:
    """What was said, with the seconds."""
    names = {Speaker.USER: "the person", Speaker.ASSISTANT: "you"}
    lines = [
        f"At {one.time_s:.1f} s, {names[one.who]}: {one.text or '(without words)'}"
        for one in history
    ]
    return "Said so far:\n" + ("\n".join(lines) if lines else NOTHING)
