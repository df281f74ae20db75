from dataclasses import asdict, replace

import numpy as np
import pytest

from annotation.analytics.agreement.answers import Answers
from annotation.analytics.agreement.coefficients import (
    Coefficients,
    Weights,
    coefficients,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    pair_kappas,
    percent_agreement,
    pooled_agreement,
    weight_table,
)


def two_by_two(both_yes, yes_no, no_yes, both_no):
    """Two raters' answers, yes 1 and no 0, from the cells of their table."""
    rows = [(1, 1)] * both_yes + [(1, 0)] * yes_no + [(0, 1)] * no_yes + [(0, 0)] * both_no
    return Answers.of_table(np.array(rows), 2)


@pytest.mark.parametrize(
    ("cells", "kappa", "ac1"),
    [
        # Feinstein and Cicchetti (1990), the two tables of the paradox: the same agreement of .85.
        ((40, 9, 6, 45), 0.70, 0.70),
        ((80, 10, 5, 5), 0.32, 0.81),
    ],
)
def test_prevalence_paradox_comes_out_as_published(cells, kappa, ac1):
    answers = two_by_two(*cells)

    assert percent_agreement(answers.counts) == pytest.approx(0.85)
    assert pair_kappas(answers).mean == pytest.approx(kappa, abs=0.005)
    assert conger_kappa(answers) == pytest.approx(pair_kappas(answers).mean)
    assert gwet_ac(answers.counts) == pytest.approx(ac1, abs=0.005)


def test_fleiss_kappa_of_the_textbook_example_is_the_published_one():
    # Fleiss's example as printed in textbooks: 10 subjects, 14 ratings, 5 categories, kappa .210.
    counts = np.array(
        [
            [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
        ]
    )  # fmt: skip

    assert fleiss_kappa(counts) == pytest.approx(0.210, abs=0.0005)


def test_weights_of_five_values():
    rows = {weights: weight_table(weights, 5)[0].tolist() for weights in Weights}

    assert rows == {
        Weights.IDENTITY: [1, 0, 0, 0, 0],
        Weights.LINEAR: [1, 0.75, 0.5, 0.25, 0],
        Weights.QUADRATIC: [1, 0.9375, 0.75, 0.4375, 0],
        Weights.ORDINAL: pytest.approx([1, 0.9, 0.7, 0.4, 0]),
    }


def test_pooled_agreement_counts_pairs_and_the_other_units():
    counts = np.array([[2, 0], [2, 2]])

    assert percent_agreement(counts) == pytest.approx((1 + 1 / 3) / 2)
    assert pooled_agreement(counts) == pytest.approx((1 + 2) / (1 + 6))


def test_scale_counts_as_declared_and_not_as_used():
    counts = np.array([[2, 0, 1], [0, 0, 3], [3, 0, 0]])

    # Mean shares 5/9, 0, 4/9: chance is 40/81 over 2 of three values, over 1 of two.
    observed, spread = 7 / 9, 40 / 81
    assert gwet_ac(counts) == pytest.approx((observed - spread / 2) / (1 - spread / 2))
    assert gwet_ac(counts[:, [0, 2]]) == pytest.approx((observed - spread) / (1 - spread))


def test_pairs_rotate_by_unit_and_not_by_place_in_a_list():
    # Perfect agreement of rotating pairs: whoever pairs answers by their place gets less than 1.
    table = np.array([[1, 1, -1], [-1, 0, 0], [0, -1, 0], [1, -1, 1], [-1, 1, 1], [0, 0, -1]])

    kappas = pair_kappas(Answers.of_table(table, 2))

    assert kappas.kappas.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "table", [np.full((3, 2), -1), np.array([[0, -1], [-1, 1]]), np.zeros((0, 2), dtype=int)]
)
def test_without_a_pair_there_is_no_coefficient(table):
    answers = Answers.of_table(table, 2)

    found = [
        percent_agreement(answers.counts),
        pooled_agreement(answers.counts),
        gwet_ac(answers.counts),
        fleiss_kappa(answers.counts),
        conger_kappa(answers),
        pair_kappas(answers).mean,
    ]
    assert found == [None] * 6


def test_unanimous_raters_agree_fully_and_have_no_kappa():
    answers = Answers.of_table(np.zeros((4, 3), dtype=int), 2)

    assert (percent_agreement(answers.counts), gwet_ac(answers.counts)) == (1, 1)
    assert fleiss_kappa(answers.counts) is None
    assert conger_kappa(answers) is None
    assert pair_kappas(answers).mean is None


@pytest.mark.parametrize(
    ("weights", "kappa"),
    [(Weights.IDENTITY, 0.1293), (Weights.LINEAR, 0.2374), (Weights.QUADRATIC, 0.3320)],
)
def test_weighted_kappa_of_the_textbook_example_is_the_published_one(weights, kappa):
    # Hout, Duncan and Sobel (1987), 91 couples: the husband's answers in rows, the wife's beside.
    cells = [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]]
    rows = [
        (husband, wife)
        for husband, row in enumerate(cells)
        for wife, count in enumerate(row)
        for _ in range(count)
    ]

    answers = Answers.of_table(np.array(rows), 4)

    assert pair_kappas(answers, weights).mean == pytest.approx(kappa, abs=5e-5)


def test_every_coefficient_of_a_small_table_is_that_worked_by_hand():
    answers = Answers.of_table(np.array([(0, 0), (1, 1), (0, 2), (1, 2)]), 3)

    found = coefficients(answers, is_ordered=True)

    # Gwet: mean shares 3/8, 3/8, 2/8, so .65625 / 6 for each of the weights, which sum up to 3 (no
    # weights), 5, 6, 17/3. Of four units two agree, one is a place apart, one two places.
    by_hand = Coefficients(
        percent_agreement=0.5,
        percent_agreement_pooled=0.5,
        ac1=(0.5 - 0.328125) / (1 - 0.328125),
        ac2_linear=(0.625 - 0.546875) / (1 - 0.546875),
        ac2_quadratic=(0.6875 - 0.65625) / (1 - 0.65625),
        ac2_ordinal=(2 / 3 - 0.109375 * 17 / 3) / (1 - 0.109375 * 17 / 3),
        fleiss_kappa=(0.5 - 0.34375) / (1 - 0.34375),
        # The first says 0 and 1 half of the time, the second 0, 1 and 2 in 1/4, 1/4 and 1/2.
        conger_kappa=(0.5 - 0.25) / (1 - 0.25),
        mean_kappa=(0.5 - 0.25) / (1 - 0.25),
        mean_kappa_linear=1 - 0.375 / 0.5,
        mean_kappa_quadratic=1 - 0.3125 / 0.375,
    )
    assert asdict(found) == pytest.approx(asdict(by_hand), abs=1e-12)
    assert coefficients(answers, is_ordered=False) == replace(
        found,
        ac2_linear=None,
        ac2_quadratic=None,
        ac2_ordinal=None,
        mean_kappa_linear=None,
        mean_kappa_quadratic=None,
    )


def test_conger_kappa_of_three_raters_takes_chance_from_each_pair():
    table = np.array([(0, 0, 1), (1, 1, 1), (0, 1, 1), (0, 0, 0), (1, 1, 0)])

    kappa = conger_kappa(Answers.of_table(table, 2))

    # Shares of 1 are .4, .6, .6; pairs agree by chance in .48, .48 and .52, and did in .6.
    chance = (0.48 + 0.48 + 0.52) / 3
    assert kappa == pytest.approx((0.6 - chance) / (1 - chance))
