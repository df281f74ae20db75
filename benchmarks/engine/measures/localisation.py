"""Average precision and recall of labelled intervals in time.

Source: the measures of ActivityNet as CaptainCook4D's localisation uses them (its Tables 4, 5, 12
to 14). There are two rules. By the field's rule a prediction with a label that is in no truth is
left out and counted, and equal scores keep the order of the file. The released code keeps the raw
number of such a label, which may be the index of another class, and reverses equal scores.

Letters: N predictions, M truths, K thresholds, C classes with a truth.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from benchmarks.engine.measures.ratios import mean_of_defined, ratio

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# Truth rows that differ by less are one row, and shorter ones are dropped; in seconds.
LEAST_S = 1e-3
# Numbers of drawn hits held in memory at a time: 8 MB, and a few times as much for intermediates.
MAX_HELD = 1_000_000


class MatchingRule(StrEnum):
    """How labels that are in no truth, and equal scores, are treated."""

    FIELD = "field"
    RELEASED_CODE = "released code"


@dataclass(frozen=True, slots=True)
class Intervals:
    """Intervals [start, end) in seconds as columns, (N,) each, with numbers of recording and label.

    `scores` is None for truth.
    """

    recordings: Ints
    labels: Ints
    starts_s: Floats
    ends_s: Floats
    scores: Floats | None = None

    @classmethod
    def of(cls, rows: Sequence[tuple[int, int, float, float, float]]) -> "Intervals":
        table = np.array(rows, dtype=np.float64).reshape(-1, 5)
        recordings, labels = (table[:, column].astype(np.int64) for column in (0, 1))
        return cls(recordings, labels, *(table[:, column].copy() for column in (2, 3, 4)))

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: Ints | Bools) -> "Intervals":
        scores = None if self.scores is None else self.scores[rows]
        return Intervals(
            self.recordings[rows],
            self.labels[rows],
            self.starts_s[rows],
            self.ends_s[rows],
            scores,
        )


@dataclass(frozen=True, slots=True)
class Localisation:
    """Average precision (C, K) of `classes` (C,), and the number of rows that did not count."""

    classes: Ints
    thresholds: tuple[float, ...]
    average_precision: Floats
    dropped_truth_count: int
    foreign_count: int

    @property
    def mean(self) -> list[float | None]:
        """mAP at each threshold; None where there is no truth."""
        if not len(self.classes):
            return [None] * len(self.thresholds)
        return [float(value) for value in self.average_precision.mean(axis=0)]

    @property
    def average(self) -> float | None:
        return float(self.average_precision.mean()) if len(self.classes) else None


def temporal_iou(
    start_s: Floats | float, end_s: Floats | float, starts_s: Floats, ends_s: Floats
) -> Floats:
    """Overlap over union of intervals with one or as many others, (M,); 0 for an empty union."""
    overlap = np.clip(np.minimum(ends_s, end_s) - np.maximum(starts_s, start_s), 0.0, None)
    union = (ends_s - starts_s) + (end_s - start_s) - overlap
    return ratio(overlap, union, 0.0)


def countable(truth: Intervals) -> Intervals:
    """The truth without untimed rows, rows shorter than `LEAST_S`, and repeats of earlier rows."""
    is_long = (truth.starts_s >= 0) & (truth.ends_s - truth.starts_s >= LEAST_S)
    kept = truth.take(is_long)
    keys = list(zip(kept.recordings.tolist(), kept.labels.tolist(), strict=True))
    places: dict[tuple[int, int], list[int]] = {}
    for place, key in enumerate(keys):
        here = places.setdefault(key, [])
        start_s, end_s = kept.starts_s[place], kept.ends_s[place]
        is_repeat = any(
            abs(kept.starts_s[earlier] - start_s) <= LEAST_S
            and abs(kept.ends_s[earlier] - end_s) <= LEAST_S
            for earlier in here
        )
        if not is_repeat:
            here.append(place)
    rows = sorted(itertools.chain.from_iterable(places.values()))
    return kept.take(np.array(rows, dtype=np.int64))


def mean_average_precision(
    truth: Intervals,
    predictions: Intervals,
    thresholds: Sequence[float],
    *,
    rule: MatchingRule = MatchingRule.FIELD,
) -> Localisation:
    """Average precision of each class that has a truth, at each threshold of temporal IoU.

    The predictions of a class in all recordings are taken by falling score. Each takes, of the free
    truths of its recording, the one with the highest IoU that is at least the threshold. Precision
    is made non-increasing from the right before it is summed over recall.
    """
    ranked = ranked_hits(truth, predictions, thresholds, rule=rule)
    recordings = 1 + int(
        max(ranked.truth.recordings.max(initial=-1), predictions.recordings.max(initial=-1))
    )
    return Localisation(
        classes=ranked.classes,
        thresholds=tuple(float(value) for value in thresholds),
        average_precision=ranked.drawn(np.ones((1, recordings)))[:, 0],
        dropped_truth_count=len(truth) - len(ranked.truth),
        foreign_count=ranked.foreign_count,
    )


@dataclass(frozen=True, slots=True)
class RankedHits:
    """Which predictions hit: everything that average precision needs, in draws of recordings too.

    A hit depends on its own recording alone, so draws need no matching. `truth` are the rows that
    count, (M,), and `places` the index of each one's label in `classes`. `ranked` are the
    predictions by class (`labels` are such indices) and falling score, `hits` (K, N) whether each
    finds a truth at each threshold.
    """

    classes: Ints
    truth: Intervals
    places: Ints
    ranked: Intervals
    hits: Bools
    foreign_count: int

    def truth_counts(self, recording_count: int, wanted: Bools | None = None) -> Floats:
        """How many truths, or `wanted` truths, of each class each recording has, (C, G)."""
        shape = len(self.classes), recording_count
        cells = self.places * recording_count + self.truth.recordings
        counts = np.bincount(cells, weights=wanted, minlength=shape[0] * shape[1])
        return counts.reshape(shape).astype(np.float64)

    def drawn_means(self, drawn: Floats) -> Floats:
        """mAP of draws of recordings, (D, G) how often each, at each threshold: (D, K).

        A class without truth in a draw is left out; nan where no drawn recording has any truth.
        """
        return mean_of_defined(self.drawn(drawn))

    def drawn(self, drawn: Floats) -> Floats:
        """Average precision of each class in draws of recordings: (C, D, K), nan without truth."""
        areas = np.zeros((len(self.classes), len(drawn), len(self.hits)))
        owners = self.ranked.recordings
        is_hit = np.asarray(self.hits.any(axis=0))
        hits_before = np.append(0, np.cumsum(is_hit))
        ends = np.searchsorted(self.ranked.labels, np.arange(len(self.classes) + 1)).tolist()
        for place, (start, end) in enumerate(itertools.pairwise(ends)):
            # Precision only rises at hits, so it is enough to know how many predictions of each
            # recording come before each hit.
            at = start + np.flatnonzero(is_hit[start:end])
            cells = owners[start:end] * (len(at) + 1) + hits_before[start:end] - hits_before[start]
            counts = np.bincount(cells, minlength=drawn.shape[1] * (len(at) + 1))
            reached = np.cumsum(counts.reshape(drawn.shape[1], -1)[:, : len(at)], axis=1)
            hits = self.hits[:, np.newaxis, at]
            # A slice of draws at a time keeps memory small.
            step = max(1, MAX_HELD // max(1, hits.size))
            for first in range(0, len(drawn), step):
                rows = slice(first, first + step)
                weights = drawn[rows][:, owners[at]] * hits
                precision = ratio(np.cumsum(weights, axis=2), drawn[rows] @ reached, 0.0)
                falling = np.maximum.accumulate(precision[..., ::-1], axis=2)[..., ::-1]
                # Recall rises by one truth at each hit.
                areas[place, rows] = (falling * weights).sum(axis=2).T
        truths = self.truth_counts(drawn.shape[1]) @ drawn.T
        return ratio(areas, truths[..., np.newaxis])


def ranked_hits(
    truth: Intervals,
    predictions: Intervals,
    thresholds: Sequence[float],
    *,
    rule: MatchingRule = MatchingRule.FIELD,
) -> RankedHits:
    counted = countable(truth)
    classes, places = np.unique(counted.labels, return_inverse=True)
    ranked, is_foreign = _ranked(predictions, classes, rule)
    hits = _hits(counted, places, ranked, np.asarray(thresholds, dtype=np.float64))
    return RankedHits(classes, counted, places, ranked, hits, int(is_foreign.sum()))


@dataclass(frozen=True, slots=True)
class Recalls:
    """Truths found, (J, C, K, R) by k, class, threshold, recording, of all in `counts`, (C, R)."""

    found_counts: Floats
    counts: Floats

    def drawn_means(self, drawn: Floats, k: int, threshold: int) -> Floats:
        """Mean recall over classes in draws of recordings, (D, R) how often each: (D,).

        `k` and `threshold` are indices. A class that was not drawn does not count.
        """
        there = drawn @ self.counts.T
        found_counts = drawn @ self.found_counts[k, :, threshold].T
        return ratio(ratio(found_counts, there, 0.0).sum(axis=1), (there > 0).sum(axis=1))


def recalls_by_recording(
    hits: RankedHits, thresholds: Sequence[float], ks: Sequence[int], recording_count: int
) -> Recalls:
    """Which truths are found among the first k * n predictions of their class and recording.

    n is how many truths of the class the recording has. A truth is found when any of these
    predictions reaches the threshold; one prediction may find several truths.
    """
    classes, counted, places = hits.classes, hits.truth, hits.places
    counts = hits.truth_counts(recording_count)
    found_counts = np.zeros((len(ks), len(classes), len(thresholds), recording_count))
    if not len(classes):
        return Recalls(found_counts, counts)
    truths, _, ious = _pairs(counted, places, hits.ranked)
    starts = np.flatnonzero(np.diff(truths, prepend=-1))
    rank = np.arange(len(truths)) - np.repeat(starts, np.diff(np.append(starts, len(truths))))
    for at, k in enumerate(ks):
        best = np.zeros(len(counted))
        is_first = rank < k * counts[places, counted.recordings][truths]
        np.maximum.at(best, truths[is_first], ious[is_first])
        for limit, threshold in enumerate(thresholds):
            is_found = (best >= threshold) & (best > 0)
            found_counts[at, :, limit] = hits.truth_counts(recording_count, is_found)
    return Recalls(found_counts, counts)


def recall_at(
    truth: Intervals,
    predictions: Intervals,
    thresholds: Sequence[float],
    ks: Sequence[int],
    *,
    rule: MatchingRule = MatchingRule.FIELD,
) -> dict[int, list[float | None]]:
    """Recall averaged over classes, for each k and threshold; None without truth."""
    recordings = 1 + int(truth.recordings.max(initial=-1))
    hits = ranked_hits(truth, predictions, (), rule=rule)
    recalls = recalls_by_recording(hits, thresholds, ks, recordings)
    if not len(recalls.counts):
        return {k: [None] * len(thresholds) for k in ks}
    each_once = np.ones((1, recordings))
    return {
        k: [float(recalls.drawn_means(each_once, at, limit)[0]) for limit in range(len(thresholds))]
        for at, k in enumerate(ks)
    }


def _ranked(predictions: Intervals, classes: Ints, rule: MatchingRule) -> tuple[Intervals, Bools]:
    """Predictions by class index and falling score; and which labels are in no truth."""
    places = np.searchsorted(classes, predictions.labels)
    is_known = np.isin(predictions.labels, classes)
    # The released code uses the raw number of a label that is in no truth as a class index.
    labels = np.where(is_known, places, -1 if rule is MatchingRule.FIELD else predictions.labels)
    rows = np.flatnonzero((labels >= 0) & (labels < len(classes)))
    if rule is MatchingRule.RELEASED_CODE:
        rows = rows[::-1]
    assert predictions.scores is not None
    rows = rows[np.lexsort((-predictions.scores[rows], labels[rows]))]
    return replace(predictions.take(rows), labels=labels[rows]), ~is_known


def _pairs(truth: Intervals, places: Ints, ranked: Intervals) -> tuple[Ints, Ints, Floats]:
    """All pairs of a truth and a prediction of its class and recording, with their IoU, (P,) each.

    In the order of the truths, and for each by the rank of the predictions.
    """
    width = 1 + max(int(truth.recordings.max(initial=0)), int(ranked.recordings.max(initial=0)))
    keys = ranked.labels * width + ranked.recordings
    by_key = np.argsort(keys, kind="stable")
    wanted = places * width + truth.recordings
    low, high = np.searchsorted(keys[by_key], [wanted, wanted + 1])
    counts = high - low
    truths = np.repeat(np.arange(len(truth)), counts)
    within = np.arange(len(truths)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = by_key[np.repeat(low, counts) + within]
    true, found = truth.take(truths), ranked.take(rows)
    return truths, rows, temporal_iou(true.starts_s, true.ends_s, found.starts_s, found.ends_s)


def _hits(truth: Intervals, places: Ints, ranked: Intervals, limits: Floats) -> Bools:
    """Whether each ranked prediction finds a truth of its own, (K, N)."""
    hits = np.zeros((len(limits), len(ranked)), dtype=np.bool_)
    truths, rows, ious = _pairs(truth, places, ranked)
    reaching = ious >= limits.min(initial=1.0)
    truths, rows, ious = truths[reaching], rows[reaching], ious[reaching]
    # By rank of the prediction, and for each by falling IoU.
    order = np.lexsort((truths, -ious, rows))
    truths, rows, ious = truths[order], rows[order], ious[order]
    for at, limit in enumerate(limits):
        high = ious >= limit
        hit_rows: set[int] = set()
        taken_truths: set[int] = set()
        for row, truth_row in zip(rows[high].tolist(), truths[high].tolist(), strict=True):
            if row not in hit_rows and truth_row not in taken_truths:
                hit_rows.add(row)
                taken_truths.add(truth_row)
        hits[at, list(hit_rows)] = True
    return hits
