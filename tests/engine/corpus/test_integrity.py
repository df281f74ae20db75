from dataclasses import replace

import pytest

from annotation.engine.corpus.integrity import find_faults
from annotation.engine.corpus.procedure import Event, Step, TaskGraph, TraceStep
from annotation.engine.taxonomy import EventKind, Mod
from tests.annotation.readings import make_reading, make_take, make_trace


def trace_with_row(row: TraceStep) -> tuple:
    return (replace(make_trace(), steps=(row,)),)


def trace_with_events(*events: Event) -> tuple:
    return (replace(make_trace(), steps=(), events=events),)


def take_with_step(step: Step) -> tuple:
    return (replace(make_take(), steps=(step,)),)


MISTAKE = Event("e1", EventKind.MISTAKE)


def test_find_faults_accepts_a_whole_reading() -> None:
    assert find_faults(make_reading()) == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"takes": (make_take(), make_take())},
            "take good: uid is 'good'; expected each take once",
        ),
        ({"takes": (replace(make_take(), name="x" * 201),)}, "at most 200 characters"),
        ({"takes": (replace(make_take(), uid=""),)}, "uid is ''; expected a text that is not"),
        ({"traces": (), "takes": take_with_step(Step(""))}, "take good step 0: text is ''"),
        ({"traces": (), "takes": take_with_step(Step("a", start_s=1.0))}, "both a start and an"),
        (
            {"traces": (), "takes": take_with_step(Step("a", start_s=2.0, end_s=1.0))},
            r"take good step 0: times is \(2.0, 1.0\); expected 0 <= start <= end",
        ),
        (
            {"traces": (), "takes": take_with_step(Step("a", start_s=0.0, end_s=float("nan")))},
            "expected finite seconds",
        ),
        ({"traces": (make_trace(), make_trace())}, "expected each trace once"),
        ({"traces": (make_trace(take_uid="lost"),)}, "take_uid is 'lost'; expected the uid of a"),
        ({"traces": (replace(make_trace(), reference_reason="x" * 301),)}, "at most 300 charact"),
        ({"traces": trace_with_row(TraceStep(Mod.UNCHANGED, ""))}, "as the step is not deleted"),
        (
            {"traces": trace_with_row(TraceStep(Mod.UNCHANGED, "a", 3))},
            "a step of the take, 0 to 2",
        ),
        ({"traces": trace_with_row(TraceStep(Mod.ERROR, "a", 0))}, "an event, as the mod is e"),
        ({"traces": trace_with_row(TraceStep(Mod.ERROR, "a", 0, "e9"))}, "an event of the same"),
        ({"traces": trace_with_row(TraceStep(Mod.UNCHANGED, "a", 0, "e1"))}, "is unchanged"),
        ({"traces": trace_with_row(TraceStep(Mod.INSERTION, "a", 0, "e1"))}, "as the mod is i"),
        ({"traces": trace_with_row(TraceStep(Mod.DELETION, "a", 0, "e1"))}, "no text, no times"),
        ({"traces": trace_with_row(TraceStep(Mod.DELETION, "", None, "e1"))}, "a reference step"),
        ({"traces": trace_with_events(MISTAKE, MISTAKE)}, "expected each event once"),
        (
            {"traces": trace_with_events(MISTAKE, replace(MISTAKE, target_event_id="e1"))},
            "only corrections have one",
        ),
        (
            {"traces": trace_with_events(Event("c1", EventKind.CORRECTION, None, "e9"))},
            "target_event_id is 'e9'; expected a mistake of the same trace",
        ),
        ({"task_graphs": (TaskGraph("Tea", (), ()),) * 2}, "expected each scenario once"),
    ],
)
def test_find_faults_names_place_and_expectation(changes: dict, message: str) -> None:
    faults = find_faults(make_reading(**changes))

    with pytest.raises(ValueError, match=message):
        raise ValueError("\n".join(str(fault) for fault in faults))
