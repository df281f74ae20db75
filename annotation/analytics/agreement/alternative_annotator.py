"""The alternative annotator test: may a model stand in for one of several human raters?

Source: N. Calderon, R. Reichart, R. Dror, "The Alternative Annotator Test for LLM-as-a-Judge"
(2025). Letters: N units, H humans.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import scipy

Floats = npt.NDArray[np.float64]

LEAST_HUMANS = 3
# With fewer shared units the mean is not near normal, and ranks are tested instead.
LEAST_UNITS_FOR_T = 30
FALSE_DISCOVERY_RATE = 0.05
PASSING_WINNING_RATE = 0.5
TOO_FEW_HUMANS = "the test needs at least 3 human raters"
NO_SHARED_UNITS = "no unit was rated by the model and by two people"


class Scoring(StrEnum):
    """How near an answer is to those of the others: for labels and for scales."""

    ACCURACY = "accuracy"
    NEGATIVE_RMSE = "neg_rmse"


@dataclass(frozen=True, slots=True)
class AlternativeAnnotator:
    """What the test says, human by human, (H,), or the reason why it says nothing.

    `p_values` are of the claim that the model is as good as this human but for epsilon, and
    `won_against` the humans for whom it holds after correction (Benjamini-Yekutieli).
    `advantages` are the shares of units on which the model is at least as near to the others.
    With fewer than 30 shared `units` ranks were tested.
    """

    p_values: tuple[float, ...] = ()
    won_against: tuple[int, ...] = ()
    winning_rate: float | None = None
    advantages: tuple[float, ...] = ()
    mean_advantage: float | None = None
    units: tuple[int, ...] = ()
    reason: str = ""

    @property
    def passes(self) -> bool:
        return self.winning_rate is not None and self.winning_rate >= PASSING_WINNING_RATE


def alternative_annotator_test(
    humans: Floats,
    model: Floats,
    *,
    scoring: Scoring,
    epsilon: float,
    clusters: npt.NDArray[np.generic] | None = None,
) -> AlternativeAnnotator:
    """The test of `model`, (N,), against `humans`, (N, H); nan where there is no answer.

    `epsilon` is what the model's lower cost is worth: 0.2 against experts, 0.15 against skilled
    people, 0.1 against a crowd. Labels come as numbers that only have to be equal or not.

    The published test takes units as independent. With `clusters`, (N,), the means of those are
    tested instead, and `units` counts them; advantages are over units all the same.
    """
    if humans.shape[1] < LEAST_HUMANS:
        return AlternativeAnnotator(reason=TOO_FEW_HUMANS)
    p_values, advantages, units = [], [], []
    for human in range(humans.shape[1]):
        own = humans[:, human]
        others = np.delete(humans, human, axis=1)
        is_shared = ~np.isnan(own) & ~np.isnan(model) & ~np.isnan(others).all(axis=1)
        if not is_shared.any():
            return AlternativeAnnotator(reason=NO_SHARED_UNITS)
        of_model = _nearness(model[is_shared], others[is_shared], scoring)
        of_human = _nearness(own[is_shared], others[is_shared], scoring)
        # A tie counts for both.
        model_wins, human_wins = of_model >= of_human, of_human >= of_model
        differences = human_wins.astype(np.float64) - model_wins
        advantages.append(float(model_wins.mean()))
        if clusters is not None:
            _, places = np.unique(clusters[is_shared], return_inverse=True)
            differences = np.bincount(places, weights=differences) / np.bincount(places)
        p_values.append(_p_value(differences, epsilon))
        units.append(len(differences))
    adjusted = scipy.stats.false_discovery_control(p_values, method="by")
    won = tuple(int(human) for human in np.flatnonzero(adjusted <= FALSE_DISCOVERY_RATE))
    return AlternativeAnnotator(
        p_values=tuple(p_values),
        won_against=won,
        winning_rate=len(won) / len(p_values),
        advantages=tuple(advantages),
        mean_advantage=float(np.mean(advantages)),
        units=tuple(units),
    )


def _p_value(differences: Floats, epsilon: float) -> float:
    """How probable differences so low are if their mean were epsilon or more, one-sided."""
    if np.ptp(differences) == 0:
        # Without spread there is nothing to test: the mean is below or it is not.
        return 0.0 if differences[0] < epsilon else 1.0
    if len(differences) < LEAST_UNITS_FOR_T:
        return float(scipy.stats.wilcoxon(differences - epsilon, alternative="less").pvalue)
    return float(scipy.stats.ttest_1samp(differences, epsilon, alternative="less").pvalue)


def _nearness(answers: Floats, others: Floats, scoring: Scoring) -> Floats:
    """How near each answer, (N,), is to those of the others, (N, H - 1)."""
    is_given = ~np.isnan(others)
    if scoring is Scoring.ACCURACY:
        same = (others == answers[:, np.newaxis]) & is_given
        return np.asarray(same.sum(axis=1) / is_given.sum(axis=1), dtype=np.float64)
    squares = np.where(is_given, (others - answers[:, np.newaxis]) ** 2, 0.0)
    return np.asarray(-np.sqrt(squares.sum(axis=1) / is_given.sum(axis=1)), dtype=np.float64)
