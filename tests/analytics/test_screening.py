"""Planted raters are flagged by the right rule, honest ones by none, with a reason."""

import numpy as np
import pytest

from annotation.analytics.screening import (
    Finding,
    RaterEvidence,
    Rule,
    Thresholds,
    screen,
)
from bench.planted_raters import Kind, made_up_audit
from bench.screening import RIGHT_RULES, flagged

HONEST = Kind.HONEST


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not HONEST])
@pytest.mark.parametrize("has_checks", [True, False])
def test_planted_raters_are_flagged_by_the_right_rule(kind, has_checks):
    for seed in range(3):
        audit = made_up_audit(
            [HONEST, HONEST, kind, HONEST, HONEST],
            rng=np.random.default_rng(seed),
            has_checks=has_checks,
        )

        flags = flagged(audit)

        assert flags[2] & RIGHT_RULES[kind]
        assert [bool(flags[rater]) for rater in (0, 1, 3, 4)] == [False] * 4


def test_honest_raters_among_planted_ones_of_every_kind_are_not_flagged():
    kinds = [*Kind, HONEST, HONEST, HONEST]
    for seed in range(3):
        flags = flagged(made_up_audit(kinds, rng=np.random.default_rng(seed), traces=60))

        assert [kind for kind, found in zip(kinds, flags, strict=True) if found] == [
            kind for kind in kinds if kind is not HONEST
        ]
        for kind, rules in RIGHT_RULES.items():
            assert flags[kinds.index(kind)] & rules


def test_false_flags_of_honest_raters_are_rare():
    flags = [
        bool(found)
        for seed in range(20)
        for found in flagged(made_up_audit([HONEST] * 5, rng=np.random.default_rng(1000 + seed)))
    ]

    assert sum(flags) / len(flags) <= 0.03


def test_every_result_has_a_sentence_with_the_name_and_none_is_missing():
    audit = made_up_audit([HONEST, Kind.STRICT, HONEST], rng=np.random.default_rng(5))

    results = screen(audit.answers, audit.evidence)

    assert [(item.rater, item.rule) for item in results] == [
        (rater, rule) for rater in range(3) for rule in Rule
    ]
    assert all(f"rater {item.rater}" in item.reason for item in results)
    assert all(item.reason.endswith(".") for item in results)
    assert all((item.value is None) == (item.finding is Finding.NOT_TESTED) for item in results)
    (strict,) = (item for item in results if (item.rater, item.rule) == (1, Rule.BIAS))
    assert strict.finding is Finding.FLAGGED
    assert "lower than the others (z = -" in strict.reason


def test_opinion_metrics_carry_a_warning():
    audit = made_up_audit([HONEST, HONEST, HONEST, HONEST], rng=np.random.default_rng(3))
    plausibility = next(item for item in audit.answers if item.metric == "human_plausibility")
    plausibility.values[plausibility.raters == 0] = np.maximum(
        plausibility.values[plausibility.raters == 0] - 2, 0
    )

    (result,) = (
        item
        for item in screen([plausibility], audit.evidence)
        if (item.rater, item.rule) == (0, Rule.BIAS)
    )

    assert result.finding is Finding.FLAGGED
    assert result.reason.endswith("nobody should be excluded for it.") or not result.metric


def test_thresholds_decide():
    evidence = [RaterEvidence("Ann", seconds_per_event=(8.0, 9.0, 30.0), gold=(True, False, True))]

    def finding(rule, thresholds):
        return {item.rule: item for item in screen([], evidence, thresholds)}[rule].finding

    assert finding(Rule.SPEED, Thresholds()) is Finding.FLAGGED
    assert finding(Rule.SPEED, Thresholds(seconds_per_event=9)) is Finding.ACCEPTED
    assert finding(Rule.GOLD, Thresholds(gold_share=0.6)) is Finding.ACCEPTED
    assert finding(Rule.GOLD, Thresholds(gold_share=0.7)) is Finding.FLAGGED
    assert finding(Rule.TRAPS, Thresholds()) is Finding.NOT_TESTED


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"gold_share": 1.5}, "threshold gold_share is 1.5; expected 0 to 1"),
        ({"z": "high"}, "threshold z is 'high'; expected a number"),
        ({"run_length": float("nan")}, "threshold run_length is nan; expected 2 to 10000"),
    ],
)
def test_thresholds_outside_their_range_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Thresholds(**wrong)
