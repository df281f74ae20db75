"""Spices are not chopped."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = [
    "Get cucumber from the refrigerator",
    "Wash cucumber with water",
    "Chop cucumber on the board",
]
ERRORS = (error("E01", 0, "S"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_affordance_mismatch_is_found():
    rows = [
        R.e(0, "Get black pepper"),
        R.a(1, "Wash black pepper with water"),
        R.a(2, "Chop black pepper on the board"),
    ]

    assert found("AFFORDANCE_MISMATCH", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (2, "E01", "black_pepper"),
    ]


def test_affordance_mismatch_is_not_found_in_sound_rows():
    rows = [
        R.e(0, "Get zucchini"),
        R.a(1, "Wash zucchini with water"),
        R.a(2, "Chop zucchini on the board"),
    ]

    assert found("AFFORDANCE_MISMATCH", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("AFFORDANCE_MISMATCH", identity(TEXTS)) == []


def test_washed_salt_is_an_affordance_mismatch():
    rows = [*R.u(0), R.a(1, "Wash salt with water"), *R.u(2)]

    assert found("AFFORDANCE_MISMATCH", case(TEXTS, rows, ERRORS)) == [(1, "E01", "salt")]


def test_what_the_original_does_itself_is_possible():
    texts = [*TEXTS[:2], "Chop black pepper on the board"]
    written = "Chop black pepper on the mat"

    for original, expected in ((texts, []), (TEXTS, [(2, "E01", "black_pepper")])):
        rows = [*Rows(original).u(0, 1), Rows(original).e(2, written)]
        errors = (error("E01", 2, "S"),)
        assert found("AFFORDANCE_MISMATCH", case(original, rows, errors)) == expected
