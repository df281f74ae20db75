"""Figures of raters: worked by hand, against the package, and on made-up answers."""

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.analytics.agreement.intervals import NO_SPREAD
from annotation.analytics.raters.raters import (
    FEW_TRACES,
    NO_ORDER,
    NO_SHARED,
    NO_TIMES,
    Estimate,
    RaterAnswers,
    bias,
    correlation_with_others,
    drift,
    longest_run,
    mean_over_traces,
    own_variance,
    pair_figures,
)
from annotation.engine.rubric.rubric import Metric

NAN = math.nan


def answers(table, *, metric=Metric.CONFUSABILITY, per_trace=2, moments=None, implied=()):
    """Answers from a table of units by raters, values 1..5 or nan."""
    cells = [
        (rater, unit, value)
        for unit, row in enumerate(table)
        for rater, value in enumerate(row)
        if not math.isnan(value)
    ]
    raters, units, values = (np.array(column) for column in zip(*cells, strict=True))
    return RaterAnswers(
        metric=metric,
        rater_count=len(table[0]),
        raters=raters.astype(int),
        units=units.astype(int),
        traces=units.astype(int) // per_trace,
        values=values.astype(int) - 1,
        moments=units.astype(float) if moments is None else np.array(moments, float),
        is_implied=np.isin(units, implied),
    )


# One rater is stricter by about a point.
STRICT = [
    [3, 3, 2], [4, 4, 3], [5, 5, 4], [2, 2, 1], [4, 5, 3], [3, 3, 2], [1, 2, 1], [5, 4, 4],
    [4, NAN, 3], [2, 3, NAN],
]  # fmt: skip


@pytest.mark.parametrize("seed", range(30))
def test_intervals_of_bias_and_drift_can_be(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 6, (int(rng.choice([3, 8, 30])), 3)).astype(float)
    if seed % 3 == 0:
        table[:, 1] = np.clip(table[:, 0] - 1, 1, 5)
        table[:, 2] = table[:, 0]
    table[rng.random(table.shape) < 0.1] = NAN

    for rater in range(3):
        given = answers(table.tolist())
        for found, most in ((bias(given, rater), 4), (drift(given, rater).change, math.inf)):
            if found.low is None:
                assert found.reason
            else:
                assert -most <= found.low < found.value < found.high <= most


def test_rater_who_is_always_a_point_lower_has_no_interval_and_says_why():
    found = bias(answers([[3, 2], [4, 3], [5, 4], [2, 1], [4, 3], [3, 2]]), 1)

    assert (found.value, found.low, found.high, found.error) == (-1, None, None, 0)
    assert found.reason == NO_SPREAD


def test_bias_is_own_minus_mean_of_the_others_on_shared_units():
    found = [bias(answers(STRICT), rater).value for rater in range(3)]

    assert found == pytest.approx([0.3, 5.5 / 9, -8.5 / 9], abs=1e-12)


def test_bias_leaves_out_who_is_not_in_the_group():
    group = np.array([True, True, False])

    # Without the third: 8 shared units, differences 0 0 0 0 -1 0 -1 1 and -1 on the last.
    assert bias(answers(STRICT), 0, group).value == pytest.approx(-2 / 9)


def test_interval_takes_traces_as_its_unit():
    values = np.array([1.0, 1.0, 0.0, 0.0, 2.0, 2.0])
    estimate = mean_over_traces(values, np.array([0, 0, 1, 1, 2, 2]))

    # Residuals summed by trace: 0, -2, 2. Error sqrt(3/2 * 8) / 6, t of 2 degrees 4.3027.
    assert estimate.value == 1.0
    assert estimate.error == pytest.approx(math.sqrt(12) / 6)
    assert estimate.high - estimate.value == pytest.approx(4.302653 * math.sqrt(12) / 6, rel=1e-6)
    assert (estimate.answers, estimate.traces) == (6, 3)


def test_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    traces = np.repeat(np.arange(15), 5)
    hits = 0
    for _ in range(400):
        values = 0.3 + rng.normal(0, 1, 15)[traces] + rng.normal(0, 1, 75)
        estimate = mean_over_traces(values, traces)
        hits += estimate.low <= 0.3 <= estimate.high

    assert 0.92 <= hits / 400 <= 0.98


def test_z_is_as_rare_as_student_says():
    # t = 2.262 with 9 degrees of freedom has the same tail as a normal 1.96.
    assert Estimate(2.262, 1.0, traces=10).z == pytest.approx(1.96, abs=0.005)
    assert Estimate(-2.262, 1.0, traces=10).z == pytest.approx(-1.96, abs=0.005)
    assert Estimate(1.0, 0.0, traces=10).z is None


def test_drift_finds_the_line_and_the_fifths():
    # The first rater starts equal and gets lower by 2 in all over 50 units, the other stays at 4.
    table = [[4 - (unit >= 17) - (unit >= 34), 4] for unit in range(50)]

    found = drift(answers(table), 0)

    assert found.fifths == pytest.approx((0.0, -0.3, -1.0, -1.6, -2.0))
    places = (np.arange(50) + 0.5) / 50
    slope = np.polyfit(places, [row[0] - row[1] for row in table], 1)[0]
    assert found.change.value == pytest.approx(slope)
    assert found.change.low < slope < found.change.high < -2


def test_figures_say_why_they_are_missing():
    alone = answers([[3, NAN], [NAN, 4]])
    assert bias(alone, 0).reason == NO_SHARED
    assert bias(answers(STRICT, metric=Metric.TAXONOMY_FIT), 0).reason == NO_ORDER
    assert bias(answers([[3, 4], [2, 2]]), 0).reason == FEW_TRACES
    unknown = answers([[3, 4], [2, 2]], moments=[NAN] * 4)
    assert drift(unknown, 0).change.reason == NO_TIMES
    assert longest_run(unknown, 0) is None


def test_longest_run_follows_the_own_order_and_leaves_out_what_was_implied():
    table = [[value, 1] for value in (2, 3, 3, 5, 3, 3, 2)]

    run = longest_run(answers(table), 0)
    assert (run.length, run.value, run.others_share) == (2, "3", 0.0)
    assert longest_run(answers(table, implied=[3]), 0).length == 4
    shuffled = answers(
        table, moments=[time for unit in (0, 6, 1, 2, 3, 5, 4) for time in (unit,) * 2]
    )
    # In order of time: 2, 3, 5, 3, 2, 3, 3 ... the run of 3 has length 2.
    assert longest_run(shuffled, 0).length == 2


def test_own_variance_is_pooled_within_metrics():
    low = answers([[1, 1]] * 4)
    high = answers([[5, 5]] * 4, metric=Metric.HUMAN_PLAUSIBILITY)

    assert own_variance([low, high], 0) == (0.0, 8)
    assert own_variance([answers([[1, 1], [3, 1]])], 0) == (2.0, 2)


def test_correlation_does_not_mind_strictness():
    table = [[value, value + 1] for value in (1, 2, 3, 4, 2, 3)]

    assert correlation_with_others(answers(table), 0) == (pytest.approx(1.0), 6)
    assert correlation_with_others(answers([[3, 1], [3, 2]]), 0) == (None, 2)


def test_labels_are_compared_by_kappa():
    table = [[1, 1], [2, 2], [1, 2], [2, 1], [1, 1], [2, 2], [1, 1], [2, 2]]

    value, units = correlation_with_others(answers(table, metric=Metric.TAXONOMY_FIT), 0)

    assert (value, units) == (pytest.approx(0.5), 8)


def test_confusion_and_pairs_by_hand():
    given = answers(STRICT)

    assert given.counted.confusion(0, 1).tolist() == [
        [0, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 2, 0, 0], [0, 0, 0, 1, 1], [0, 0, 0, 1, 1],
    ]  # fmt: skip
    pairs = [(item.first, item.second, item.units, item.traces) for item in pair_figures(given)]
    assert pairs == [(0, 1, 9, 5), (0, 2, 9, 5), (1, 2, 8, 5)]


@given(st.integers(0, 2**32))
def test_alpha_of_a_pair_equals_the_package(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 6, size=(12, 3)).astype(float)
    table[rng.random(table.shape) < 0.2] = NAN
    found = pair_figures(answers(table.tolist()))

    for item in found:
        both = table[:, [item.first, item.second]]
        both = both[~np.isnan(both).any(axis=1)]
        if len(np.unique(both)) > 1:
            expected = krippendorff.alpha(
                reliability_data=both.T, level_of_measurement="ordinal", value_domain=range(1, 6)
            )
            assert item.alpha == pytest.approx(expected, abs=1e-9)
        else:
            assert item.alpha is None
            assert item.reason
