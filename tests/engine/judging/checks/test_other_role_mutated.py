"""Roles that the plan does not name keep their things."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get the milk", "Pour milk into the cup with a spoon", "Stir the milk"]
ERRORS = (error("E01", 1, "WE"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_other_role_mutated_is_found():
    rows = [*R.u(0), R.we(1, "Pour oil into the cup with a ladle"), *R.u(2)]

    assert found("OTHER_ROLE_MUTATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E01", "spoon")
    ]


def test_other_role_mutated_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.we(1, "Pour oil into the cup with a spoon"), *R.u(2)]

    assert found("OTHER_ROLE_MUTATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("OTHER_ROLE_MUTATED", identity(TEXTS)) == []


def test_thing_that_another_mistake_replaced_is_not_missed():
    texts = ["Get the milk", "Pour milk into the cup", "Stir the milk with a spoon"]
    rows = Rows(texts)
    errors = (error("E01", 0, "S"), error("E02", 1, "WE"))
    written = [
        rows.e(0, "Get the oil"),
        rows.we(1, "Pour oil into the cracked cup", event_id="E02"),
        *rows.u(2),
    ]

    assert found("OTHER_ROLE_MUTATED", case(texts, written, errors, ())) == []
