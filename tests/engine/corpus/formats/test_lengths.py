from pathlib import Path

import pytest

from annotation.engine.corpus.formats import lengths
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.lengths import check_lengths
from annotation.engine.corpus.procedure import (
    Event,
    Reading,
    Step,
    Take,
    TaskGraph,
    Trace,
    TraceStep,
)
from annotation.engine.taxonomy import EventKind, Mod

PATH = Path("some.json")


def _reading(uid="u", name="n", scenario="s", step_id="1", event_id="E01", text="Stir"):
    take = Take(uid, name, scenario, (Step(text, step_id),))
    trace = Trace(
        "t", "t", uid, (TraceStep(Mod.UNCHANGED, text, 0),), (Event(event_id, EventKind.MISTAKE),)
    )
    return Reading((take,), (trace,), (TaskGraph(scenario, (), ()),))


def test_check_lengths_returns_what_fits():
    reading = _reading("u" * 200, "n" * 200, "s" * 150, "1" * 100, "E" * 100, "S" * 5000)

    assert check_lengths(reading, PATH) is reading


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"uid": "u" * 201}, "uid is '"),
        ({"name": "n" * 201}, "take u: name is '"),
        ({"scenario": "s" * 151}, "take u: scenario is '"),
        ({"step_id": "1" * 101}, "take u: step id is '"),
        ({"event_id": "E" * 101}, "trace t: event id is '"),
        ({"text": "S" * 5001}, "take u: text of step 1 is '"),
        ({"text": "S" * 5001}, "trace t: text of step 1 is '"),
    ],
)
def test_check_lengths_refuses_what_does_not_fit(changes, shown):
    with pytest.raises(FormatError) as caught:
        check_lengths(_reading(**changes), PATH)

    (length,) = map(len, changes.values())
    assert shown in str(caught.value)
    assert f"expected at most {length - 1} characters, not {length}" in str(caught.value)


def test_check_lengths_refuses_takes_and_traces_of_too_many_steps(monkeypatch):
    """Aligning two sequences takes time and memory for every pair of their steps."""
    monkeypatch.setattr(lengths, "MAX_STEPS", 2)
    take = Take("u", "n", "s", (Step("Stir", "1"),) * 3)
    trace = Trace("t", "t", "u", (TraceStep(Mod.UNCHANGED, "Stir", 0),) * 4, ())

    with pytest.raises(FormatError) as caught:
        check_lengths(Reading((take,), (trace,)), PATH)

    assert str(caught.value).splitlines() == [
        "some.json, take u: steps is 3; expected at most 2 steps",
        "some.json, trace t: steps is 4; expected at most 2 steps",
    ]


def test_check_lengths_refuses_times_that_are_no_seconds_of_a_recording():
    steps = (Step("Stir", "1", 0.0, 86_400.0), Step("Pour", "2", 864_005, 1e300))
    take = Take("u", "n", "s", steps)
    row = TraceStep(Mod.UNCHANGED, "Stir", 0, start_s=2.0, end_s=86_401.0)

    with pytest.raises(FormatError) as caught:
        check_lengths(Reading((take,), (Trace("t", "t", "u", (row,), ()),)), PATH)

    expected = "expected seconds of the recording, at most 86,400"
    assert str(caught.value).splitlines() == [
        f"some.json, take u: start of step 2 is 864005; {expected}",
        f"some.json, take u: end of step 2 is 1e+300; {expected}",
        f"some.json, trace t: end of step 1 is 86401.0; {expected}",
    ]


def test_check_lengths_refuses_a_reading_with_nothing_in_it():
    with pytest.raises(FormatError, match=r"^some\.json has no take and no trace: there is"):
        check_lengths(Reading(), PATH)

    graphs = Reading(task_graphs=(TaskGraph("Tea", (), ()),))
    assert check_lengths(graphs, PATH) is graphs
