from pathlib import Path

import pytest

from annotation.engine.formats.errors import FormatError
from annotation.engine.formats.lengths import check_lengths
from annotation.engine.procedure import Event, Reading, Step, Take, TaskGraph, Trace
from annotation.engine.taxonomy import EventKind

PATH = Path("some.json")


def _reading(uid="u", name="n", scenario="s", step_id="1", event_id="E01"):
    take = Take(uid, name, scenario, (Step("Stir", step_id),))
    trace = Trace("t", "t", uid, (), (Event(event_id, EventKind.MISTAKE),))
    return Reading((take,), (trace,), (TaskGraph(scenario, (), ()),))


def test_check_lengths_returns_what_fits():
    reading = _reading("u" * 200, "n" * 200, "s" * 150, "1" * 100, "E" * 100)

    assert check_lengths(reading, PATH) is reading


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"uid": "u" * 201}, "uid is '"),
        ({"name": "n" * 201}, "take u: name is '"),
        ({"scenario": "s" * 151}, "take u: scenario is '"),
        ({"step_id": "1" * 101}, "take u: step id is '"),
        ({"event_id": "E" * 101}, "trace t: event id is '"),
    ],
)
def test_check_lengths_refuses_what_does_not_fit(changes, shown):
    with pytest.raises(FormatError) as caught:
        check_lengths(_reading(**changes), PATH)

    (length,) = map(len, changes.values())
    assert shown in str(caught.value)
    assert f"expected at most {length - 1} characters, not {length}" in str(caught.value)
