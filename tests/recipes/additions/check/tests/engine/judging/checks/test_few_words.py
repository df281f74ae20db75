"""A step done wrongly is told at length."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
R = Rows(TEXTS)


def test_few_words_is_found_at_a_mistake_and_nowhere_else():
    rows = [*R.u(0), R.e(1, "Drop the cup"), *R.u(2)]

    assert found("FEW_WORDS", case(TEXTS, rows, [error("E01", 1, "WE")])) == [(1, "E01", None)]
    assert found("FEW_WORDS", identity(TEXTS)) == []
