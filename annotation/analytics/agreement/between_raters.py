"""How single raters affect agreement: alpha without each, and answers given twice."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement.agreement import Floats, alphas_of, coincidences_of
from annotation.analytics.agreement.answers import Answers, latest
from annotation.engine.rubric.rubric import Level


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """How often people gave the same answer again: `share` of the `repeated` answers, or None."""

    share: float | None
    repeated: int


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
