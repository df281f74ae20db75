"""What one rater does to the agreement of all: bias, alpha without each, answers given twice."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement import Floats, alphas_of, coincidences_of
from annotation.analytics.answers import Answers, latest
from annotation.engine.rubric import Level


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """How often people gave the same answer again: `share` of the `repeated` answers, or None."""

    share: float | None
    repeated: int


def rater_bias(answers: Answers, points: Floats) -> Floats:
    """Own value less the mean of the others', averaged over shared units, (M,); nan without any.

    points: (V,), the number of each value. Above 0 is milder where more is better.
    """
    sums = (answers.counts @ points)[answers.units]
    sizes = answers.counts.sum(axis=1)[answers.units]
    own = points[answers.values]
    shared = sizes >= 2
    differences = own[shared] - (sums[shared] - own[shared]) / (sizes[shared] - 1)
    raters = answers.raters[shared]
    totals = np.bincount(raters, weights=differences, minlength=answers.rater_count)
    units = np.bincount(raters, minlength=answers.rater_count)
    bias = np.full(answers.rater_count, np.nan)
    np.divide(totals, units, out=bias, where=units > 0)
    return bias


def alpha_without_each(answers: Answers, level: Level) -> Floats:
    """Alpha when one rater's answers are left out, for each, (M,); nan where it is undefined.

    Only the units of that rater are counted anew, so that the work grows with the answers.
    """
    value_count = answers.value_count
    total, _ = coincidences_of(answers.counts)
    remaining = np.repeat(total[np.newaxis], answers.rater_count, axis=0)
    order = np.argsort(answers.raters, kind="stable")
    ends = np.searchsorted(answers.raters[order], np.arange(answers.rater_count + 1))
    for rater in range(answers.rater_count):
        rows = order[ends[rater] : ends[rater + 1]]
        counts = answers.counts[answers.units[rows]]
        less = counts.copy()
        less[np.arange(len(rows)), answers.values[rows]] -= 1
        remaining[rater] += coincidences_of(less)[0] - coincidences_of(counts)[0]
    return alphas_of(remaining, value_count, level)


def self_agreement(
    units: npt.NDArray[np.integer],
    raters: npt.NDArray[np.integer],
    values: npt.NDArray[np.integer],
    *,
    rater_count: int,
) -> SelfAgreement:
    """How often a rater's first answer to a unit equals the last, (R,) answers in their order.

    Units that a rater answered once do not enter.
    """
    last = latest(units, raters, rater_count=rater_count)
    first = len(units) - 1 - latest(units[::-1], raters[::-1], rater_count=rater_count)
    repeated = first != last
    if not repeated.any():
        return SelfAgreement(None, 0)
    same = values[first[repeated]] == values[last[repeated]]
    return SelfAgreement(float(same.mean()), int(repeated.sum()))
