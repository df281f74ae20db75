"""Rules that point at raters whose work somebody should look at, each with a threshold of its own.

Nothing is left out on account of them: a rule says accepted or flagged and why, and a researcher
decides. Rules of a rater's own work come first. Rules that compare with the others do so with those
whom no rule has flagged, the most striking rater first, so that one who answers by chance or a
point too low does not make honest people look odd.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import NamedTuple

import numpy as np
import scipy

from annotation.analytics.raters import (
    Estimate,
    Flags,
    RaterAnswers,
    bias,
    bias_over,
    correlation_with_others,
    drift,
    drift_over,
    longest_run,
    own_variance,
)
from annotation.analytics.screening_terms import (
    Finding,
    RaterEvidence,
    Rule,
    RuleResult,
    Thresholds,
)
from annotation.engine.rubric import Metric, Scale, current_rubric

__all__ = ["Finding", "RaterEvidence", "Rule", "RuleResult", "Thresholds", "screen"]


# Fewer of these say nothing about a rater.
FEWEST_CHECKS = 3
FEWEST_SHARED = 20
FEWEST_CORRELATED = 60
# A run of what most others answer anyway is no sign of anything.
COMMON_SHARE = 0.5


def screen(
    answers: Sequence[RaterAnswers],
    evidence: Sequence[RaterEvidence],
    thresholds: Thresholds | None = None,
) -> list[RuleResult]:
    """One result per rater and rule, raters in the order of `evidence`, rules in their order.

    Only ordinary answers belong into `answers`: what is gold, a trap or a repeat is in `evidence`.
    """
    limits = thresholds or Thresholds()
    found: list[RuleResult] = []
    for rater, item in enumerate(evidence):
        found += _checks(rater, item, limits)
        found += _habits(rater, item.name, answers, limits)
    flagged = {result.rater for result in found if result.finding is Finding.FLAGGED}
    # Agreement first: who answers by chance also looks biased.
    for compare in (_compare_agreement, _compare_tendencies):
        settled: dict[int, list[RuleResult]] = {}
        while True:
            group = np.array([rater not in flagged for rater in range(len(evidence))], bool)
            latest = {
                rater: compare(rater, item.name, answers, group, limits)
                for rater, item in enumerate(evidence)
                if rater not in settled
            }
            worst = max(
                (
                    (_excess(result), rater)
                    for rater, results in latest.items()
                    for result in results
                    if group[rater] and result.finding is Finding.FLAGGED
                ),
                default=None,
            )
            if worst is None:
                break
            settled[worst[1]] = latest[worst[1]]
            flagged.add(worst[1])
        found += [result for results in (latest | settled).values() for result in results]
    order = {rule: place for place, rule in enumerate(Rule)}
    return sorted(found, key=lambda result: (result.rater, order[result.rule]))


def _excess(result: RuleResult) -> float:
    """How far beyond its threshold a flagged rater is."""
    value = result.value or 0.0
    if result.rule is Rule.AGREEMENT:
        return result.threshold - value
    return abs(value) / max(result.threshold, 1e-9)


def _result(
    rule: Rule,
    rater: int,
    reason: str,
    *,
    threshold: float,
    value: float | None = None,
    is_flagged: bool = False,
    metric: str = "",
) -> RuleResult:
    finding = Finding.FLAGGED if is_flagged else Finding.ACCEPTED
    if value is None:
        finding = Finding.NOT_TESTED
    return RuleResult(rule, rater, finding, value, threshold, reason, metric)


def _checks(rater: int, item: RaterEvidence, limits: Thresholds) -> list[RuleResult]:
    """What was watched, gold, traps, repeats and the time taken: each must reach its threshold."""

    def at_least(
        rule: Rule, values: Sequence[float], figure: float, least: float, words: tuple[str, str]
    ) -> RuleResult:
        sentence, missing = words
        fewest = 1 if rule is Rule.WATCHED else FEWEST_CHECKS
        if len(values) < fewest:
            return _result(rule, rater, missing, threshold=least)
        shown = f"{least:g} s is" if rule is Rule.SPEED else f"{least:.0%} is"
        reason = f"{sentence}; at least {shown} expected."
        return _result(
            rule, rater, reason, threshold=least, value=figure, is_flagged=figure < least
        )

    name, seconds = item.name, item.seconds_per_event
    results = [
        at_least(
            rule,
            checks,
            sum(checks) / max(len(checks), 1),
            least,
            (
                f"{sum(checks)} of {len(checks)} {noun} of {name} {claim}",
                f"{name} had {len(checks) or 'no'} {noun}; it takes {FEWEST_CHECKS}.",
            ),
        )
        for rule, checks, least, noun, claim in (
            (Rule.GOLD, item.gold, limits.gold_share, "gold answers", "were accepted"),
            (Rule.TRAPS, item.traps, limits.trap_share, "traps", "were answered right"),
            (Rule.REPEATS, item.repeats, limits.repeat_share, "repeats", "got the same answer"),
        )
    ]
    share = fmean(item.watched) if item.watched else 0.0
    watched = (
        f"{name} watched {share:.0%} of the time of {len(item.watched)} events",
        f"What {name} watched is not known, or there was no video.",
    )
    took = median(seconds) if seconds else 0.0
    speed = (
        f"{name} took {took:.0f} s per event (median of {len(seconds)} traces)",
        f"The times of {len(seconds)} traces of {name} are known; it takes {FEWEST_CHECKS}.",
    )
    return [
        *results,
        at_least(Rule.WATCHED, item.watched, share, limits.watched_share, watched),
        at_least(Rule.SPEED, seconds, took, limits.seconds_per_event, speed),
    ]


def _habits(
    rater: int, name: str, answers: Sequence[RaterAnswers], limits: Thresholds
) -> list[RuleResult]:
    """Runs of one value, and answers that hardly vary."""
    scales = [item for item in answers if item.definition.scale is Scale.LIKERT]
    runs = [(item, longest_run(item, rater)) for item in scales]
    told = [
        (run.length, run, item)
        for item, run in runs
        if run is not None and run.others_share <= COMMON_SHARE
    ]
    if told:
        _, run, item = max(told, key=lambda entry: entry[0])
        reason = (
            f"{name} gave {item.definition.title} a {run.value} {run.length} times in a row "
            f"(others gave it in {run.others_share:.0%} of their answers; "
            f"fewer than {limits.run_length:g} are expected)."
        )
        habit = _result(
            Rule.RUN,
            rater,
            reason,
            threshold=limits.run_length,
            value=run.length,
            is_flagged=run.length >= limits.run_length,
            metric=item.metric.value,
        )
    else:
        reason = f"No 1-5 answers of {name} in a known order that others do not mostly give too."
        habit = _result(Rule.RUN, rater, reason, threshold=limits.run_length)
    variance, count = own_variance(scales, rater)
    if variance is None or count < FEWEST_SHARED:
        reason = f"{name} typed {count} answers from 1 to 5; it takes {FEWEST_SHARED}."
        spread = _result(Rule.VARIANCE, rater, reason, threshold=limits.variance)
    else:
        reason = (
            f"The 1-5 answers of {name} have a variance of {variance:.2f} within each metric; "
            f"at least {limits.variance:g} is expected."
        )
        spread = _result(
            Rule.VARIANCE,
            rater,
            reason,
            threshold=limits.variance,
            value=variance,
            is_flagged=variance < limits.variance,
        )
    return [habit, spread]


def _compare_agreement(
    rater: int, name: str, answers: Sequence[RaterAnswers], group: Flags, limits: Thresholds
) -> list[RuleResult]:
    """Whether answers go with the others' at all, on metrics that do not ask for an opinion."""
    parts = [
        correlation_with_others(item, rater, group)
        for item in answers
        if not item.definition.is_subjective
    ]
    known = [(value, count) for value, count in parts if value is not None]
    total = sum(count for _, count in known)
    least = limits.correlation
    if total < FEWEST_CORRELATED:
        reason = (
            f"{name} shares {total} answers with the others where answers vary; "
            f"it takes {FEWEST_CORRELATED}."
        )
        return [_result(Rule.AGREEMENT, rater, reason, threshold=least)]
    value = sum(value * count for value, count in known) / total
    reason = (
        f"The answers of {name} follow the others' with a correlation of {value:.2f} "
        f"(over {total} answers; at least {least:g} is expected)."
    )
    return [
        _result(
            Rule.AGREEMENT, rater, reason, threshold=least, value=value, is_flagged=value < least
        )
    ]


def _compare_tendencies(
    rater: int, name: str, answers: Sequence[RaterAnswers], group: Flags, limits: Thresholds
) -> list[RuleResult]:
    """Bias, drift, and skipping more or less than the others."""
    others = int(group.sum()) - int(group[rater])
    if others < 2:
        reason = f"It takes two others to compare {name} with; there is {others or 'nobody'}."
        return [
            _result(rule, rater, reason, threshold=at) for rule, at in limits.tendencies.items()
        ]
    scales = [item for item in answers if item.definition.scale is Scale.LIKERT]
    implied = {metric for rule in current_rubric().skip_rules for metric in rule.implies}
    skipped = next(
        (item for item in answers if item.metric in implied and item.is_implied.any()), None
    )
    estimates: dict[Rule, list[tuple[str, Metric | None, float, Estimate]]] = {
        Rule.BIAS: [("1-5 answers", None, limits.bias_points, bias_over(scales, rater, group))],
        Rule.DRIFT: [("1-5 answers", None, limits.drift_points, drift_over(scales, rater, group))],
        Rule.SKIPPING: [],
    }
    for item in answers:
        if item.is_ordered:
            bias_limit, drift_limit = limits.bias_share, limits.drift_share
            if item.definition.scale is Scale.LIKERT:
                bias_limit, drift_limit = limits.bias_points, limits.drift_points
            of_metric = item.definition.title, item.metric
            change = drift(item, rater, group).change
            estimates[Rule.BIAS].append((*of_metric, bias_limit, bias(item, rater, group)))
            estimates[Rule.DRIFT].append((*of_metric, drift_limit, change))
    if skipped is not None:
        as_answers = replace(skipped, values=skipped.is_implied.astype(np.int64))
        estimates[Rule.SKIPPING].append(
            ("", None, limits.skip_share, bias(as_answers, rater, group))
        )
    return [_tendency(rule, rater, name, entries, limits) for rule, entries in estimates.items()]


class _Told(NamedTuple):
    """A difference, how many times its limit it is, and the metric: None for all scales."""

    strength: float
    value: float
    title: str
    metric: Metric | None
    limit: float
    estimate: Estimate


def _most_striking(told: Sequence[_Told], z: float) -> tuple[_Told, float, bool]:
    """The difference to speak of, the z that it has to reach, and whether any is striking."""
    # Of many comparisons one is striking by chance, so each metric needs to be so much rarer. All
    # scales together are one comparison, and the one that is asked first.
    raised = -float(scipy.special.ndtri(scipy.special.ndtr(-z) / len(told)))
    striking = [
        item
        for item in told
        for least in [z if item.metric is None else raised]
        if item.strength >= 1 and (item.estimate.z is None or abs(item.estimate.z) >= least)
    ]
    # All scales together say more than any of them.
    found = max(
        striking or told, key=lambda item: (bool(striking) and item.metric is None, item.strength)
    )
    return found, z if found.metric is None else raised, bool(striking)


def _tendency(
    rule: Rule,
    rater: int,
    name: str,
    entries: Sequence[tuple[str, Metric | None, float, Estimate]],
    limits: Thresholds,
) -> RuleResult:
    """The most striking of (title, metric, limit, estimate), in a sentence."""
    told = [
        _Told(abs(estimate.value) / max(at, 1e-9), estimate.value, title, metric, at, estimate)
        for title, metric, at, estimate in entries
        if estimate.value is not None
        and estimate.error is not None
        and estimate.answers >= FEWEST_SHARED
    ]
    if not told:
        reason = (
            f"{name} shares too few answers with the others in a known order "
            f"(it takes {FEWEST_SHARED} in three traces)."
        )
        return _result(rule, rater, reason, threshold=limits.tendencies[rule])
    (_, value, title, metric, limit, estimate), least_z, is_flagged = _most_striking(told, limits.z)
    is_yes_no = metric is not None and current_rubric().definition(metric).scale is Scale.YES_NO
    size = (
        f"{100 * abs(value):.0f} points of a hundred" if is_yes_no else f"{abs(value):.2f} points"
    )
    direction, much = ("higher", "more") if value > 0 else ("lower", "less")
    told_z = "every time" if estimate.z is None else f"z = {estimate.z:.1f}"
    if not value:
        reason = f"{name} does not differ from the others."
        return _result(rule, rater, reason, threshold=limit, value=0.0)
    if rule is Rule.BIAS:
        claim = f"{name} answers {title} {size} {direction} than the others"
    elif rule is Rule.DRIFT:
        claim = f"From first to last, {name} moves {size} {direction} in {title}, beside the others"
    else:
        claim = f"{name} lets the skip rule answer {abs(value):.0%} {much} often than the others"
    reason = f"{claim} ({told_z}; flagged from {limit:g} and z = {least_z:.2f})"
    if metric is not None and current_rubric().definition(metric).is_subjective:
        reason += "; this asks for an opinion, so nobody should be excluded for it"
    return _result(
        rule,
        rater,
        f"{reason}.",
        threshold=limit,
        value=value,
        is_flagged=is_flagged,
        metric=metric.value if metric else "",
    )
