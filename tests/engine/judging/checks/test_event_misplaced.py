"""A mistake stands where it is planned."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_event_misplaced_is_found():
    rows = [*R.u(0, 1), R.i("Spill water"), *R.u(2)]

    assert found("EVENT_MISPLACED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(2, "E01", None)]


def test_event_misplaced_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.i("Spill water"), *R.u(1, 2)]

    assert found("EVENT_MISPLACED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("EVENT_MISPLACED", identity(TEXTS)) == []


def test_deletion_may_fall_on_an_alternate():
    deletion = (error("E01", 1, "D", alternate_indices=(2,)),)

    assert found("EVENT_MISPLACED", case(TEXTS, [*R.u(0, 1), R.d(2)], deletion)) == []
    assert found("EVENT_MISPLACED", case(TEXTS, [R.d(0), *R.u(1, 2)], deletion)) == [
        (0, "E01", None)
    ]


def test_wrong_execution_of_another_step_is_misplaced():
    wrong = (error("E01", 1, "WE"),)

    checked = case(TEXTS, [*R.u(0, 1), R.we(2, "Dry the jug")], wrong)

    assert found("EVENT_MISPLACED", checked) == [(2, "E01", None)]
