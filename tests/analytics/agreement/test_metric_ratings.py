import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from annotation.analytics.agreement.answers import Answers
from annotation.analytics.agreement.metric_ratings import Basis, RatingChunk, RatingTally, Units
from annotation.engine.rubric.rubric import Metric, current_rubric
from annotation.engine.stored import from_stored
from tests.analytics.agreement.test_report import make_ratings

UNITS = Units(
    keys=np.array([70, 50]),
    clusters=np.array([1, 0]),
    expected=np.array([3, 2]),
    is_correction=np.array([False, True]),
)


def chunk(*answers):
    """Answers as (unit, place of the value, confidence, is implied, rater), one after the other."""
    table = np.array(answers, dtype=np.int64).reshape(-1, 5)
    turns = np.arange(len(table))
    return RatingChunk(table[:, 0], table[:, 1], table[:, 2], table[:, 3] > 0, table[:, 4], turns)


def tallied(metric, *chunks, is_unit=None):
    definition = current_rubric().definition(metric)
    tally = RatingTally(definition, unit_count=2, rater_count=4)
    for item in chunks:
        tally.add(item)
    return tally.ratings(UNITS, dataset="d", basis=Basis(), is_unit=is_unit)


def test_tally_counts_by_unit_and_value_over_chunks():
    ratings = tallied(
        Metric.SEQUENCE_CONSISTENCY,
        chunk((1, 1, 0, 0, 0), (0, 4, 0, 1, 0)),
        chunk(),
        chunk((0, 4, 0, 0, 2), (0, 0, 0, 0, 3)),
    )

    assert ratings.counts.tolist() == [[1, 0, 0, 0, 2], [0, 1, 0, 0, 0]]
    assert ratings.expected.tolist() == [3, 2]
    assert ratings.clusters.tolist() == [1, 0]
    assert ratings.logic_tallies is None
    assert (ratings.rating_count, ratings.missing_count, ratings.implied_count) == (4, 1, 1)
    assert ratings.rater_count == 3


def test_tally_keeps_the_confidence_of_procedure_logic():
    answers = chunk((0, 1, 3, 0, 0), (0, 1, 3, 0, 1), (0, 0, 2, 0, 2), (1, 0, 0, 0, 0))

    ratings = tallied(Metric.PROCEDURE_LOGIC, answers)

    assert ratings.counts.tolist() == [[1, 2], [1, 0]]
    assert ratings.logic_tallies.tolist() == [[[0, 1, 0], [0, 0, 2]], [[0, 0, 0], [0, 0, 0]]]


@pytest.mark.parametrize("answer", [(2, 0, 0, 0, 0), (0, 5, 0, 0, 0)])
def test_tally_refuses_a_unit_or_value_that_does_not_exist(answer):
    with pytest.raises(IndexError):
        tallied(Metric.CONFUSABILITY, chunk(answer))


def test_tally_keeps_units_that_are_none_any_more_but_were_rated():
    rated = chunk((1, 2, 0, 0, 0))

    kept = tallied(Metric.VIDEO_PLAUSIBILITY, rated, is_unit=np.array([False, False]))

    assert (kept.counts.tolist(), kept.keys.tolist()) == ([[0, 0, 1, 0, 0]], [50])
    assert tallied(Metric.VIDEO_PLAUSIBILITY, is_unit=np.array([True, False])).unit_count == 1


def test_extra_rating_does_not_make_up_for_a_missing_one():
    four = [(0, 1, 0, 0, rater) for rater in range(4)]

    assert tallied(Metric.ERROR_VALIDITY, chunk(*four, (1, 0, 0, 0, 0))).missing_count == 1


def test_later_of_two_answers_counts_whatever_their_order_in_the_table():
    answers = chunk((0, 1, 2, 0, 0), (0, 0, 3, 1, 0))
    turned = replace(answers, turns=np.array([9, 4]))

    for item, value, confidence, implied in ((answers, 0, 3, 1), (turned, 1, 2, 0)):
        ratings = tallied(Metric.PROCEDURE_LOGIC, item)
        assert ratings.answers.values.tolist() == [value]
        assert ratings.confidences.tolist() == [confidence]
        assert (ratings.implied_count, ratings.rating_count) == (implied, 1)


def test_hash_is_of_all_that_figures_come_from():
    one = tallied(Metric.CONFUSABILITY, chunk((0, 1, 0, 0, 0), (0, 1, 0, 0, 2)))
    others = [
        tallied(Metric.CONFUSABILITY, chunk((0, 2, 0, 0, 0), (0, 1, 0, 0, 2))),
        tallied(Metric.CONFUSABILITY, chunk((1, 1, 0, 0, 0), (0, 1, 0, 0, 2))),
        tallied(Metric.CONFUSABILITY, chunk((0, 1, 0, 1, 0), (0, 1, 0, 0, 2))),
        tallied(Metric.HUMAN_PLAUSIBILITY, chunk((0, 1, 0, 0, 0), (0, 1, 0, 0, 2))),
        replace(one, basis=Basis(rounds=(2,))),
        replace(one, expected=np.array([3, 3])),
        tallied(Metric.CONFUSABILITY, chunk((0, 1, 3, 0, 0), (0, 1, 0, 0, 2))),
        replace(one, clusters=np.array([1, 1])),
        replace(one, takes=("other",)),
        replace(one, unjudged=np.array([1, 0])),
        replace(one, is_correction=np.array([False, False])),
        replace(one, dataset="other"),
    ]

    # The numbers of raters are of the database: who is meant changes no figure.
    same = tallied(Metric.CONFUSABILITY, chunk((0, 1, 0, 0, 1), (0, 1, 0, 0, 3)))
    assert one.hash == same.hash
    assert len({item.hash for item in (one, *others)}) == 13


def test_ratings_of_some_units_are_what_those_units_have():
    ratings = make_ratings(
        Metric.CONFUSABILITY, [[2, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 3, 0]]
    )

    ratings = replace(ratings, is_correction=np.array([True, True, False]))
    part = ratings.of_units(np.array([True, False, True]))

    assert part.counts.tolist() == [[2, 0, 0, 0, 0], [0, 0, 0, 3, 0]]
    assert (part.keys.tolist(), part.clusters.tolist()) == ([0, 2], [0, 1])
    assert (part.rating_count, len(part.confidences)) == (5, 5)
    assert part.is_correction.tolist() == [True, False]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"confidences": np.zeros(3, int)}, "confidences has 3 entries; expected 2"),
        ({"expected": np.zeros(3, int)}, "expected has 3 entries; expected 1"),
        ({"clusters": np.zeros(0, int)}, "clusters has 0 entries; expected 1"),
        ({"answers": Answers.of_table(np.array([[1, 1]]), 2)}, "2 values; expected 5"),
    ],
)
def test_metric_ratings_refuse_columns_that_do_not_fit(change, message):
    with pytest.raises(ValueError, match=message):
        replace(make_ratings(Metric.CONFUSABILITY, [[2, 0, 0, 0, 0]]), **change)


@pytest.mark.parametrize(
    ("basis", "text"),
    [
        (
            Basis(rounds=(1,), phase="pilot", guidelines=("draft",)),
            "round 1 (pilot), guideline draft",
        ),
        (Basis(), "no round yet"),
        (
            Basis(rounds=(1, 2), guidelines=("1", "2")),
            "2 rounds pooled, of each rater the last answer, guidelines 1, 2",
        ),
    ],
)
def test_basis_says_what_figures_are_of(basis, text):
    assert basis.text == text
    assert from_stored(Basis, json.loads(json.dumps(asdict(basis)))) == basis
