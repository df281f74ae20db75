import numpy as np
import pytest

from annotation.analytics.agreement.answers import Answers

SHAPE = (4, 3, 2)


def answers(*rows, shape=SHAPE):
    """Rows of (unit, rater, value) in the order in which they were given."""
    units, raters, values = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Answers.of(units, raters, values, shape=shape)


def test_last_answer_of_a_rater_to_a_unit_is_the_one_that_counts():
    found = answers((1, 0, 0), (0, 2, 1), (0, 1, 0), (1, 0, 1), (0, 2, 0), (0, 2, 1))

    assert found.units.tolist() == [0, 0, 1]
    assert found.raters.tolist() == [1, 2, 0]
    assert found.values.tolist() == [0, 1, 1]
    assert found.counts.tolist() == [[1, 1], [0, 1], [0, 0], [0, 0]]
    assert found.rater_counts.tolist() == [[0, 1], [1, 0], [0, 1]]


def test_pairs_are_counted_over_the_units_that_two_raters_share():
    found = answers((0, 0, 1), (0, 2, 0), (1, 0, 1), (1, 1, 1), (1, 2, 1), (2, 1, 0))

    pairs = found.pair_tables
    assert list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)) == [
        (0, 1), (0, 2), (1, 2)
    ]  # fmt: skip
    assert pairs.tables.tolist() == [[[0, 0], [0, 1]], [[0, 0], [1, 1]], [[0, 0], [0, 1]]]
    assert found.confusion(0, 2).tolist() == [[0, 0], [1, 1]]
    assert found.confusion(2, 0).tolist() == [[0, 1], [0, 1]]


def test_raters_who_never_met_have_an_empty_table():
    found = answers((0, 0, 1), (1, 1, 1))

    assert found.pair_tables.tables.shape == (0, 2, 2)
    assert found.confusion(0, 1).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("row", [(4, 0, 0), (0, 3, 0), (0, 0, 2), (-1, 0, 0)])
def test_answers_refuse_what_is_outside_of_their_shape(row):
    with pytest.raises(IndexError, match="is outside"):
        answers(row)


def test_no_answers_make_empty_tables():
    assert answers().counts.tolist() == [[0, 0]] * 4
    assert answers().pair_tables.tables.shape == (0, 2, 2)
