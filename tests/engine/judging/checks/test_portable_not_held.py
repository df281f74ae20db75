"""What was put away has to be got again."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get the spoon", "Stir the milk with the spoon", "Put away the spoon", "Drink the milk"]
ERRORS = (error("E01", 3, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_portable_not_held_is_found():
    rows = [*R.u(0, 1, 2), R.i("Stir the milk with the spoon"), *R.u(3)]

    assert found("PORTABLE_NOT_HELD", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (3, "E01", "spoon")
    ]


def test_portable_not_held_is_not_found_where_it_is_not():
    rows = [*R.u(0, 1, 2), R.i("Get the spoon and stir the milk with the spoon"), *R.u(3)]

    assert found("PORTABLE_NOT_HELD", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("PORTABLE_NOT_HELD", identity(TEXTS)) == []
