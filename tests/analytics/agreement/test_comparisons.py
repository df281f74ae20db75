from dataclasses import replace

import krippendorff
import numpy as np
import pytest

from annotation.analytics.agreement.agreement import NO_VARIATION
from annotation.analytics.agreement.comparisons import (
    APART,
    ON_SHARED_TAKES,
    ON_SHARED_UNITS,
    OTHER_UNITS,
    compare,
    compare_all,
)
from annotation.analytics.agreement.intervals import Method
from annotation.analytics.agreement.metric_ratings import Basis
from annotation.engine.rubric.rubric import Metric
from tests.analytics.agreement.test_report import make_ratings

PILOT = Basis(rounds=(1,), phase="pilot", guidelines=("1",))
MAIN = Basis(rounds=(2,), phase="main", guidelines=("2",))


def noisy_counts(seed, noise, *, traces=30):
    """Two events per trace, three raters, who stray from the truth as often as `noise` says."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, (2 * traces, 1))
    given = np.where(
        rng.random((2 * traces, 3)) < noise, rng.integers(0, 5, (2 * traces, 3)), truth
    )
    return np.stack([(given == value).sum(axis=1) for value in range(5)], axis=1)


def ratings(seed, noise, **changes):
    return make_ratings(Metric.CONFUSABILITY, noisy_counts(seed, noise), **changes)


def alpha(counts):
    return krippendorff.alpha(value_counts=counts, level_of_measurement="ordinal")


def test_data_sets_with_takes_of_their_own_are_drawn_apart():
    second = ratings(2, 0.7, dataset="EgoPER", takes=tuple(f"other {n}" for n in range(60)))

    found = compare(ratings(1, 0.1), second)

    expected = alpha(noisy_counts(1, 0.1)) - alpha(noisy_counts(2, 0.7))
    assert found.difference == pytest.approx(expected)
    assert (found.first, found.second, found.basis) == ("EgoOops", "EgoPER", APART)
    assert found.interval.low < expected < found.interval.high
    assert (found.interval.method, found.is_paired) == (Method.PERCENTILE, False)
    assert found.p_value < 0.01


def test_data_sets_over_the_same_takes_are_drawn_together():
    found = compare(ratings(1, 0.1), ratings(2, 0.7, dataset="EgoPER"))

    assert (found.basis, found.is_paired, found.interval.clusters) == (ON_SHARED_TAKES, True, 30)


def test_rounds_are_compared_on_what_both_rated():
    before = ratings(1, 0.5, basis=PILOT)
    after = ratings(1, 0.1, basis=MAIN).of_units(np.arange(60) < 40)

    found = compare(before, after)

    assert found.first_alpha == alpha(noisy_counts(1, 0.5)[:40])
    assert found.second_alpha == alpha(noisy_counts(1, 0.1)[:40])
    assert (found.first, found.second) == (PILOT.text, MAIN.text)
    assert (found.basis, found.is_paired, found.interval.clusters) == (ON_SHARED_UNITS, True, 20)
    assert found.interval.method is Method.JACKKNIFE


def test_rounds_of_other_traces_say_that_the_difference_is_of_both():
    whole = ratings(1, 0.3)
    first = replace(whole, basis=PILOT).of_units(np.arange(60) < 30)
    second = replace(whole, basis=MAIN).of_units(np.arange(60) >= 30)

    found = compare(first, second)

    assert (found.basis, found.is_paired) == (OTHER_UNITS, False)
    assert found.difference is not None


def test_side_without_an_alpha_says_why():
    unanimous = make_ratings(Metric.CONFUSABILITY, [[3, 0, 0, 0, 0]] * 4, dataset="Tea")

    found = compare(ratings(1, 0.1), unanimous)

    assert (found.difference, found.p_value, found.reason) == (None, None, NO_VARIATION)
    assert found.to_dict()["second_alpha"] is None


def test_family_is_corrected_together():
    pairs = [
        (ratings(seed, 0.1), ratings(seed + 50, noise, dataset="EgoPER"))
        for seed, noise in ((1, 0.7), (2, 0.12), (3, 0.15))
    ]
    unanimous = make_ratings(Metric.CONFUSABILITY, [[3, 0, 0, 0, 0]] * 4, dataset="Tea")

    found = compare_all([*pairs, (ratings(1, 0.1), unanimous)])

    assert [item.family_size for item in found] == [3] * 4
    assert found[0].corrected_p == pytest.approx(min(1, 3 * found[0].p_value))
    assert all(item.corrected_p >= item.p_value for item in found[:3])
    assert found[3].corrected_p is None


def test_comparison_repeats_itself_for_one_seed():
    sides = ratings(1, 0.1), ratings(2, 0.3, dataset="EgoPER")

    assert compare(*sides, seed=3) == compare(*sides, seed=3)
    assert compare(*sides, seed=3) != compare(*sides, seed=4)
