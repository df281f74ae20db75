"""The loop with a scripted watcher and planner: what it asks, when, and what follows."""

import pytest

from benchmarks.engine.guiding.loop import PLANNER, WATCHER, PlannerOutcome, advance
from benchmarks.engine.guiding.loop_state import LoopState, Moment, Speaker, Spoken
from benchmarks.engine.task import Response, Stretch

PLAN = """<|mode|>{mode}
<|goal|>{goal}
<|steps_completed_so_far|>{done}
<|plan|>{left}
<|step_complete_cues|>Steam rises.
<|step_incomplete_cues|>The water is still."""
SPEAKS, SILENT = "$interrupt$ Next: warm the pot.", "$silent$"


def plan(done="", left="1. (Current) Boil water\n2. Warm the pot", goal="Make tea", mode=None):
    mode = mode or ("update_proactive" if done else "start_proactive")
    return PLAN.format(mode=mode, goal=goal, done=done, left=left)


FIRST = plan()
SECOND = plan("1. Boil water", "1. (Current) Warm the pot")


def played(state, moment, *replies):
    """The step of the loop with these replies, and what it asked, in turn."""
    talk, asked, left = advance(state, moment), [], list(replies)
    try:
        request = next(talk)
        while True:
            asked.append(request)
            reply = left.pop(0)
            request = talk.send(reply if isinstance(reply, Response) else Response(reply))
    except StopIteration as end:
        assert left == []
        return end.value, asked


def opened(*, has_planner=True):
    replies = (FIRST, SPEAKS) if has_planner else (SPEAKS,)
    step, _ = played(LoopState(), Moment(0.0, "Make tea", has_planner=has_planner), *replies)
    return step.state


def later(state, *replies, now_s=10.0, **more):
    return played(state, Moment(now_s, "Make tea", has_planner=True, **more), *replies)


def test_the_opening_asks_the_planner_by_the_goal_alone_and_then_the_watcher():
    step, asked = played(LoopState(), Moment(0.0, "Make tea", has_planner=True), FIRST, SPEAKS)

    assert [one.role for one in asked] == [PLANNER, WATCHER]
    assert asked[0].stretches == ()
    assert "Nothing was done yet." in asked[0].prompt.text
    assert "1. Boil water" in asked[1].prompt.text
    assert step.planner is PlannerOutcome.RENEWED
    assert step.state.updates_s == (0.0,)
    assert step.state.history == (Spoken(0.0, Speaker.ASSISTANT, "Next: warm the pot."),)


def test_a_silence_asks_no_planner_and_leaves_the_plan():
    before = opened()

    step, asked = later(before, SILENT)

    assert [one.role for one in asked] == [WATCHER]
    assert step.state == before
    assert (step.value["answer"], step.planner) == ("silent", PlannerOutcome.NOT_ASKED)


def test_an_interrupt_asks_the_planner_who_sees_the_last_clip_and_the_words():
    step, asked = later(opened(), SPEAKS, SECOND)

    assert [one.role for one in asked] == [WATCHER, PLANNER]
    assert asked[0].stretches == (Stretch(0.0, 8.0), Stretch(2.0, 10.0))
    assert asked[1].stretches == (Stretch(2.0, 10.0),)
    assert "At 10.0 s, you: Next: warm the pot." in asked[1].prompt.text
    assert step.state.plan.completed == ("Boil water",)
    assert step.state.updates_s == (0.0, 10.0)


@pytest.mark.parametrize(
    ("reply", "outcome", "reason"),
    [
        ("I would boil water first.", PlannerOutcome.NO_PLAN, "missing mode"),
        (plan(goal="Make coffee"), PlannerOutcome.OTHER_GOAL, "'Make coffee'"),
        (Response(None, "timed out"), PlannerOutcome.NEVER, "timed out"),
    ],
)
def test_what_is_no_plan_keeps_the_old_one_and_says_why(reply, outcome, reason):
    before = opened()

    step, _ = later(before, SPEAKS, reply)

    assert (step.planner, step.state.plan) == (outcome, before.plan)
    assert reason in step.planner_reason
    assert step.value["answer"] == "interrupt"


def test_what_is_completed_stays_completed_unless_it_is_to_be_done_once_more():
    done, _ = later(opened(), SPEAKS, SECOND)
    undone = plan("1. Fill the pot", "1. (Current) Boil water.")
    again = plan("1. Boil water", "1. (Current) Boil water\n2. Warm the pot")

    refused, _ = later(done.state, SPEAKS, undone, now_s=20.0)
    recovery, _ = later(done.state, SPEAKS, again, now_s=20.0)

    assert (refused.planner, refused.state.plan) == (PlannerOutcome.UNDONE, done.state.plan)
    assert "'Boil water'" in refused.planner_reason
    assert recovery.planner is PlannerOutcome.RENEWED


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("$speak$ Now!", "neither $interrupt$ nor $silent$"),
        ("$silent$ or $interrupt$", "both $interrupt$ and $silent$"),
        (Response(None, "timed out"), "timed out"),
    ],
)
def test_a_watcher_without_a_decision_is_no_silence(reply, reason):
    before = opened()

    step, asked = later(before, reply)

    assert (step.value, step.reason, step.state) == (None, reason, before)
    assert len(asked) == 1


def test_words_after_the_next_moment_are_late_and_stand_where_they_were_spoken():
    step, _ = later(opened(), Response(SPEAKS, arrived_s=11.2), SECOND, until_s=10.5)
    in_time, _ = later(opened(), Response(SPEAKS, arrived_s=10.4), SECOND, until_s=10.5)

    assert (step.is_late, step.lag_s) == (True, 1.2)
    assert step.state.history[-1].time_s == 11.2
    assert (in_time.is_late, in_time.lag_s) == (False, 0.4)


def test_right_history_is_told_instead_of_its_own():
    right = (Spoken(4.0, Speaker.ASSISTANT, "Next: add tea."),)

    clips = (Stretch(0.0, 4.0), Stretch(2.0, 10.0))

    _, asked = later(opened(), SILENT, history=right, clips=clips)

    assert "At 4.0 s, you: Next: add tea." in asked[0].prompt.text
    assert "warm the pot." not in asked[0].prompt.text.partition("Said so far:")[2]
    assert asked[0].stretches == clips


def test_a_question_is_told_and_stays_in_the_history():
    step, asked = later(opened(), "$interrupt$ Yes.", SECOND, asks="Is it hot enough?")

    assert "The person asks you: Is it hot enough?" in asked[0].prompt.text
    assert step.state.history[-2:] == (
        Spoken(10.0, Speaker.USER, "Is it hot enough?"),
        Spoken(10.0, Speaker.ASSISTANT, "Yes."),
    )


def test_without_a_planner_nobody_else_is_asked():
    step, asked = played(
        opened(has_planner=False), Moment(10.0, "Make tea", "The plan:\n1. Boil water"), SPEAKS
    )

    assert [one.role for one in asked] == [WATCHER]
    assert "The plan:\n1. Boil water" in asked[0].prompt.text
    assert step.state.updates_s == (0.0, 10.0)


def test_the_state_survives_its_storing():
    done, _ = later(opened(), SPEAKS, SECOND)

    assert LoopState.from_dict(done.state.to_dict()) == done.state
    assert LoopState.from_dict({}) == LoopState()
