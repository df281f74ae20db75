"""Scores of decisions: the best threshold by trying all, and one that was chosen elsewhere."""

import numpy as np
import pytest

from benchmarks.engine.measures.guiding import decision_scores
from benchmarks.engine.score_thresholds import FOLDS, best_threshold, decided_by_others

CASES = 60


def drawn(seed, count=40):
    rng = np.random.default_rng(seed)
    should = rng.random(count) < rng.uniform(0.2, 0.8)
    should[:2] = True, False
    # Few different scores, so that there are ties.
    scores = (rng.integers(0, 9, count) + 3 * should * (rng.random(count) < 0.5)).astype(float)
    return should, scores


def g_mean(should, said):
    kinds = [should & said, ~should & said, should & ~said, ~should & ~said]
    return decision_scores(np.array([*map(np.sum, kinds), 0, 0], dtype=float))["gmean_f1"]


@pytest.mark.parametrize("seed", range(CASES))
def test_no_other_threshold_is_better(seed):
    should, scores = drawn(seed)
    found = best_threshold(should, scores)

    every = [g_mean(should, scores >= one) for one in [*np.unique(scores), np.inf]]
    assert g_mean(should, scores >= found) == pytest.approx(max(every))


@pytest.mark.parametrize("seed", range(5))
def test_points_are_decided_by_the_threshold_of_other_recordings(seed):
    should, scores = drawn(seed, 200)
    recordings = np.arange(200) // 8
    decided = decided_by_others(should, scores, recordings)

    # What is right in a part tells nothing about its own decisions.
    own = recordings % FOLDS == 2
    turned = np.where(own, ~should, should)
    again = decided_by_others(turned, scores, recordings)
    assert (decided[own] == again[own]).all()
    assert (decided[own] == (scores[own] >= best_threshold(should[~own], scores[~own]))).all()


def test_without_both_kinds_elsewhere_there_is_no_threshold():
    should, scores = np.array([True, False]), np.array([0.9, 0.1])

    assert decided_by_others(should, scores, np.array([0, 1])) is None
