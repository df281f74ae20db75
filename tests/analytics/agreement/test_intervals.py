"""Intervals that cannot be are not shown: by hand, and on random answers of every kind."""

import numpy as np
import pytest

from annotation.analytics.agreement.comparisons import compare
from annotation.analytics.agreement.intervals import (
    NO_SPREAD,
    NOT_HELD,
    OUT_OF_RANGE,
    Method,
    alpha_interval,
    shown_interval,
)
from annotation.analytics.agreement.report import build_report
from annotation.analytics.agreement.resampling import Distribution, Jackknife
from annotation.engine.rubric.rubric import Level, Metric
from tests.analytics.agreement.test_report import make_ratings
from tests.intervals import assert_possible

MANY = [Jackknife(np.linspace(0.4, 0.6, 40))]


def of_draws(values):
    return Distribution.of(
        np.asarray(values, dtype=float), np.full(len(values), 1 / len(values)), is_exact=False
    )


def test_draws_that_cannot_vary_have_no_interval():
    same = of_draws([0.793])

    few = shown_interval(0.793, same, [Jackknife(np.array([0.793, 0.793, 0.793]))])
    many = shown_interval(0.793, same, [Jackknife(np.full(30, 0.793))])

    assert (few.low, few.high, few.reason) == (None, None, NO_SPREAD)
    assert (many.low, many.high, many.reason) == (None, None, NO_SPREAD)
    assert not few.has_distribution


def test_raters_who_always_agree_have_no_interval_of_their_alpha():
    counts = np.array([[3, 0], [0, 3]] * 20)

    interval = alpha_interval(counts, None, Level.NOMINAL, np.random.default_rng(0))

    assert (interval.low, interval.reason) == (None, NO_SPREAD)


def test_figure_that_resampling_shifts_has_bias_corrected_percentiles():
    # 900 draws above the figure and 100 below: z0 is -1.2816.
    values = np.concatenate([np.linspace(0.10, 0.199, 100), np.linspace(0.201, 0.30, 900)])

    interval = shown_interval(0.2, of_draws(values), MANY, (0.0, 1.0))

    # The normal distribution below 2 * -1.2816 -+ 1.96, as tables print it: 0.000003 and .2732.
    assert interval.method is Method.BIAS_CORRECTED
    assert (interval.low, interval.high) == (values[0], values[273])
    assert (interval.percentile_low, interval.percentile_high) == (values[24], values[974])
    assert interval.low < 0.2 < interval.high


@pytest.mark.parametrize("below", [340, 500, 660])
def test_figure_amid_its_draws_keeps_its_percentiles(below):
    values = np.linspace(0.1, 0.3, 1000)

    interval = shown_interval(values[below - 1] + 1e-4, of_draws(values), MANY, (0.0, 1.0))

    assert interval.method is Method.PERCENTILE
    assert (interval.low, interval.high) == (values[24], values[974])


@pytest.mark.parametrize("count_below", [0, 10])
def test_figure_beside_nearly_all_of_its_draws_has_none_and_says_why(count_below):
    values = np.linspace(0.213, 0.246, 1000)
    values[:count_below] = np.linspace(0.20, 0.21, count_below)

    interval = shown_interval(0.212, of_draws(values), MANY, (0.0, 1.0))

    assert (interval.low, interval.high, interval.reason) == (None, None, NOT_HELD)
    assert interval.has_distribution
    assert interval.percentile_high < 0.246


def test_interval_beyond_what_the_figure_can_be_is_not_shown():
    left_out = [Jackknife(np.array([0.6, 0.8, 0.9, 0.95]))]
    over_draws = of_draws([0.7, 0.8, 0.9])

    unbounded = shown_interval(0.81, over_draws, left_out)
    of_alpha = shown_interval(0.81, over_draws, left_out, (-1.0, 1.0))

    assert unbounded.high > 1
    assert (of_alpha.low, of_alpha.high, of_alpha.reason) == (None, None, OUT_OF_RANGE)
    assert of_alpha.standard_error == unbounded.standard_error


def random_metric(rng):
    """A metric with random answers, more or less agreed, of 2 to 40 traces."""
    metric = Metric(rng.choice([Metric.CONFUSABILITY, Metric.ERROR_VALIDITY]))
    values = 5 if metric is Metric.CONFUSABILITY else 2
    traces = int(rng.choice([2, 3, 8, 24, 25, 40]))
    middle = rng.random() < 0.5
    noise = rng.choice([0.0, 0.1, 0.5, 1.0])
    counts = np.zeros((2 * traces, values), dtype=np.int64)
    for row in counts:
        truth = values // 2 if middle else rng.integers(values)
        for _ in range(int(rng.integers(1, 4))):
            row[rng.integers(values) if rng.random() < noise else truth] += 1
    return make_ratings(metric, counts.tolist())


@pytest.mark.parametrize("seed", range(40))
def test_intervals_of_random_ratings_can_be(seed):
    rng = np.random.default_rng(seed)
    first, second = random_metric(rng), random_metric(rng)

    for row in build_report([first, second], seed=seed, resamples=200):
        if row.alpha is not None:
            assert_possible(row.alpha, row.interval, -1.0, 1.0)
    if first.metric is second.metric:
        found = compare(first, second, seed=seed, resamples=200)
        if found.difference is not None:
            assert_possible(found.difference, found.interval, -2.0, 2.0)
            assert found.p_value is not None or not found.interval.has_distribution
