"""Accepted answers, the rule of passing, and where checks stand in a queue."""

import numpy as np
import pytest

from annotation.engine.ratings.gold import (
    CheckKind,
    GoldError,
    PassRule,
    RepeatPlace,
    accepted_values,
    affordable,
    check_gold,
    repeat_places,
    score_of,
    slots_of_checks,
)
from annotation.engine.rubric.rubric import Metric, current_rubric, rubrics

LOGIC = current_rubric().definition(Metric.PROCEDURE_LOGIC)
SEQUENCE = current_rubric().definition(Metric.SEQUENCE_CONSISTENCY)


def test_opinions_have_no_gold_in_any_version_of_the_rubric():
    for edition in rubrics().values():
        assert {item.metric for item in edition.metrics if item.is_subjective} == {
            Metric.HUMAN_PLAUSIBILITY,
            Metric.CONFUSABILITY,
            Metric.VIDEO_PLAUSIBILITY,
        }


@pytest.mark.parametrize(
    ("metric", "accepted", "band", "message"),
    [
        ("confusability", ["2"], 0, "Confusability asks for an opinion: no answer to it is right,"
         " so it has no gold"),
        ("error_validity", [], 0, "Error Validity: no accepted answer; expected one of no, yes"),
        ("error_validity", ["maybe"], 0, "Error Validity: accepted is 'maybe'; expected no, yes"),
        ("error_validity", ["yes", "no"], 0,
         "Error Validity: every answer would be accepted; expected fewer"),
        ("sequence_consistency", ["2", "4"], 1,
         "Sequence Consistency: every answer would be accepted; expected fewer"),
        ("taxonomy_fit", ["D"], 1, "Taxonomy Fit: a band of 1 needs a 1-5 scale; expected 0"),
        ("sequence_consistency", ["1"], 2, "Sequence Consistency: band is 2; expected 0 or 1"),
    ],
)  # fmt: skip
def test_gold_that_a_metric_cannot_have_is_refused(metric, accepted, band, message):
    with pytest.raises(GoldError) as refusal:
        check_gold(current_rubric().definition(Metric(metric)), accepted, band)

    assert str(refusal.value) == message


def test_a_band_accepts_the_neighbours_and_stays_on_the_scale():
    assert accepted_values(SEQUENCE, ["5"], 1) == ("4", "5")
    assert accepted_values(SEQUENCE, ["2", "4"], 0) == ("2", "4")
    assert accepted_values(LOGIC, ["yes"], 0) == ("yes",)


def test_a_score_passes_overall_and_for_every_metric():
    answers = [("taxonomy_fit", True)] * 8 + [("error_validity", False)] * 2
    score = score_of(answers)

    assert score.share == 0.8
    assert not score.passes(PassRule(overall=0.8, per_metric=0.5))
    assert score.passes(PassRule(overall=0.8, per_metric=0))
    assert not score.passes(PassRule(overall=0.81, per_metric=0))
    assert not score_of([]).passes(PassRule(overall=0, per_metric=0))


def test_checks_are_at_most_a_tenth_and_given_up_in_turns():
    wanted = {CheckKind.GOLD: 2, CheckKind.TRAP: 1, CheckKind.REPEAT: 2}

    given = {count: list(affordable(wanted, count).values()) for count in (9, 10, 39, 50, 500)}

    assert given == {9: [0, 0, 0], 10: [1, 0, 0], 39: [1, 1, 1], 50: [2, 1, 2], 500: [2, 1, 2]}


@pytest.mark.parametrize("seed", range(20))
def test_checks_stand_inside_the_queue_and_apart(seed):
    slots = slots_of_checks(4, first=1, last=40, rng=np.random.default_rng(seed))

    assert slots == slots_of_checks(4, first=1, last=40, rng=np.random.default_rng(seed))
    assert [(slot - 1) // 10 for slot in sorted(slots)] == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", range(20))
def test_a_repeat_comes_after_enough_others(seed):
    rng = np.random.default_rng(seed)

    found = repeat_places(range(30), count=3, gap=10, first=1, last=30, rng=rng)

    assert len({item.place for item in found}) == 3
    assert all(item.slot - item.place - 1 >= 10 and item.slot <= 30 for item in found)


def test_a_queue_that_is_too_short_has_no_repeat():
    rng = np.random.default_rng(0)

    assert repeat_places(range(11), count=2, gap=11, first=1, last=11, rng=rng) == []
    assert repeat_places(range(11), count=2, gap=10, first=1, last=11, rng=rng) == [
        RepeatPlace(0, 11)
    ]
