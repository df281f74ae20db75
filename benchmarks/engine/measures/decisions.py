"""Yes/no decisions with scores: counts, precision, recall, F1, areas under curves, intervals.

Positive is what is looked for (a mistake). Zero denominators of precision, recall and F1 give 0;
a figure that needs both classes is None where one is absent. Letters: N items, G recordings, D
draws.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.engine.measures.ratios import ratio

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

RANKS_AT_ONCE = 16_384
# From this share on a sub-segment counts as positive.
SUB_SEGMENT_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of decisions against the truth."""

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def of(cls, truth: Bools, decided: Bools) -> "Confusion":
        return cls(
            tp=int((truth & decided).sum()),
            fp=int((~truth & decided).sum()),
            fn=int((truth & ~decided).sum()),
            tn=int((~truth & ~decided).sum()),
        )

    @property
    def support(self) -> int:
        return self.tp + self.fn

    @property
    def predicted(self) -> int:
        return self.tp + self.fp

    @property
    def accuracy(self) -> float | None:
        count = self.tp + self.fp + self.fn + self.tn
        return (self.tp + self.tn) / count if count else None

    @property
    def precision(self) -> float:
        return self.tp / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        return self.tp / self.support if self.support else 0.0

    @property
    def f1(self) -> float:
        both = self.predicted + self.support
        return 2 * self.tp / both if both else 0.0


def per_class(
    truth: Sequence[Hashable], predicted: Sequence[Hashable], classes: Sequence[Hashable]
) -> dict[Hashable, Confusion]:
    """The confusion of each class with all others together."""
    return {
        name: Confusion.of(
            np.array([label == name for label in truth], dtype=np.bool_),
            np.array([label == name for label in predicted], dtype=np.bool_),
        )
        for name in classes
    }


def scores_of_steps(sub_scores: Sequence[Sequence[float]], rule: str) -> Floats:
    """A score for each step from those of its sub-segments, by their "mean" or "majority".

    The majority is the share above one half (paper of CaptainCook4D); its released code takes the
    mean. Raises ValueError for another rule and for a step without sub-segments.
    """
    if rule not in ("mean", "majority"):
        raise ValueError(f"rule is {rule!r}; expected mean or majority")
    step_scores = np.empty(len(sub_scores))
    for place, scores in enumerate(sub_scores):
        if not len(scores):
            raise ValueError(f"step {place} has no sub-segments; expected at least one")
        values = np.asarray(scores, dtype=np.float64)
        step_scores[place] = (values if rule == "mean" else values > SUB_SEGMENT_THRESHOLD).mean()
    return step_scores


def normalise(scores: Floats) -> Floats:
    """Scores stretched to 0 and 1, as in the released code of CaptainCook4D.

    The stretch depends on the whole test set, so a threshold on these scores is tuned on it.
    """
    low, high = scores.min(initial=np.inf), scores.max(initial=-np.inf)
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


@dataclass(frozen=True, slots=True)
class RocCurve:
    """False and true positive rates by falling threshold, both from 0 to 1, (T,)."""

    thresholds: Floats
    false_positive_rates: Floats
    true_positive_rates: Floats
    precisions: Floats

    @property
    def area(self) -> float:
        """The chance that a positive scores above a negative; ties count one half."""
        return float(np.trapezoid(self.true_positive_rates, self.false_positive_rates))

    @property
    def average_precision(self) -> float:
        """The sum of recall step times precision over falling thresholds."""
        return float(np.diff(self.true_positive_rates) @ self.precisions[1:])

    @property
    def equal_error_rate(self) -> float:
        """The rate where false positives and false negatives are equally frequent."""
        rates = self.false_positive_rates, 1 - self.true_positive_rates
        return float(equal_error_rates(*(rate[np.newaxis] for rate in rates))[0])


def equal_error_rates(false_positive: Floats, false_negative: Floats) -> Floats:
    """Where both rates are equal, interpolated between falling thresholds: (D, T) to (D,).

    At the first threshold nothing is positive.
    """
    gap = false_positive - false_negative
    after = np.maximum(np.argmax(gap >= 0, axis=1), 1)
    here = np.arange(len(gap))
    low, high = gap[here, after - 1], gap[here, after]
    start, end = false_positive[here, after - 1], false_positive[here, after]
    rates: Floats = start - low / (high - low) * (end - start)
    return rates


def curve(truth: Bools, scores: Floats) -> RocCurve | None:
    """The operating curve; None where a class is absent."""
    positives, negatives = int(truth.sum()), int((~truth).sum())
    if not positives or not negatives:
        return None
    order = np.argsort(-scores, kind="stable")
    ranked, right = scores[order], truth[order]
    # One point for each different score.
    ends = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)
    hits = np.cumsum(right)[ends]
    predicted = ends + 1
    return RocCurve(
        thresholds=np.append(np.inf, ranked[ends]),
        false_positive_rates=np.append(0.0, (predicted - hits) / negatives),
        true_positive_rates=np.append(0.0, hits / positives),
        precisions=np.append(1.0, hits / predicted),
    )


@dataclass(frozen=True, slots=True)
class AreaByRecording:
    """Everything that the area under the curve needs of each recording, so that draws are cheap.

    `wins` (G, G): for each pair of recordings, how often a positive of the first scores above a
    negative of the second; ties count one half. `positives` and `negatives` are counts, (G,).
    """

    wins: Floats
    positives: Ints
    negatives: Ints

    @classmethod
    def of(cls, truth: Bools, scores: Floats, recordings: Ints) -> "AreaByRecording":
        """From items, (N,) each; `recordings` are numbers from 0 on. O(G N) time, O(N) memory."""
        count = int(recordings.max(initial=-1)) + 1
        order = np.argsort(scores)
        rising, is_positive, owners = scores[order], truth[order], recordings[order]
        ranks = np.cumsum(rising != np.append(rising[:1], rising[:-1]))
        length = int(ranks.max(initial=-1)) + 1
        wins, below = np.zeros((count, count)), np.zeros(count)
        # Few enough ranks at a time that their counts stay in the processor's cache.
        for first in range(0, length, RANKS_AT_ONCE):
            part = slice(*np.searchsorted(ranks, [first, first + RANKS_AT_ONCE]))
            here, positive, of = ranks[part] - first, is_positive[part], owners[part]
            places, winners = here[positive], of[positive]
            wins += np.outer(np.bincount(winners, minlength=count), below)
            by_owner = np.argsort(of[~positive], kind="stable")
            losers, others = of[~positive][by_owner], here[~positive][by_owner]
            bounds = np.searchsorted(losers, np.arange(count + 1))
            for owner in np.unique(losers):
                equal = np.bincount(
                    others[bounds[owner] : bounds[owner + 1]], minlength=here[-1] + 1
                )
                won = (np.cumsum(equal) - equal / 2)[places]
                wins[:, owner] += np.bincount(winners, weights=won, minlength=count)
            below += np.bincount(losers, minlength=count)
        return cls(
            wins,
            np.bincount(recordings[truth], minlength=count),
            np.bincount(recordings[~truth], minlength=count),
        )

    def areas(self, drawn: Floats) -> Floats:
        """The area in draws of recordings, (D, G) how often each: (D,), nan where undefined."""
        won = ((drawn @ self.wins) * drawn).sum(axis=1)
        pairs = (drawn @ self.positives) * (drawn @ self.negatives)
        return ratio(won, pairs)


# In draws, equal error rates use this many thresholds at most; over all items they are exact.
RATE_PLACES = 512


@dataclass(frozen=True, slots=True)
class RatesByRecording:
    """The equal error rate of draws of recordings; `exact` is that of every recording once.

    `counts` (G, 2, P): positives and negatives of each recording in bins of falling score.
    """

    exact: float | None
    counts: Floats

    @classmethod
    def of(cls, truth: Bools, scores: Floats, recordings: Ints) -> "RatesByRecording":
        """From items, (N,) each; `recordings` are numbers from 0 on."""
        count = int(recordings.max(initial=-1)) + 1
        roc = curve(truth, scores)
        distinct = np.unique(scores)
        if len(distinct) > RATE_PLACES:
            distinct = np.unique(np.quantile(scores, np.linspace(0, 1, RATE_PLACES)))
        places = len(distinct) - np.searchsorted(distinct, scores, side="right")
        cells = (recordings * 2 + ~truth) * len(distinct) + places
        counts = np.bincount(cells, minlength=count * 2 * len(distinct))
        return cls(
            None if roc is None else roc.equal_error_rate,
            counts.reshape(count, 2, len(distinct)).astype(np.float64),
        )

    def rates(self, drawn: Floats) -> Floats:
        """In draws, (D, G) how often each recording: (D,), nan where a class is absent."""
        width = self.counts.shape[2]
        rates = np.full(len(drawn), np.nan)
        for first in range(0, len(drawn), step := max(1, 1_000_000 // width)):
            rows = slice(first, first + step)
            reached = np.cumsum(np.tensordot(drawn[rows], self.counts, axes=1), axis=2)
            reached = np.pad(reached, ((0, 0), (0, 0), (1, 0)))
            totals = reached[:, :, -1:]
            shares = ratio(reached, totals, 0.0)
            is_there = (totals > 0).all(axis=(1, 2))
            equal = equal_error_rates(shares[:, 1], 1 - shares[:, 0])
            rates[rows] = np.where(is_there, equal, np.nan)
        if self.exact is not None:
            rates[(drawn == 1).all(axis=1)] = self.exact
        return rates


def best_threshold(truth: Bools, scores: Floats) -> float | None:
    """The threshold with the highest F1, the lowest of several; None where a class is absent.

    A score strictly above the threshold is positive.
    """
    roc = curve(truth, scores)
    if roc is None:
        return None
    hits = roc.true_positive_rates * truth.sum()
    predicted = hits + roc.false_positive_rates * (~truth).sum()
    f1 = 2 * hits / (predicted + truth.sum())
    place = len(f1) - 1 - int(np.argmax(f1[::-1]))
    below = roc.thresholds[place + 1] if place + 1 < len(f1) else scores.min() - 1.0
    return float(below)
