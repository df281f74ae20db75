"""The table that the browser plays too: what the engine makes of each row is what stands there."""

import json

import pytest

from segments.engine.model import ConflictError, GestureError, gesture_from_dict
from tests.segments.case_rows import SCHEMES, gesture_of, state_from
from tests.segments.cases import (
    FILE,
    fault_rows,
    outcome,
    outcome_of_template,
    outcome_of_time,
    table,
)
from tests.segments.gestures import inverse

TABLE = json.loads(FILE.read_text(encoding="utf-8"))
INPUTS = ("scheme", "state", "settings", "gesture", "arguments")


def test_the_table_is_what_the_script_makes():
    assert json.loads(json.dumps(table())) == TABLE, "python -m tests.segments.cases; git diff"


@pytest.mark.parametrize("number", range(len(TABLE["gestures"])))
def test_a_gesture_does_what_the_table_says(number):
    row = TABLE["gestures"][number]

    assert outcome(row) == {name: row[name] for name in row if name not in INPUTS}


def test_what_is_sent_is_read_as_the_gesture_that_was_made():
    rows = [row for row in TABLE["gestures"] if "sent" in row]

    for row in rows:
        state, gesture = state_from(row["state"]), gesture_of(row)
        assert gesture_from_dict(state, row["sent"]) == gesture
        after = state.apply(gesture)
        assert gesture_from_dict(after, row["undone"]) == inverse(gesture)
        with pytest.raises((ConflictError, GestureError)):
            gesture_from_dict(after, row["sent"])
    assert len(rows) > 100


def test_faults_times_and_templates_are_what_the_table_says():
    for row in TABLE["faults"]:
        assert fault_rows(state_from(row["state"]), SCHEMES[row["scheme"]]) == row["faults"]
    for row in TABLE["snapped"]:
        assert {**row, **outcome_of_time(row)} == row
    for row in TABLE["templates"]:
        assert {**row, **outcome_of_template(row)} == row
    assert {name: one.to_dict() for name, one in SCHEMES.items()} == TABLE["schemes"]
