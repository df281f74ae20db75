"""A wrong execution keeps the action."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get the milk", "Pour milk into the cup with a spoon", "Stir the milk"]
ERRORS = (error("E01", 1, "WE"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_predicate_changed_is_found():
    rows = [*R.u(0), R.we(1, "Throw the milk away"), *R.u(2)]

    assert found("PREDICATE_CHANGED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(1, "E01", None)]


def test_predicate_changed_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.we(1, "Pour the oil into the cup with a spoon"), *R.u(2)]

    assert found("PREDICATE_CHANGED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("PREDICATE_CHANGED", identity(TEXTS)) == []


def test_substitution_may_change_the_action():
    rows = [*R.u(0), R.e(1, "Throw the milk away"), *R.u(2)]

    assert found("PREDICATE_CHANGED", case(TEXTS, rows, [error("E01", 1, "S")])) == []
