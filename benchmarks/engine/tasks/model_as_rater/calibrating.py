"""Fit a model's scale to people's, on takes that are not reported on.

Scales of 1 to 5 are fitted by isotonic regression, yes/no by Platt's logistic curve; labels without
order are left as they are. Sources: Barlow et al. (1972); J. Platt, "Probabilistic outputs for
support vector machines" (1999), with his targets against overfitting.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from annotation.engine.rubric.rubric import Scale
from benchmarks.engine.tasks.model_as_rater.columns import MetricColumns

Floats = npt.NDArray[np.float64]
LEAST_UNITS = 10


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The model's values after calibration, (N,) indices on the scale, or why there are none."""

    values: Floats
    units: int
    reason: str = ""


def calibrate(fitted_on: MetricColumns, applied_to: MetricColumns) -> Calibrated:
    """Fit on the calibration part, where people and the model answered; apply to the other."""
    means = fitted_on.mean_of_people
    is_usable = ~np.isnan(means) & ~np.isnan(fitted_on.scores)
    scores, means, count = fitted_on.scores[is_usable], means[is_usable], int(is_usable.sum())
    unchanged = applied_to.model
    if fitted_on.definition.scale is Scale.TAXONOMY:
        return Calibrated(unchanged, count, "labels have no order to fit")
    if count < LEAST_UNITS:
        return Calibrated(unchanged, count, f"needs {LEAST_UNITS} events; has {count}")
    if np.ptp(scores) == 0:
        return Calibrated(unchanged, count, "all answers of the model are the same")
    fit = _platt if fitted_on.definition.scale is Scale.YES_NO else _isotonic
    highest = len(fitted_on.definition.values) - 1
    read = ~np.isnan(applied_to.scores)
    values = np.full(len(applied_to), np.nan)
    values[read] = np.clip(np.rint(fit(scores, means)(applied_to.scores[read])), 0, highest)
    return Calibrated(values, count)


def _isotonic(scores: Floats, means: Floats) -> Callable[[Floats], Floats]:
    """The rising curve nearest to people's means, linear between the scores of the fit."""
    distinct, places = np.unique(scores, return_inverse=True)
    weights = np.bincount(places).astype(np.float64)
    levels = np.bincount(places, weights=means) / weights
    rising = scipy.optimize.isotonic_regression(levels, weights=weights).x
    return lambda new_scores: np.interp(new_scores, distinct, rising)


def _platt(scores: Floats, means: Floats) -> Callable[[Floats], Floats]:
    """The chance of "yes" as a logistic curve of the score."""
    yes = float(means.sum())
    no = len(means) - yes
    # Platt's targets: not quite 1 and 0, so that a clean split has a finite slope.
    targets = means * (yes + 1) / (yes + 2) + (1 - means) / (no + 2)

    def loss(line: Floats) -> float:
        logits = line[0] * scores + line[1]
        return float((np.logaddexp(0, logits) - targets * logits).sum())

    slope, shift = scipy.optimize.minimize(loss, np.zeros(2), method="BFGS").x
    return lambda new_scores: scipy.special.expit(slope * new_scores + shift)
