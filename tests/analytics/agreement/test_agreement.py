import tracemalloc

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from annotation.analytics.agreement import agreement
from annotation.analytics.agreement.agreement import (
    NO_PAIRS,
    NO_RATINGS,
    NO_VARIATION,
    Alpha,
    krippendorff_alpha,
    printed_alpha,
)
from annotation.engine.rubric.rubric import Level

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


@pytest.mark.parametrize("level", list(Level))
def test_printed_alpha_is_the_package_s_to_the_last_digit(level):
    counts = count_values(random_ratings(2))

    printed = printed_alpha(counts, level)

    package = krippendorff.alpha(value_counts=counts, level_of_measurement=level.value)
    assert (printed.value, printed.difference) == (package, 0.0)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [([[0, 0]], NO_RATINGS), ([[1, 0], [0, 1]], NO_PAIRS), ([[2, 0], [0, 1]], NO_VARIATION)],
)
def test_printed_alpha_says_why_where_the_package_fails_or_gives_nan(counts, reason):
    printed = printed_alpha(np.array(counts), Level.NOMINAL)

    assert (printed.value, printed.reason) == (None, reason)


def test_package_that_says_something_else_is_shown_logged_and_told(monkeypatch, caplog):
    monkeypatch.setattr(krippendorff, "alpha", lambda **_: 0.5)

    printed = printed_alpha(np.array([[2, 0], [0, 2]]), Level.NOMINAL)

    assert (printed.value, printed.difference) == (0.5, 0.5)
    assert caplog.messages == [
        "alpha (nominal) is 0.5 by the krippendorff package and 1.0 by our own count"
    ]
