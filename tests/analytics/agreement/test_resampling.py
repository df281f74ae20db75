import itertools

import krippendorff
import numpy as np
import pytest
from scipy import stats

from annotation.analytics.agreement import resampling
from annotation.analytics.agreement.agreement import NO_VARIATION
from annotation.analytics.agreement.intervals import (
    DEPENDS_ON_ONE_TRACE,
    NO_SPREAD,
    ONE_CLUSTER,
    OUT_OF_RANGE,
    Interval,
    Method,
    alpha_interval,
    corrected,
    p_of_no_difference,
    shown_interval,
)
from annotation.analytics.agreement.resampling import (
    Distribution,
    Jackknife,
    alpha_figure,
    cluster_coincidences,
    difference_distribution,
    distribution,
    draws_of,
    jackknife,
    paired_alpha_figure,
    paired_sums,
)
from annotation.engine.rubric.rubric import Level
from tests.analytics.agreement.test_agreement import TOLERANCE, count_values, random_ratings


def drawn(counts, clusters, level, *, seed=0, resamples=4000):
    """The distribution over draws, never exact."""
    sums = cluster_coincidences(counts, clusters).sums
    figure = alpha_figure(counts.shape[1], level)
    rng = np.random.default_rng(seed)
    return distribution(draws_of(sums), figure, rng=rng, resamples=resamples, most_exact=0)


def ends(found):
    return found.quantile(0.025), found.quantile(0.975)


def naive_interval(counts, clusters, level, seed, resamples):
    """Draw clusters one by one and ask the package each time."""
    rng = np.random.default_rng(seed)
    members = [np.flatnonzero(clusters == cluster) for cluster in np.unique(clusters)]
    alphas = []
    for _ in range(resamples):
        chosen = rng.integers(0, len(members), len(members))
        rows = counts[np.concatenate([members[index] for index in chosen])]
        alphas.append(krippendorff.alpha(value_counts=rows, level_of_measurement=level.value))
    return np.quantile(alphas, (0.025, 0.975))


@pytest.mark.parametrize("level", list(Level))
def test_draws_of_clusters_agree_with_the_naive_loop(level):
    counts = count_values(random_ratings(4, units=240))
    clusters = np.repeat(np.arange(40), 6)

    found = drawn(counts, clusters, level)

    # Both ends are Monte Carlo estimates; the interval is about 0.15 wide.
    assert ends(found) == pytest.approx(naive_interval(counts, clusters, level, 1, 800), abs=0.015)
    assert (found.undefined_share, found.draw_count, found.is_exact) == (0, 4000, False)


@pytest.mark.parametrize("level", list(Level))
def test_few_clusters_are_gone_through_draw_by_draw(level):
    counts = count_values(random_ratings(5, raters=3, units=10))
    clusters = np.repeat(np.arange(5), 2)
    sums = cluster_coincidences(counts, clusters).sums

    found = distribution(
        draws_of(sums), alpha_figure(5, level), rng=np.random.default_rng(0), resamples=1
    )

    every = np.sort(
        [
            krippendorff.alpha(
                value_counts=np.concatenate([counts[clusters == one] for one in draw]),
                level_of_measurement=level.value,
            )
            for draw in itertools.product(range(5), repeat=5)
        ]
    )
    assert found.is_exact
    # The smallest value that 2.5% (97.5%) of all 3,125 draws do not exceed.
    assert ends(found) == pytest.approx((every[78], every[3046]), abs=TOLERANCE)
    assert found.mean == pytest.approx(every.mean(), abs=TOLERANCE)


def test_interval_is_wider_when_the_units_of_a_cluster_go_together():
    counts = np.repeat(count_values(random_ratings(6, units=30, gap_share=0)), 10, axis=0)

    by_cluster = ends(drawn(counts, np.repeat(np.arange(30), 10), Level.ORDINAL))
    by_unit = ends(drawn(counts, None, Level.ORDINAL))

    assert by_cluster[1] - by_cluster[0] > 2 * (by_unit[1] - by_unit[0])


def test_draws_repeat_themselves_for_one_seed_however_many_are_held(monkeypatch):
    counts = count_values(random_ratings(8))
    first = ends(drawn(counts, None, Level.ORDINAL, seed=5))
    other = ends(drawn(counts, None, Level.ORDINAL, seed=6))

    monkeypatch.setattr(resampling, "MAX_HELD", 1)
    again = ends(drawn(counts, None, Level.ORDINAL, seed=5))

    assert again == pytest.approx(first, abs=TOLERANCE)
    assert first != other


def test_25_clusters_have_a_percentile_interval_and_fewer_a_jackknife_t_interval():
    counts = count_values(random_ratings(9, units=25, gap_share=0))

    many = alpha_interval(counts, None, Level.ORDINAL, np.random.default_rng(0))
    few = alpha_interval(counts[:24], None, Level.ORDINAL, np.random.default_rng(0))

    assert (many.method, many.clusters) == (Method.PERCENTILE, 25)
    assert (many.low, many.high) == (many.percentile_low, many.percentile_high)
    alphas = [
        krippendorff.alpha(
            value_counts=np.delete(counts[:24], place, axis=0), level_of_measurement="ordinal"
        )
        for place in range(24)
    ]
    error = np.sqrt(23 / 24 * ((alphas - np.mean(alphas)) ** 2).sum())
    alpha = krippendorff.alpha(value_counts=counts[:24], level_of_measurement="ordinal")
    # 2.0687 is the 97.5% point of t with 23 degrees of freedom, as tables print it.
    assert (few.low, few.high) == pytest.approx(
        (alpha - 2.06866 * error, alpha + 2.06866 * error), abs=1e-5
    )
    assert (few.method, few.clusters) == (Method.JACKKNIFE, 24)
    assert few.percentile_low < alpha < few.percentile_high


def test_interval_of_alpha_that_would_go_beyond_one_is_not_shown():
    counts = np.array([[3, 0], [0, 3]] * 6 + [[2, 1]])

    interval = alpha_interval(counts, None, Level.NOMINAL, np.random.default_rng(0))

    assert (interval.high, interval.method, interval.reason) == (None, Method.NONE, OUT_OF_RANGE)


def test_reason_stands_in_place_of_an_interval_where_draws_are_undefined():
    counts = np.array([[3, 0], [3, 0], [2, 1], [3, 0], [3, 0]])

    interval = alpha_interval(counts, None, Level.NOMINAL, np.random.default_rng(0))

    # Of all draws (4/5)^5 leave out the one unit on which raters differ.
    assert interval.undefined_share == pytest.approx(0.32768)
    assert (interval.low, interval.high, interval.method) == (None, None, Method.NONE)
    assert interval.reason == "32.8% of the resamples have no variation: no interval"


def test_one_cluster_has_no_interval_and_clusters_without_pairs_are_none():
    counts = np.array([[2, 0], [1, 1], [0, 2], [1, 0]])

    interval = alpha_interval(
        counts, np.array([3, 3, 3, 9]), Level.NOMINAL, np.random.default_rng(0)
    )

    assert (interval.low, interval.reason, interval.clusters) == (None, ONE_CLUSTER, 1)


def test_unanimous_raters_have_no_interval_for_the_reason_that_they_have_no_alpha():
    counts = np.array([[2, 0], [3, 0], [2, 0]])

    interval = alpha_interval(counts, None, Level.NOMINAL, np.random.default_rng(0))

    assert interval == Interval(None, None, NO_VARIATION, clusters=3)


def test_alpha_that_hangs_on_one_cluster_has_no_jackknife_interval():
    some = Distribution.of(np.array([0.1, 0.2]), np.array([0.5, 0.5]), is_exact=True)

    interval = shown_interval(0.1, some, [Jackknife(np.array([0.1, 0.2, np.nan]))])

    assert (interval.low, interval.reason) == (None, DEPENDS_ON_ONE_TRACE)


def test_rounding_makes_no_value_occur_that_does_not():
    # Thirds do not cancel to the last digit when they are subtracted.
    counts = np.array([[4, 0], [4, 0], [4, 0], [1, 3]])
    sums = cluster_coincidences(counts, None).sums

    left_out = jackknife(sums, alpha_figure(2, Level.NOMINAL))

    assert np.isnan(left_out.without_each).tolist() == [False, False, False, True]


def test_difference_of_settings_over_the_same_takes_is_one_draw_and_narrower():
    first = count_values(random_ratings(10, units=60, gap_share=0))
    # The same raters a little less agreed, on the same takes.
    second = first.copy()
    second[:6] = [2, 0, 0, 0, 3]
    clusters = np.repeat(np.arange(30), 2)
    sums = [cluster_coincidences(side, clusters) for side in (first, second)]
    rng = np.random.default_rng(0)

    paired = distribution(
        draws_of(paired_sums(*sums)),
        paired_alpha_figure(5, Level.ORDINAL),
        rng=rng,
        resamples=4000,
    )
    apart = difference_distribution(
        *(drawn(side, clusters, Level.ORDINAL) for side in (first, second))
    )

    widths = [high - low for low, high in map(ends, (paired, apart))]
    assert widths[0] < 0.7 * widths[1]
    assert paired.mean == pytest.approx(apart.mean, abs=0.01)


def test_large_differences_are_thinned_without_moving_their_ends():
    first, second = (
        drawn(count_values(random_ratings(seed, units=200)), None, Level.ORDINAL, resamples=1000)
        for seed in (11, 12)
    )

    thinned = difference_distribution(first, second, most_pairs=1)
    whole = difference_distribution(first, second, most_pairs=1_000_000)

    assert ends(thinned) == pytest.approx(ends(whole), abs=1e-3)


def test_p_of_a_difference_goes_with_its_interval():
    rng = np.random.default_rng(0)
    far = Distribution.of(rng.normal(1, 0.1, 1000), np.full(1000, 0.001), is_exact=False)
    near = Distribution.of(rng.normal(0, 0.1, 1000), np.full(1000, 0.001), is_exact=False)
    many = [Jackknife(rng.normal(0, 0.01, 30))]
    few = [Jackknife(np.array([0.1, -0.1, 0.2, -0.2]))]

    assert p_of_no_difference(1.0, far, many) == pytest.approx(2 / 1001)
    assert p_of_no_difference(0.0, near, many) > 0.8
    # t = 0.5 / 0.2738613 with 3 degrees of freedom.
    assert p_of_no_difference(0.5, far, few) == pytest.approx(0.16537, abs=1e-5)


def test_corrected_p_values_are_those_of_benjamini_and_hochberg():
    # Benjamini and Hochberg (1995), section 3.2: of 15 tests the first four stand at 5%.
    published = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
        0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000,
    ]  # fmt: skip

    adjusted = corrected(published[::-1])[::-1]

    assert sum(p <= 0.05 for p in adjusted) == 4
    assert adjusted[3] == pytest.approx(0.0095 * 15 / 4)
    assert corrected([]) == ()


def test_difference_of_means_drawn_apart_has_the_interval_of_welchs_test():
    rng = np.random.default_rng(3)
    samples = rng.normal(1, 1, 6), rng.normal(0, 3, 9)
    # Left out in turn, a mean has the standard error of a mean, so that scipy knows the answer.
    left_out = [
        Jackknife(np.array([np.delete(sample, place).mean() for place in range(len(sample))]))
        for sample in samples
    ]
    value = samples[0].mean() - samples[1].mean()
    over_draws = Distribution.of(np.array([-1.0, 1.0]), np.array([0.5, 0.5]), is_exact=True)

    interval = shown_interval(value, over_draws, left_out)

    welch = stats.ttest_ind(*samples, equal_var=False)
    ends_of_welch = welch.confidence_interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((ends_of_welch.low, ends_of_welch.high))
    assert (interval.method, interval.clusters) == (Method.JACKKNIFE, 15)
    assert p_of_no_difference(value, over_draws, left_out) == pytest.approx(welch.pvalue)


def test_difference_without_any_error_is_there_or_not():
    nothing = Distribution.of(np.array([0.5]), np.array([1.0]), is_exact=True)
    steady = [Jackknife(np.array([0.5, 0.5, 0.5]))]

    assert p_of_no_difference(0.5, nothing, steady) == 0.0
    assert p_of_no_difference(0.0, nothing, steady) == 1.0
    assert shown_interval(0.5, nothing, steady).reason == NO_SPREAD


@pytest.mark.parametrize(("undefined_count", "has_interval"), [(10, True), (11, False)])
def test_one_draw_in_a_hundred_may_be_undefined_and_no_more(undefined_count, has_interval):
    values = np.arange(1000.0)
    values[:undefined_count] = np.nan
    over_draws = Distribution.of(values, np.full(1000, 1 / 1000), is_exact=False)

    interval = shown_interval(500.0, over_draws, [Jackknife(np.arange(25.0))])

    assert (interval.low is not None) is has_interval
    assert interval.undefined_share == pytest.approx(undefined_count / 1000)
    assert ("1.1% of the resamples" in interval.reason) is not has_interval


def test_difference_drawn_apart_is_undefined_where_either_side_is():
    first = Distribution.of(np.array([0.1, np.nan]), np.array([0.5, 0.5]), is_exact=True)
    second = Distribution.of(
        np.array([0.2, 0.4, np.nan, 0.4]), np.array([0.25, 0.25, 0.25, 0.25]), is_exact=True
    )

    found = difference_distribution(first, second)

    assert found.undefined_share == pytest.approx(1 - 0.5 * 0.75)
    assert found.values.tolist() == pytest.approx([-0.3, -0.1])
    assert found.shares.tolist() == pytest.approx([0.25, 0.125])
    assert found.mean == pytest.approx((-0.3 * 2 - 0.1) / 3)
    assert (found.draw_count, found.is_exact) == (2, True)


def test_p_over_all_draws_is_twice_the_smaller_tail():
    whole = Distribution.of(np.array([-1.0, 1.0]), np.array([0.1, 0.9]), is_exact=True)
    above = Distribution.of(np.array([1.0, 2.0]), np.array([0.1, 0.9]), is_exact=True)
    undefined = Distribution.of(np.array([np.nan]), np.array([1.0]), is_exact=True)

    assert whole.p_of_zero == pytest.approx(0.2)
    assert (above.p_of_zero, undefined.p_of_zero) == (0.0, 1.0)
