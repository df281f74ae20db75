"""The likeliest truth of each unit and the habits of each rater, by Dawid and Skene's model.

Beside a majority it tells how sure the answers make it: those of people who are seldom wrong count
more. Letters: N units with an answer, V values, M raters, B resamples.
Source: A. P. Dawid, A. M. Skene, Maximum Likelihood Estimation of Observer Error-Rates Using the EM
Algorithm, Applied Statistics 28 (1979), equations 2.3 to 2.5, started from shares of answers.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from annotation.analytics.agreement.answers import Answers, Integers
from annotation.engine.counting import counted

Floats = npt.NDArray[np.float64]
ITERATIONS = 100
# Iterating ends where no posterior moves by more.
SETTLED = 1e-9
# What nobody was seen to do is not impossible.
LEAST_RATE = 1e-10
# Fewer units of two raters say nothing about anybody's habits.
LEAST_SHARED = 10
RESAMPLES = 200
# So many resamples are worked on at once.
BATCH = 50
INTERVAL = (2.5, 97.5)


@dataclass(frozen=True)
class LikelyTruth:
    """What the answers say of the truth, or the `reason` why they say nothing.

    units: (N,), the places of the units with an answer. posterior: (N, V). low, high: (N, V), the
    95% interval by resampling clusters, nan where resamples do not vary or it does not hold the
    posterior. confusion: (M, V, V), how often a rater gives the value of the column where the row
    is true; nan for raters without answers.
    """

    units: Integers
    posterior: Floats
    low: Floats
    high: Floats
    confusion: Floats
    reason: str = ""


def likely_truth(
    answers: Answers,
    clusters: npt.NDArray[np.integer],
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    iterations: int = ITERATIONS,
) -> LikelyTruth:
    """The posterior of every unit; `clusters`, (unit count,), are what is resampled."""
    units = np.flatnonzero(answers.counts.sum(axis=1))
    value_count = answers.value_count
    if reason := _why_not(answers):
        nothing = np.full((len(units), value_count), np.nan)
        confusion = np.full((answers.rater_count, value_count, value_count), np.nan)
        return LikelyTruth(units, nothing, nothing, nothing, confusion, reason)
    given = _given(answers)[:, units]
    start = answers.counts[units] / answers.counts[units].sum(axis=1, keepdims=True)
    posterior, rates = _settled(given, start, np.ones((1, len(units))), iterations)
    present, places = np.unique(clusters[units], return_inverse=True)
    draws = rng.multinomial(len(present), np.full(len(present), 1 / len(present)), resamples)
    weights = draws[:, places].astype(np.float64)
    drawn = np.concatenate(
        [
            _settled(given, start, weights[at : at + BATCH], iterations)[0]
            for at in range(0, resamples, BATCH)
        ]
    )
    low, high = _ends(np.percentile(drawn, INTERVAL, axis=0), posterior[0])
    confusion = rates[0].reshape(answers.rater_count, value_count, value_count)
    confusion = confusion.transpose(0, 2, 1).copy()
    confusion[answers.rater_counts.sum(axis=1) == 0] = np.nan
    return LikelyTruth(units, posterior[0], low, high, confusion)


def _ends(ends: Floats, posterior: Floats) -> Floats:
    """Lower and upper ends, (2, N, V); nan where there is no interval."""
    low, high = ends
    is_interval = high - low > SETTLED
    is_interval &= (low - SETTLED <= posterior) & (posterior <= high + SETTLED)
    held = np.stack([np.minimum(low, posterior), np.maximum(high, posterior)])
    return np.where(is_interval, held, np.nan)


def _why_not(answers: Answers) -> str:
    """Why the model says nothing about these answers; "" where it does."""
    shared = int((answers.counts.sum(axis=1) >= 2).sum())
    if shared < LEAST_SHARED:
        return (
            f"{counted(shared, 'unit')} with two or more raters; expected {LEAST_SHARED}: nothing"
            " is known of who is seldom wrong"
        )
    if (answers.counts.sum(axis=0) > 0).sum() < 2:
        return "everybody always gave the same answer"
    return ""


def _given(answers: Answers) -> "scipy.sparse.csr_array":
    """Who gave what: 1 at (rater and value, unit), (M * V, unit count)."""
    rows = answers.raters.astype(np.int64) * answers.value_count + answers.values
    shape = (answers.rater_count * answers.value_count, answers.unit_count)
    ones = np.ones(len(rows))
    return scipy.sparse.csr_array((ones, (rows, answers.units)), shape=shape)


def _settled(
    given: "scipy.sparse.csr_array", start: Floats, weights: Floats, iterations: int
) -> tuple[Floats, Floats]:
    """Posteriors, (B, N, V), and rates, (B, M * V, V), for each row of weights of units, (B, N).

    Rates are how likely a rater gives a value, in rows, where that of the column is true.
    """
    batch, (unit_count, value_count) = len(weights), start.shape
    posterior = np.broadcast_to(start, (batch, unit_count, value_count))
    priors, rates = _maximised(given, posterior, weights)
    for _ in range(iterations):
        # The units in rows and every resample beside the next, so that one product serves all.
        logs = (
            np.log(np.maximum(rates, LEAST_RATE))
            .transpose(1, 0, 2)
            .reshape(given.shape[0], batch * value_count)
        )
        likelihoods = (given.T @ logs).reshape(unit_count, batch, value_count).transpose(1, 0, 2)
        likelihoods = likelihoods + np.log(np.maximum(priors, LEAST_RATE))[:, np.newaxis]
        likelihoods -= likelihoods.max(axis=2, keepdims=True)
        before, posterior = posterior, np.exp(likelihoods)
        posterior /= posterior.sum(axis=2, keepdims=True)
        priors, rates = _maximised(given, posterior, weights)
        if np.abs(posterior - before).max() < SETTLED:
            break
    return posterior, rates


def _maximised(
    given: "scipy.sparse.csr_array", posterior: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """The shares of the values, (B, V), and the rates that fit these posteriors best."""
    batch, unit_count, value_count = posterior.shape
    weighted = posterior * weights[:, :, np.newaxis]
    priors = weighted.sum(axis=1) / weights.sum(axis=1)[:, np.newaxis]
    table = weighted.transpose(1, 0, 2).reshape(unit_count, batch * value_count)
    counts = (given @ table).reshape(given.shape[0], batch, value_count).transpose(1, 0, 2)
    # A value that a rater never gave has no part in what they give where it is rare.
    is_given = given.sum(axis=1)[:, np.newaxis] > 0
    rates = np.where(is_given, np.maximum(counts, LEAST_RATE), 0)
    by_rater = rates.reshape(batch, -1, value_count, value_count)
    totals = by_rater.sum(axis=2, keepdims=True)
    shares = np.divide(by_rater, totals, out=np.zeros_like(by_rater), where=totals > 0)
    return priors, shares.reshape(rates.shape)
