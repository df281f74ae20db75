"""Rules that point at raters whose work somebody should look at, each with a threshold of its own.

Nothing is left out on account of them: a rule says accepted or flagged and why, and a researcher
decides. Rules of a rater's own work come first. Rules that compare with the others do so with those
whom no rule has flagged, the most striking rater first, so that one who answers by chance or a
point too low does not make honest people look odd.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median
from typing import NamedTuple

import numpy as np
import scipy

from annotation.analytics.raters.raters import (
    Estimate,
    Flags,
    RaterAnswers,
    bias,
    bias_over,
    correlation_with_others,
    drift,
    longest_run,
    own_variance,
)
from annotation.analytics.raters.screening_terms import (
    Finding,
    RaterEvidence,
    Rule,
    RuleResult,
    Thresholds,
)
from annotation.engine.counting import counted
from annotation.engine.rubric.rubric import Metric, Scale, current_rubric

# Fewer of these say nothing about a rater.
FEWEST_CHECKS = 3
FEWEST_SHARED = 20
FEWEST_CORRELATED = 60
TENDENCIES = (Rule.BIAS, Rule.DRIFT, Rule.SKIPPING)
# Title, metric (None for all scales together), limit, and what was found.
Entry = tuple[str, Metric | None, float, Estimate]
# A run of what most others answer anyway is no sign of anything.
COMMON_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class _RaterWork:
    """One rater, and how a rule puts what it found."""

    rater: int
    item: RaterEvidence
    answers: Sequence[RaterAnswers]
    limits: Thresholds

    @property
    def name(self) -> str:
        return self.item.name

    @property
    def scales(self) -> list[RaterAnswers]:
        return [item for item in self.answers if item.definition.scale is Scale.LIKERT]

    def result(
        self,
        rule: Rule,
        reason: str,
        value: float | None = None,
        *,
        is_flagged: bool = False,
        metric: Metric | None = None,
        threshold: float | None = None,
    ) -> RuleResult:
        """Without a value the rule could not be tested; `threshold` where it is not the rule's."""
        finding = Finding.FLAGGED if is_flagged else Finding.ACCEPTED
        if value is None:
            finding = Finding.NOT_TESTED
        least = self.limits.by_rule[rule] if threshold is None else threshold
        of_metric = "" if metric is None else metric.value
        return RuleResult(rule, self.rater, finding, value, least, reason, of_metric)


def screen(
    answers: Sequence[RaterAnswers],
    evidence: Sequence[RaterEvidence],
    thresholds: Thresholds | None = None,
) -> list[RuleResult]:
    """One result per rater and rule, raters in the order of `evidence`, rules in their order.

    Only ordinary answers belong into `answers`: what is gold, a trap or a repeat is in `evidence`.
    """
    limits = thresholds or Thresholds()
    everybody = [_RaterWork(rater, item, answers, limits) for rater, item in enumerate(evidence)]
    found: list[RuleResult] = []
    for work in everybody:
        found += [*_checks(work), *_habits(work)]
    flagged = {result.rater for result in found if result.finding is Finding.FLAGGED}
    # Agreement first: who answers by chance also looks biased.
    for compare in (_compare_agreement, _compare_tendencies):
        settled: dict[int, list[RuleResult]] = {}
        while True:
            group = np.array([rater not in flagged for rater in range(len(evidence))], bool)
            latest = {
                work.rater: compare(work, group) for work in everybody if work.rater not in settled
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


def _checks(work: _RaterWork) -> Iterator[RuleResult]:
    """What was watched, gold, traps, repeats and the time taken: each must reach its threshold."""

    def at_least(
        rule: Rule, values: Sequence[float], figure: float, sentence: str, missing: str
    ) -> RuleResult:
        if len(values) < (1 if rule is Rule.WATCHED else FEWEST_CHECKS):
            return work.result(rule, missing)
        least = work.limits.by_rule[rule]
        shown = f"{least:g} s is" if rule is Rule.SPEED else f"{least:.0%} is"
        reason = f"{sentence}; at least {shown} expected."
        return work.result(rule, reason, figure, is_flagged=figure < least)

    item, name = work.item, work.name
    for rule, checks, noun, claim in (
        (Rule.GOLD, item.gold, "gold answers", "were accepted"),
        (Rule.TRAPS, item.traps, "traps", "were answered right"),
        (Rule.REPEATS, item.repeats, "repeats", "got the same answer"),
    ):
        yield at_least(
            rule,
            checks,
            sum(checks) / max(len(checks), 1),
            f"{sum(checks)} of {len(checks)} {noun} of {name} {claim}",
            f"{name} had {len(checks) or 'no'} {noun}; it takes {FEWEST_CHECKS}.",
        )
    share = fmean(item.watched) if item.watched else 0.0
    yield at_least(
        Rule.WATCHED,
        item.watched,
        share,
        f"{name} watched {share:.0%} of the time of {counted(len(item.watched), 'event')}",
        f"What {name} watched is not known, or there was no video.",
    )
    seconds = item.seconds_per_event
    took = median(seconds) if seconds else 0.0
    yield at_least(
        Rule.SPEED,
        seconds,
        took,
        f"{name} took {took:.0f} s per event (median of {counted(len(seconds), 'trace')})",
        f"Times are known of {counted(len(seconds), 'trace')} of {name}; it takes {FEWEST_CHECKS}.",
    )


def _habits(work: _RaterWork) -> Iterator[RuleResult]:
    """Runs of one value, and answers that hardly vary."""
    name, limits = work.name, work.limits
    runs = [(item, longest_run(item, work.rater)) for item in work.scales]
    told = [(run, item) for item, run in runs if run and run.others_share <= COMMON_SHARE]
    if told:
        run, item = max(told, key=lambda entry: entry[0].length)
        reason = (
            f"{name} gave {item.definition.title} a {run.value} {run.length} times in a row "
            f"(others gave it in {run.others_share:.0%} of their answers; "
            f"fewer than {limits.run_length:g} are expected)."
        )
        is_long = run.length >= limits.run_length
        yield work.result(Rule.RUN, reason, run.length, is_flagged=is_long, metric=item.metric)
    else:
        reason = f"No 1-5 answers of {name} in a known order that others do not mostly give too."
        yield work.result(Rule.RUN, reason)
    variance, count = own_variance(work.scales, work.rater)
    if variance is None or count < FEWEST_SHARED:
        reason = f"{name} typed {count} answers from 1 to 5; it takes {FEWEST_SHARED}."
        yield work.result(Rule.VARIANCE, reason)
    else:
        reason = (
            f"The 1-5 answers of {name} have a variance of {variance:.2f} within each metric; "
            f"at least {limits.variance:g} is expected."
        )
        is_flat = variance < limits.variance
        yield work.result(Rule.VARIANCE, reason, variance, is_flagged=is_flat)


def _compare_agreement(work: _RaterWork, group: Flags) -> list[RuleResult]:
    """Whether answers go with the others' at all, on metrics that do not ask for an opinion."""
    parts = [
        correlation_with_others(item, work.rater, group)
        for item in work.answers
        if not item.definition.is_subjective
    ]
    known = [(value, count) for value, count in parts if value is not None]
    total = sum(count for _, count in known)
    if total < FEWEST_CORRELATED:
        reason = (
            f"{work.name} shares {total} answers with the others where answers vary; "
            f"it takes {FEWEST_CORRELATED}."
        )
        return [work.result(Rule.AGREEMENT, reason)]
    least = work.limits.correlation
    value = sum(value * count for value, count in known) / total
    reason = (
        f"The answers of {work.name} follow the others' with a correlation of {value:.2f} "
        f"(over {total} answers; at least {least:g} is expected)."
    )
    return [work.result(Rule.AGREEMENT, reason, value, is_flagged=value < least)]


def _compare_tendencies(work: _RaterWork, group: Flags) -> list[RuleResult]:
    """Bias, drift, and skipping more or less than the others."""
    rater, limits, scales = work.rater, work.limits, work.scales
    others = int(group.sum()) - int(group[rater])
    if others < 2:
        reason = f"It takes two others to compare {work.name} with; there is {others or 'nobody'}."
        return [work.result(rule, reason) for rule in TENDENCIES]
    of_all = ("1-5 answers", None)
    estimates: dict[Rule, list[Entry]] = {
        Rule.BIAS: [(*of_all, limits.bias_points, bias_over(scales, rater, group))],
        Rule.DRIFT: [
            (*of_all, limits.drift_points, bias_over(scales, rater, group, has_slope=True))
        ],
        Rule.SKIPPING: [],
    }
    for item in work.answers:
        if item.is_ordered:
            is_scale = item.definition.scale is Scale.LIKERT
            of_metric = item.definition.title, item.metric
            most = limits.bias_points if is_scale else limits.bias_share
            estimates[Rule.BIAS].append((*of_metric, most, bias(item, rater, group)))
            most = limits.drift_points if is_scale else limits.drift_share
            estimates[Rule.DRIFT].append((*of_metric, most, drift(item, rater, group).change))
    implied = {metric for rule in current_rubric().skip_rules for metric in rule.implies}
    for item in work.answers:
        if item.metric in implied and item.is_implied.any():
            as_answers = replace(item, values=item.is_implied.astype(np.int64))
            skipped = bias(as_answers, rater, group)
            estimates[Rule.SKIPPING].append(("", None, limits.skip_share, skipped))
            break
    return [_tendency(work, rule, entries) for rule, entries in estimates.items()]


class _Difference(NamedTuple):
    """A difference, how many times its limit it is, and the metric: None for all scales."""

    strength: float
    value: float
    title: str
    metric: Metric | None
    limit: float
    estimate: Estimate


def _most_striking(differences: Sequence[_Difference], z: float) -> tuple[_Difference, float, bool]:
    """The difference to speak of, the z that it has to reach, and whether any is striking."""
    # Of many comparisons one is striking by chance, so each metric needs to be so much rarer. All
    # scales together are one comparison, and the one that is asked first.
    raised = -float(scipy.special.ndtri(scipy.special.ndtr(-z) / len(differences)))
    striking = [
        item
        for item in differences
        for least in [z if item.metric is None else raised]
        if item.strength >= 1 and (item.estimate.z is None or abs(item.estimate.z) >= least)
    ]
    # All scales together say more than any of them.
    strongest = max(
        striking or differences,
        key=lambda item: (bool(striking) and item.metric is None, item.strength),
    )
    return strongest, z if strongest.metric is None else raised, bool(striking)


def _tendency(work: _RaterWork, rule: Rule, entries: Sequence[Entry]) -> RuleResult:
    """The most striking of the entries, in a sentence."""
    name = work.name
    differences = [
        _Difference(
            abs(estimate.value) / max(at, 1e-9), estimate.value, title, metric, at, estimate
        )
        for title, metric, at, estimate in entries
        if estimate.value is not None
        and estimate.error is not None
        and estimate.answers >= FEWEST_SHARED
    ]
    if not differences:
        reason = (
            f"{name} shares too few answers with the others in a known order "
            f"(it takes {FEWEST_SHARED} in three traces)."
        )
        return work.result(rule, reason)
    strongest, least_z, is_flagged = _most_striking(differences, work.limits.z)
    _, value, title, metric, limit, estimate = strongest
    if not value:
        reason = f"{name} does not differ from the others."
        return work.result(rule, reason, 0.0, threshold=limit)
    definition = None if metric is None else current_rubric().definition(metric)
    size = f"{abs(value):.2f} points"
    if definition is not None and definition.scale is Scale.YES_NO:
        size = f"{100 * abs(value):.0f} points of a hundred"
    direction, much = ("higher", "more") if value > 0 else ("lower", "less")
    shown_z = "every time" if estimate.z is None else f"z = {estimate.z:.2f}"
    claims = {
        Rule.BIAS: f"{name} answers {title} {size} {direction} than the others",
        Rule.DRIFT: f"From first to last, {name} moves {size} {direction} in {title}, beside the"
        " others",
        Rule.SKIPPING: f"{name} lets the skip rule answer {abs(value):.0%} {much} often than the"
        " others",
    }
    reason = f"{claims[rule]} ({shown_z}; flagged from {limit:g} and z = {least_z:.2f})"
    if definition is not None and definition.is_subjective:
        reason += "; this asks for an opinion, so nobody should be excluded for it"
    return work.result(
        rule, f"{reason}.", value, is_flagged=is_flagged, metric=metric, threshold=limit
    )
