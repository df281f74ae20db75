"""Verdicts per metric: may a model stand in for a rater, sort the raters' queues, or neither?"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement.alternative_annotator import (
    LEAST_UNITS_FOR_T,
    AlternativeAnnotator,
    Scoring,
    alternative_annotator_test,
)
from annotation.analytics.agreement.intervals import (
    ALPHA_DIFFERENCE_RANGE,
    ALPHA_RANGE,
    NO_SPREAD,
    Interval,
    p_of_no_difference,
    shown_interval,
)
from annotation.analytics.agreement.resampling import Figure, distribution, draws_of, jackknife
from annotation.engine.rubric.rubric import Scale
from benchmarks.engine.tasks.model_as_rater.columns import MetricColumns
from benchmarks.engine.tasks.model_as_rater.screening import Verdict
from benchmarks.engine.tasks.model_as_rater.tallying import mean_alpha, pair_coincidences

Floats = npt.NDArray[np.float64]
# The test accepts fewer, using ranks; its authors advise 50 to 100 (Calderon, Reichart and Dror,
# 2025).
LEAST_UNITS = LEAST_UNITS_FOR_T
RESAMPLES = 1000
# Agreement is beyond chance where its p is below: a 95% interval would leave 0 out.
LEAST_P = 0.05
SEED = 2026
NO_PAIRS = "no event has both answers, or they do not vary"


@dataclass(frozen=True, slots=True)
class Agreement:
    """A mean alpha over pairs of raters with its interval over takes, or None with the reason.

    `p_value` is two-sided, of its being 0; None where there are no draws to tell.
    """

    value: float | None
    interval: Interval
    p_value: float | None = None

    @property
    def is_beyond_chance(self) -> bool:
        return (self.value or 0.0) > 0 and self.p_value is not None and self.p_value < LEAST_P


@dataclass(frozen=True, slots=True)
class Judged:
    """The results for one metric on the test part.

    `gap` is the model's agreement with people minus theirs with each other, in the same draws of
    takes. `by_take` is the test on means of takes, since events of a take are not independent.
    """

    columns: MetricColumns
    with_model: Agreement
    among_people: Agreement
    gap: Agreement
    test: AlternativeAnnotator
    by_take: AlternativeAnnotator
    verdict: Verdict
    reason: str


def judge(columns: MetricColumns, epsilon: float) -> Judged:
    """Apply the published test; a model that fails it may screen if it agrees beyond chance."""
    definition = columns.definition
    scoring = Scoring.NEGATIVE_RMSE if definition.scale is Scale.LIKERT else Scoring.ACCURACY
    test, by_take = (
        alternative_annotator_test(
            columns.people, columns.model, scoring=scoring, epsilon=epsilon, clusters=clusters
        )
        for clusters in (None, columns.takes)
    )
    people = range(columns.people.shape[1])
    of_model = [pair_sums(columns, None, person) for person in people]
    of_people = [pair_sums(columns, *pair) for pair in combinations(people, 2)]
    with_model = agreement(columns, of_model)
    verdict, reason = _verdict(columns, test, with_model)
    return Judged(
        columns, with_model, agreement(columns, of_people), _gap(columns, of_model, of_people),
        test, by_take, verdict, reason,
    )  # fmt: skip


def pair_sums(columns: MetricColumns, first: int | None, second: int) -> Floats:
    """Coincidences by take, (G, V * V), of two people, or of the model (None) and a person."""
    first_values = columns.model if first is None else columns.people[:, first]
    takes, places = np.unique(columns.takes, return_inverse=True)
    count = len(columns.definition.values)
    return pair_coincidences(first_values, columns.people[:, second], places, count, len(takes))


def agreement(columns: MetricColumns, pairs: Sequence[Floats]) -> Agreement:
    """Mean alpha over pairs, with its interval over takes."""
    if not pairs:
        return Agreement(None, Interval(None, None, "needs two people"))
    value_count, level = len(columns.definition.values), columns.definition.level
    return _estimated(
        np.hstack(pairs), lambda sums: mean_alpha(sums, value_count, level), ALPHA_RANGE
    )


def _gap(columns: MetricColumns, first: Sequence[Floats], second: Sequence[Floats]) -> Agreement:
    if not first or not second:
        return Agreement(None, Interval(None, None, "needs two people"))
    value_count, level = len(columns.definition.values), columns.definition.level
    width = len(first) * value_count**2
    return _estimated(
        np.hstack([*first, *second]),
        lambda sums: (
            mean_alpha(sums[:, :width], value_count, level)
            - mean_alpha(sums[:, width:], value_count, level)
        ),
        ALPHA_DIFFERENCE_RANGE,
    )


def _estimated(sums: Floats, figure: Figure, ends: tuple[float, float]) -> Agreement:
    # A take without any pair is not a cluster of this figure.
    sums = sums[sums.any(axis=1)]
    value = float(figure(sums.sum(axis=0, keepdims=True))[0]) if len(sums) else np.nan
    if np.isnan(value):
        return Agreement(None, Interval(None, None, NO_PAIRS))
    rng = np.random.default_rng(SEED)
    over_draws = distribution(draws_of(sums), figure, rng=rng, resamples=RESAMPLES)
    left_out = [jackknife(sums, figure)]
    interval = shown_interval(value, over_draws, left_out, ends)
    # A model that agrees with everybody everywhere has no interval, and is no worse for that.
    if not interval.has_distribution and interval.reason != NO_SPREAD:
        return Agreement(value, interval)
    return Agreement(value, interval, p_of_no_difference(value, over_draws, left_out))


def _verdict(
    columns: MetricColumns, test: AlternativeAnnotator, with_model: Agreement
) -> tuple[Verdict, str]:
    answers = columns.model[~np.isnan(columns.model)]
    if not test.reason and np.ptp(answers) == 0:
        # Where most people give the same answer, a model that always gives it would pass the test.
        label = columns.definition.shown(columns.definition.values[int(answers[0])])
        return Verdict.NOT_USABLE, f"it always says “{label}”"
    if test.units and min(test.units) < LEAST_UNITS:
        events = f"a person shares {min(test.units)} events with it"
        return Verdict.NOT_USABLE, f"{events}; a verdict needs {LEAST_UNITS}"
    if test.passes:
        return Verdict.PASSES, f"as good as {len(test.won_against)} of {len(test.p_values)} people"
    lost = test.reason or f"as good as {len(test.won_against)} of {len(test.p_values)} people"
    if with_model.is_beyond_chance:
        return Verdict.MAY_SCREEN, f"{lost}, but it agrees with people beyond chance"
    if with_model.p_value is None:
        why = with_model.interval.reason.replace("traces", "takes") or NO_PAIRS
        return Verdict.NOT_USABLE, f"{lost}; no interval of its agreement: {why}"
    return Verdict.NOT_USABLE, f"{lost}, and its agreement with people may be chance"
