import krippendorff
import numpy as np
import pytest

from annotation.engine.rubric.rubric import (
    Metric,
    Scope,
    applicable_metrics,
    check_value,
    current_rubric,
)
from annotation.engine.taxonomy import EventKind
from sample.corpus import load_corpus
from sample.ratings import RATERS, sample_ratings

TRACES = load_corpus().traces
SEED = 2026


@pytest.fixture(scope="module")
def ratings():
    return sample_ratings(TRACES, np.random.default_rng(SEED))


def _matrix(ratings, metric):
    """Return (3 raters, N units) of the values of one metric as numbers."""
    values = {(r.rater, r.trace_uid, r.event_id): r.value for r in ratings if r.metric is metric}
    codes = {value: code for code, value in enumerate(sorted(set(values.values())))}
    units = list(dict.fromkeys(key[1:] for key in values))
    return np.array([[codes[values[rater, *unit]] for unit in units] for rater in RATERS], float)


def test_ratings_are_the_same_for_the_same_seed(ratings):
    assert sample_ratings(TRACES, np.random.default_rng(SEED)) == ratings
    assert sample_ratings(TRACES, np.random.default_rng(SEED + 1)) != ratings


def test_ratings_finish_every_trace(ratings):
    expected = {
        (rater, trace.uid, event_id)
        for rater in RATERS
        for trace in TRACES
        for event_id in (*(event.event_id for event in trace.events), None)
    }

    assert {(r.rater, r.trace_uid, r.event_id) for r in ratings} == expected
    for rater, trace_uid, event_id in expected:
        own = [
            r for r in ratings if (r.rater, r.trace_uid, r.event_id) == (rater, trace_uid, event_id)
        ]
        scope = Scope.TRACE if event_id is None else Scope.EVENT
        assert {r.metric for r in own} == set(applicable_metrics(scope, has_video=True))
        assert len({r.metric for r in own}) == len(own)
        assert all(
            r.confidence for r in own if current_rubric().definition(r.metric).has_confidence
        )


def test_ratings_are_in_the_scales_of_the_rubric(ratings):
    edition = current_rubric()

    strange = [r for r in ratings if r.value not in edition.definition(r.metric).values]

    assert strange == []
    for rating in ratings:
        check_value(rating.metric, rating.value, rating.confidence)


def test_ratings_follow_the_skip_rule(ratings):
    logic = {
        (r.rater, r.trace_uid, r.event_id): r.value
        for r in ratings
        if r.metric is Metric.PROCEDURE_LOGIC
    }
    ruled = {Metric.SEQUENCE_CONSISTENCY: "5", Metric.STATE_CHANGE_COHERENCE: "no"}

    for rating in ratings:
        key = (rating.rater, rating.trace_uid, rating.event_id)
        is_ruled = rating.metric in ruled and logic[key] == "no"
        assert rating.is_implied == is_ruled
        if is_ruled:
            assert rating.value == ruled[rating.metric]


@pytest.mark.parametrize("metric", Metric)
def test_ratings_disagree_as_people_do(ratings, metric):
    matrix = _matrix(ratings, metric)
    level = "ordinal" if any(r.value == "5" for r in ratings if r.metric is metric) else "nominal"

    alpha = krippendorff.alpha(reliability_data=matrix, level_of_measurement=level)

    assert 0.2 < alpha < 0.9


def test_ratings_tell_corrections_from_mistakes(ratings):
    corrections = {
        (trace.uid, event.event_id)
        for trace in TRACES
        for event in trace.events
        if event.kind is EventKind.CORRECTION
    }

    def share(metric, value, is_correction):
        values = [
            r.value == value
            for r in ratings
            if r.metric is metric and ((r.trace_uid, r.event_id) in corrections) == is_correction
        ]
        return sum(values) / len(values)

    assert share(Metric.TAXONOMY_FIT, "C", True) > 0.7
    assert share(Metric.TAXONOMY_FIT, "C", False) == 0
    # Of a correction it is asked whether it undoes its mistake, as most of the sample's do.
    assert share(Metric.ERROR_VALIDITY, "yes", True) > 0.7
    assert share(Metric.ERROR_VALIDITY, "yes", False) > 0.5
