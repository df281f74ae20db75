"""What was thrown away is gone."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get the test plate", "Read the test plate", "Dispose of the swab"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_use_after_dispose_is_found():
    rows = [
        *R.u(0),
        R.i("Throw the test plate in the trash can"),
        R.a(1, "Dry the test plate"),
        *R.u(2),
    ]

    assert found("USE_AFTER_DISPOSE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (2, "E01", "test_plate")
    ]


def test_use_after_dispose_is_not_found_where_it_is_not():
    rows = [
        *R.u(0),
        R.i("Throw the wrapper in the trash can"),
        R.a(1, "Dry the test plate"),
        *R.u(2),
    ]

    assert found("USE_AFTER_DISPOSE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("USE_AFTER_DISPOSE", identity(TEXTS)) == []


def test_throwing_into_the_pan_throws_nothing_away():
    texts = ["Get the onion", "Throw the onion into the pan", "Stir the onion"]
    rows = [*Rows(texts).u(0), Rows(texts).a(1, "Throw the onion in the pan"), *Rows(texts).u(2)]

    assert found("USE_AFTER_DISPOSE", case(texts, rows)) == []
