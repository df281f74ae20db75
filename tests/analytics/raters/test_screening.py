"""Planted raters are flagged by the right rule, honest ones by none, with a reason."""

import numpy as np
import pytest

from annotation.analytics.raters.screening import screen
from annotation.analytics.raters.screening_terms import Finding, RaterEvidence, Rule, Thresholds
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


def of_metric(audit, name):
    return next(item for item in audit.answers if item.metric == name)


def found_by(rule, rater, answers, evidence, thresholds=None):
    (result,) = (
        item
        for item in screen(answers, evidence, thresholds)
        if (item.rater, item.rule) == (rater, rule)
    )
    return result


@pytest.mark.parametrize(
    ("raised", "lowered_by", "has_warning"),
    [("confusability", 1.5, True), ("text_video_grounding", 0.2, False)],
)
def test_opinion_metrics_carry_a_warning(raised, lowered_by, has_warning):
    audit = made_up_audit([HONEST] * 4, rng=np.random.default_rng(3), traces=80)
    lowered, higher = of_metric(audit, "sequence_consistency"), of_metric(audit, raised)
    # Over both scales the rater is about as strict as the others, so that one of them is named.
    for item, shift in ((lowered, -lowered_by), (higher, 2)):
        own = item.raters == 0
        moved = item.values[own] + np.round(shift + np.linspace(-0.5, 0.5, int(own.sum())))
        item.values[own] = np.clip(moved, 0, 4)

    result = found_by(Rule.BIAS, 0, [lowered, higher], audit.evidence)

    assert (result.finding, result.metric) == (Finding.FLAGGED, raised)
    assert result.reason.endswith("nobody should be excluded for it.") is has_warning


def test_who_lets_the_skip_rule_answer_more_often_is_flagged():
    audit = made_up_audit([HONEST] * 4, rng=np.random.default_rng(4))
    sequence = of_metric(audit, "sequence_consistency")
    sequence.is_implied[sequence.raters == 2] = True

    results = [found_by(Rule.SKIPPING, rater, [sequence], audit.evidence) for rater in range(4)]

    assert [item.finding is Finding.FLAGGED for item in results] == [False, False, True, False]
    share = f"{results[2].value:.0%}"
    assert results[2].reason.startswith(
        f"rater 2 lets the skip rule answer {share} more often than the others"
    )


@pytest.mark.parametrize("rule", [Rule.RUN, Rule.VARIANCE, Rule.AGREEMENT])
def test_thresholds_of_habits_are_drawn_at_the_value(rule):
    audit = made_up_audit([HONEST] * 4, rng=np.random.default_rng(6))
    # Where a run is longest, and variance and agreement least: nobody is flagged before.
    known = [found_by(rule, rater, audit.answers, audit.evidence) for rater in range(4)]
    pick = max if rule is Rule.RUN else min
    worst = pick(known, key=lambda item: item.value)

    def finding(threshold):
        name = {Rule.RUN: "run_length", Rule.AGREEMENT: "correlation"}.get(rule, rule.value)
        limits = Thresholds(**{name: threshold})
        return found_by(rule, worst.rater, audit.answers, audit.evidence, limits).finding

    beyond = worst.value + 1 if rule is Rule.RUN else worst.value + 1e-9
    flagged_at, accepted_at = (worst.value, beyond) if rule is Rule.RUN else (beyond, worst.value)
    assert finding(flagged_at) is Finding.FLAGGED
    assert finding(accepted_at) is Finding.ACCEPTED


@pytest.mark.parametrize(
    ("rule", "known", "threshold", "value"),
    [
        (Rule.SPEED, {"seconds_per_event": (8.0, 9.0, 30.0)}, "seconds_per_event", 9.0),
        (Rule.GOLD, {"gold": (True, False, True, True)}, "gold_share", 0.75),
        (Rule.TRAPS, {"traps": (True, False, False, True)}, "trap_share", 0.5),
        (Rule.REPEATS, {"repeats": (False, False, False, True)}, "repeat_share", 0.25),
        (Rule.WATCHED, {"watched": (0.25, 0.75, 0.125)}, "watched_share", 0.375),
    ],
)
def test_checks_are_flagged_below_their_threshold_and_not_at_it(rule, known, threshold, value):
    evidence = [RaterEvidence("Ann", **known)]

    at, above = (
        found_by(rule, 0, [], evidence, Thresholds(**{threshold: value + more}))
        for more in (0, 0.01)
    )

    assert (at.finding, above.finding) == (Finding.ACCEPTED, Finding.FLAGGED)
    assert (at.value, above.threshold) == (value, value + 0.01)


@pytest.mark.parametrize(
    ("rule", "known"),
    [
        (Rule.GOLD, {"gold": (False, False)}),
        (Rule.TRAPS, {"traps": (False, False)}),
        (Rule.REPEATS, {"repeats": (False, False)}),
        (Rule.SPEED, {"seconds_per_event": (1.0, 1.0)}),
        (Rule.WATCHED, {}),
    ],
)
def test_too_few_checks_are_not_tested(rule, known):
    result = found_by(rule, 0, [], [RaterEvidence("Ann", **known)])

    assert (result.finding, result.value) == (Finding.NOT_TESTED, None)


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
