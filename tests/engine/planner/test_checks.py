"""What stops a procedure and what is only remarked on, each named by take, step, field, value."""

from dataclasses import replace

import pytest

from annotation.engine.corpus.formats.errors import FormatError
from generation.engine.planner.checks import checked_procedure
from generation.engine.planner.procedure_to_plan import Procedure, ProcedureStep

GOOD = ProcedureStep(
    text="Get the cup", start_s=1.0, end_s=2.0, step_id="4", semrep="GET(Agent: you, Object: cup)"
)


def procedure_with(step):
    return Procedure(take_uid="t1", take_name="Tea", scenario="Tea", steps=(GOOD, step))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": "  "}, "text is '  '; expected a text that is not empty"),
        ({"start_s": -1.0}, "start_s is -1.0; expected seconds from 0 on"),
        ({"end_s": float("nan")}, "end_s is nan; expected seconds from 0 on"),
        ({"end_s": float("inf")}, "end_s is inf; expected seconds from 0 on"),
        ({"end_s": None}, "end_s is None; expected both times or neither"),
        ({"start_s": None}, "start_s is None; expected both times or neither"),
        ({"end_s": 0.5}, "end_s is 0.5; expected seconds, not before start_s 1.0"),
    ],
)
def test_fault_is_named_by_take_step_field_and_value(changes, message):
    with pytest.raises(FormatError) as refusal:
        checked_procedure(procedure_with(replace(GOOD, **changes)))

    assert str(refusal.value) == f"take t1, step 1: {message}"


def test_every_fault_is_reported():
    with pytest.raises(FormatError) as refusal:
        checked_procedure(procedure_with(replace(GOOD, text="", start_s=-1.0, semrep="((")))

    assert [item.field for item in refusal.value.problems] == ["text", "start_s", "semrep"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"step_id": ""}, "step_id of 1 step: none; repeats are recognised by text (step 1)"),
        (
            {"semrep": "GET(Agent: you, Object: cup"},
            "semantic_representation of 1 step: unbalanced, read as far as it goes (step 1)",
        ),
        (
            {"semrep": "GET(Agent: you, Colour: red)"},
            "semantic_representation of 1 step: a role outside the table of roles (step 1)",
        ),
    ],
)
def test_oddity_is_a_counted_warning(changes, message):
    (warning,) = checked_procedure(procedure_with(replace(GOOD, **changes)))

    assert (warning.where, warning.message) == ("take t1", message)


def test_sound_procedure_has_no_remarks():
    assert checked_procedure(procedure_with(GOOD)) == ()
