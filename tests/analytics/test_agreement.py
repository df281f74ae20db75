import tracemalloc

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from annotation.analytics import agreement
from annotation.analytics.agreement import (
    NO_PAIRS,
    NO_RATINGS,
    NO_VARIATION,
    ONE_CLUSTER,
    Alpha,
    Interval,
    bootstrap_interval,
    count_patterns,
    krippendorff_alpha,
)
from annotation.engine.rubric import Level

GAP = np.nan
# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section E: 4 raters, 12 units.
PUBLISHED_RATINGS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, GAP, GAP, GAP],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, GAP, 3],
        [GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, GAP],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, GAP],
    ]
)
TOLERANCE = 1e-12


def count_values(ratings, values=(1, 2, 3, 4, 5)):
    return np.stack([(ratings == value).sum(axis=0) for value in values], axis=1)


def random_ratings(seed, *, raters=5, units=300, values=5, gap_share=0.3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, values + 1, units)
    noise = rng.integers(1, values + 1, (raters, units))
    ratings = np.where(rng.random((raters, units)) < 0.6, truth, noise).astype(float)
    ratings[rng.random((raters, units)) < gap_share] = GAP
    return ratings


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_the_published_example_is_the_published_one(level, published):
    alpha = krippendorff_alpha(count_values(PUBLISHED_RATINGS), Level(level))

    assert alpha == Alpha(alpha.value, "", Level(level), units=11, pairable_values=40)
    assert round(alpha.value, 3) == published


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("seed", range(8))
def test_alpha_of_random_tables_with_gaps_equals_the_package(level, seed):
    ratings = random_ratings(seed, raters=2 + seed, values=2 + seed % 5, gap_share=seed / 10)

    own = krippendorff_alpha(count_values(ratings, range(1, 8)), level).value

    peer = krippendorff.alpha(ratings, level_of_measurement=level.value)
    assert own == pytest.approx(peer, abs=TOLERANCE, rel=0)


@given(
    counts=arrays.arrays(
        dtype=st.sampled_from([np.int8, np.uint16, np.int64]),
        shape=st.tuples(st.integers(1, 30), st.integers(2, 7)),
        elements=st.integers(0, 4),
    ),
    level=st.sampled_from(list(Level)),
)
@settings(max_examples=300, deadline=None)
def test_alpha_equals_the_package_or_says_why_there_is_none(counts, level):
    alpha = krippendorff_alpha(counts, level)

    paired = counts[counts.sum(axis=1) >= 2]
    used_values = np.count_nonzero(paired.sum(axis=0))
    if not counts.any():
        assert alpha == Alpha(None, NO_RATINGS, level, 0, 0)
    elif not len(paired):
        assert alpha == Alpha(None, NO_PAIRS, level, 0, 0)
    elif used_values < 2:
        assert alpha == Alpha(None, NO_VARIATION, level, len(paired), int(paired.sum()))
    else:
        peer = krippendorff.alpha(
            value_counts=counts.astype(np.int64), level_of_measurement=level.value
        )
        assert alpha == Alpha(alpha.value, "", level, len(paired), int(paired.sum()))
        assert alpha.value == pytest.approx(peer, abs=TOLERANCE, rel=0)


@pytest.mark.parametrize("level", list(Level))
def test_alpha_across_chunks_equals_the_package(monkeypatch, level):
    monkeypatch.setattr(agreement, "CHUNK_UNITS", 7)
    ratings = random_ratings(3)

    own = krippendorff_alpha(count_values(ratings), level).value

    peer = krippendorff.alpha(ratings, level_of_measurement=level.value)
    assert own == pytest.approx(peer, abs=TOLERANCE, rel=0)


@pytest.mark.parametrize("level", list(Level))
def test_perfect_agreement_of_rotating_raters_is_one(level):
    # Six raters, two on each unit, never the same pair twice in a row.
    ratings = np.full((6, 12), GAP)
    for unit in range(12):
        ratings[[unit % 6, (unit + 1 + unit // 6) % 6], unit] = 1 + unit % 5

    counts = count_values(ratings)

    assert krippendorff_alpha(counts, level) == Alpha(1.0, "", level, 12, 24)
    interval = bootstrap_interval(counts, None, level, np.random.default_rng(0), 200)
    assert (interval.low, interval.high) == (1.0, 1.0)


def test_systematic_disagreement_is_below_chance():
    # Two raters, two units, opposite answers: Do = 1, De = 2/3, so alpha is -1/2.
    alpha = krippendorff_alpha(np.array([[1, 1], [1, 1]]), Level.NOMINAL)

    assert alpha.value == pytest.approx(-0.5, abs=TOLERANCE)


@pytest.mark.parametrize("counts", [np.ones((3, 2)), np.ones(3, dtype=int), [[True, False]]])
def test_alpha_refuses_what_is_no_table_of_counts(counts):
    with pytest.raises(ValueError, match=r"expected integers \(N, V\)"):
        krippendorff_alpha(counts, Level.NOMINAL)


def test_alpha_refuses_a_negative_count():
    with pytest.raises(ValueError, match="a value count is -1; expected 0 or more"):
        krippendorff_alpha(np.array([[2, -1]]), Level.NOMINAL)


@given(
    arrays.arrays(
        np.int64,
        shape=st.tuples(st.integers(0, 40), st.integers(1, 8)),
        elements=st.integers(0, 9),
    )
)
def test_patterns_are_the_distinct_rows_with_their_counts(counts):
    patterns = count_patterns(counts)

    rows, multiplicities = np.unique(counts, axis=0, return_counts=True)
    np.testing.assert_array_equal(patterns.rows, rows)
    np.testing.assert_array_equal(patterns.multiplicities, multiplicities)


def test_alpha_needs_under_a_tenth_of_the_memory_of_the_package():
    ratings = random_ratings(1, units=100_000, gap_share=0.1)
    counts = count_values(ratings)

    own = peak_bytes(lambda: krippendorff_alpha(counts, Level.ORDINAL))
    peer = peak_bytes(lambda: krippendorff.alpha(ratings, level_of_measurement="ordinal"))

    assert own < peer / 10


def peak_bytes(function):
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


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
def test_bootstrap_by_cluster_agrees_with_the_naive_loop(level):
    counts = count_values(random_ratings(4, units=240))
    clusters = np.repeat(np.arange(40), 6)

    interval = bootstrap_interval(counts, clusters, level, np.random.default_rng(0), 4000)

    low, high = naive_interval(counts, clusters, level, 1, 1500)
    # Both ends are Monte Carlo estimates; the interval is about 0.15 wide.
    assert interval.low == pytest.approx(low, abs=0.012)
    assert interval.high == pytest.approx(high, abs=0.012)
    assert (interval.clusters, interval.undefined_resamples) == (40, 0)


def test_bootstrap_is_wider_when_the_units_of_a_cluster_go_together():
    counts = np.repeat(count_values(random_ratings(6, units=30, gap_share=0)), 10, axis=0)
    clusters = np.repeat(np.arange(30), 10)

    by_cluster = bootstrap_interval(counts, clusters, Level.ORDINAL, np.random.default_rng(0))
    by_unit = bootstrap_interval(counts, None, Level.ORDINAL, np.random.default_rng(0))

    assert by_cluster.high - by_cluster.low > 2 * (by_unit.high - by_unit.low)


def test_bootstrap_of_single_unit_clusters_is_the_bootstrap_by_unit():
    counts = count_values(random_ratings(7, units=200))
    clusters = np.arange(200)

    by_cluster = bootstrap_interval(counts, clusters, Level.NOMINAL, np.random.default_rng(0), 4000)
    by_unit = bootstrap_interval(counts, None, Level.NOMINAL, np.random.default_rng(0), 4000)

    assert by_cluster.low == pytest.approx(by_unit.low, abs=0.01)
    assert by_cluster.high == pytest.approx(by_unit.high, abs=0.01)


def test_bootstrap_repeats_itself_for_one_seed():
    counts = count_values(random_ratings(8))
    clusters = np.arange(300) // 7

    first = bootstrap_interval(counts, clusters, Level.ORDINAL, np.random.default_rng(5), 100)
    again = bootstrap_interval(counts, clusters, Level.ORDINAL, np.random.default_rng(5), 100)
    other = bootstrap_interval(counts, clusters, Level.ORDINAL, np.random.default_rng(6), 100)

    assert first == again
    assert first != other


def test_bootstrap_does_not_depend_on_how_many_draws_are_held(monkeypatch):
    counts = count_values(random_ratings(8))
    whole = bootstrap_interval(counts, None, Level.ORDINAL, np.random.default_rng(5), 100)

    monkeypatch.setattr(agreement, "MAX_DRAWS", 1)
    parts = bootstrap_interval(counts, None, Level.ORDINAL, np.random.default_rng(5), 100)

    assert (parts.low, parts.high) == pytest.approx((whole.low, whole.high), abs=TOLERANCE)


def test_bootstrap_of_one_cluster_says_why_there_is_no_interval():
    counts = np.array([[2, 0], [1, 1], [0, 2], [1, 0]])

    interval = bootstrap_interval(
        counts, np.array([3, 3, 3, 9]), Level.NOMINAL, np.random.default_rng(0)
    )

    assert interval == Interval(None, None, ONE_CLUSTER, 0, 0, 1)


def test_bootstrap_counts_resamples_without_variation():
    counts = np.array([[2, 0], [0, 2]])

    interval = bootstrap_interval(counts, None, Level.NOMINAL, np.random.default_rng(0), 400)

    # Half of the resamples of two clusters draw the same one twice.
    assert (interval.low, interval.high, interval.clusters) == (1.0, 1.0, 2)
    assert 150 < interval.undefined_resamples < 250


def test_bootstrap_of_unanimous_raters_says_why_there_is_no_interval():
    counts = np.array([[2, 0], [3, 0], [2, 0]])

    interval = bootstrap_interval(counts, None, Level.NOMINAL, np.random.default_rng(0), 50)

    assert interval == Interval(None, None, agreement.NEVER_DEFINED, 50, 50, 3)
