"""The likeliest truth by Dawid and Skene's model: another library's, edge cases, resampling."""

import json

import numpy as np
import pytest

from annotation.analytics.agreement.answers import Answers
from annotation.analytics.agreement.who_is_right import likely_truth
from tests.analytics.agreement.crowd_kit_cases import CASES, ITERATIONS, random_answers

CROWD_KIT = [np.array(case) for case in json.loads(CASES.read_text())]


def truth_of(table, value_count, *, resamples=1, seed=0, clusters=None, iterations=100):
    table = np.asarray(table)
    clusters = np.arange(len(table)) if clusters is None else clusters
    return likely_truth(
        Answers.of_table(table, value_count),
        clusters,
        rng=np.random.default_rng(seed),
        resamples=resamples,
        iterations=iterations,
    )


@pytest.mark.parametrize("seed", range(len(CROWD_KIT)))
def test_posteriors_are_those_of_crowd_kit(seed):
    found = truth_of(*random_answers(seed), iterations=ITERATIONS).posterior

    assert np.abs(found[:, :-1] - CROWD_KIT[seed]).max() < 1e-6
    assert np.allclose(found.sum(axis=1), 1)


def two_right_one_wrong(count=20):
    """Return answers of two people who agree, and of one who is wrong every second time."""
    right = np.arange(count) % 2
    return np.stack([right, right, np.where(np.arange(count) % 4 < 2, right, 1 - right)], axis=1)


def test_who_is_seldom_wrong_counts_more_than_who_often_is():
    table = two_right_one_wrong()
    table = np.vstack([table, [[1, -1, 0]]])

    found = truth_of(table, 2)

    assert found.posterior[-1, 1] > 0.99
    assert found.confusion[0] == pytest.approx(np.eye(2), abs=1e-6)
    assert found.confusion[2, 0, 0] == pytest.approx(0.5, abs=0.06)


def test_intervals_come_from_traces_and_the_same_seed():
    table, values = random_answers(7)
    clusters = np.arange(len(table)) // 3

    one = truth_of(table, values, resamples=120, clusters=clusters)
    same = truth_of(table, values, resamples=120, clusters=clusters)
    other = truth_of(table, values, resamples=120, clusters=clusters, seed=1)

    shown = ~np.isnan(one.low)
    assert shown.any()
    assert np.array_equal(one.low, same.low, equal_nan=True)
    assert not np.array_equal(one.low, other.low, equal_nan=True)
    assert (one.low < one.high)[shown].all()
    assert (one.low <= one.posterior)[shown].all()
    assert (one.posterior <= one.high)[shown].all()
    assert one.low[shown].min() >= 0
    assert one.high[shown].max() <= 1 + 1e-9


def test_one_trace_gives_no_interval():
    table, values = random_answers(7)

    found = truth_of(table, values, resamples=20, clusters=np.zeros(len(table), dtype=int))

    assert np.isnan(found.low).all()
    assert np.isnan(found.high).all()


def test_units_and_raters_without_answers_do_not_enter():
    table = np.hstack([two_right_one_wrong(), np.full((20, 1), -1)])
    table = np.vstack([table, np.full((1, 4), -1)])

    found = truth_of(table, 2)

    assert found.units.tolist() == list(range(20))
    assert np.isnan(found.confusion[3]).all()


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (two_right_one_wrong()[:9], "9 units with two or more raters; expected 10"),
        (np.where(np.eye(20, dtype=bool), 0, -1), "0 units with two or more raters"),
        (np.ones((20, 3), dtype=int), "everybody always gave the same answer"),
    ],
)
def test_where_raters_hardly_overlap_it_says_so(table, reason):
    found = truth_of(table, 2)

    assert found.reason.startswith(reason)
    assert np.isnan(found.posterior).all()
    assert np.isnan(found.confusion).all()
