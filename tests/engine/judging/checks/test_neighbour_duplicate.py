"""A written step does not echo the one beside it."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_neighbour_duplicate_is_found():
    rows = [*R.u(0), R.i("Wash the cup."), *R.u(1, 2)]

    assert found("NEIGHBOUR_DUPLICATE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E01", None)
    ]


def test_neighbour_duplicate_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.i("Spill the water"), *R.u(1, 2)]

    assert found("NEIGHBOUR_DUPLICATE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("NEIGHBOUR_DUPLICATE", identity(TEXTS)) == []


def test_repetition_of_the_original_is_its_own():
    texts = ["Stir the tea", "Stir the tea", "Drink the tea"]
    rows = [*Rows(texts).u(0), Rows(texts).a(1, "Stir the tea"), *Rows(texts).u(2)]

    assert found("NEIGHBOUR_DUPLICATE", case(texts, rows)) == []
