"""Average precision and recall of labelled intervals on a clock.

Source: the measures of ActivityNet as CaptainCook4D's localisation uses them (its Tables 4, 5, 12
to 14). Two rules are told apart. By the field's rule a prediction whose label no truth has is left
out and counted, and equal scores keep the order of the file. The released code gives such a label
its raw number, which may be the place of another class, and reverses equal scores.

Letters: N predictions, M truths, K thresholds, C classes with a truth.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# Rows of truth that differ by less count as one, shorter ones as none; in seconds.
LEAST_S = 1e-3


class Rule(StrEnum):
    """How foreign labels and equal scores are taken."""

    FIELD = "field"
    RELEASED_CODE = "released code"


@dataclass(frozen=True, slots=True)
class Intervals:
    """Rows [start, end) in seconds, (N,) each, with the number of their recording and label.

    `scores` are None of truth.
    """

    recordings: Ints
    labels: Ints
    starts_s: Floats
    ends_s: Floats
    scores: Floats | None = None

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
    """What came out: average precision (C, K) of `classes` (C,), and rows that did not count."""

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
        """The mean of mAP over the thresholds."""
        return float(self.average_precision.mean()) if len(self.classes) else None


def temporal_iou(start_s: float, end_s: float, starts_s: Floats, ends_s: Floats) -> Floats:
    """Overlap over union of one interval with others, (M,); 0 where the union is empty."""
    overlap = np.clip(np.minimum(ends_s, end_s) - np.maximum(starts_s, start_s), 0.0, None)
    union = (ends_s - starts_s) + (end_s - start_s) - overlap
    found: Floats = np.divide(overlap, union, out=np.zeros_like(overlap), where=union > 0)
    return found


def countable(truth: Intervals) -> Intervals:
    """The truth without untimed rows, rows shorter than 1 ms, and repeats of earlier rows."""
    is_long = (truth.starts_s >= 0) & (truth.ends_s - truth.starts_s >= LEAST_S)
    kept = truth.take(is_long)
    keys = list(zip(kept.recordings.tolist(), kept.labels.tolist(), strict=True))
    places: dict[tuple[int, int], list[int]] = {}
    for place, key in enumerate(keys):
        here = places.setdefault(key, [])
        start_s, end_s = kept.starts_s[place], kept.ends_s[place]
        is_repeat = any(
            abs(kept.starts_s[other] - start_s) <= LEAST_S
            and abs(kept.ends_s[other] - end_s) <= LEAST_S
            for other in here
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
    rule: Rule = Rule.FIELD,
) -> Localisation:
    """Average precision of each class that has a truth, at each threshold of temporal IoU.

    A class's predictions of all recordings go by falling score; each takes, among the truths of its
    recording by falling IoU, the first free one that reaches the threshold (which counts as
    reached). Precision is made non-increasing from the right before it is summed over recall.
    """
    counted = countable(truth)
    classes, places = np.unique(counted.labels, return_inverse=True)
    ranked, is_foreign = _ranked(predictions, classes, rule)
    found = np.zeros((len(classes), len(thresholds)))
    limits = np.asarray(thresholds, dtype=np.float64)
    hits = _hits(counted, places, ranked, limits)
    counts = np.bincount(places, minlength=len(classes))
    ends = np.searchsorted(ranked.labels, np.arange(len(classes) + 1))
    for place in range(len(classes)):
        part = hits[:, ends[place] : ends[place + 1]]
        found[place] = _areas(part, int(counts[place]))
    return Localisation(
        classes=classes,
        thresholds=tuple(float(value) for value in thresholds),
        average_precision=found,
        dropped_truth_count=len(truth) - len(counted),
        foreign_count=int(is_foreign.sum()),
    )


def recall_at(
    truth: Intervals,
    predictions: Intervals,
    thresholds: Sequence[float],
    ks: Sequence[int],
    *,
    rule: Rule = Rule.FIELD,
) -> dict[int, list[float | None]]:
    """Recall at k times as many predictions as a recording has truths of the class, per threshold.

    A truth is found when any of the first k * n predictions of its class and recording reaches the
    threshold; one prediction may find several. The mean is over classes; None without truth.
    """
    counted = countable(truth)
    classes, places = np.unique(counted.labels, return_inverse=True)
    if not len(classes):
        return {k: [None] * len(thresholds) for k in ks}
    ranked, _ = _ranked(predictions, classes, rule)
    limits = np.asarray(thresholds, dtype=np.float64)
    found = np.zeros((len(ks), len(classes), len(thresholds)))
    for place, truths, rows in _groups(counted, places, ranked):
        ious = np.stack(
            [
                temporal_iou(
                    counted.starts_s[one], counted.ends_s[one], ranked.starts_s[rows],
                    ranked.ends_s[rows],
                )
                for one in truths
            ]
        )  # fmt: skip
        for at, k in enumerate(ks):
            first = ious[:, : k * len(truths)]
            best = first.max(axis=1, initial=0.0) if first.shape[1] else np.zeros(len(truths))
            found[at, place] += (best[:, None] >= limits).sum(axis=0)
    counts = np.bincount(places, minlength=len(classes))
    recalls = found / counts[None, :, None]
    return {k: [float(value) for value in recalls[at].mean(axis=0)] for at, k in enumerate(ks)}


def _ranked(predictions: Intervals, classes: Ints, rule: Rule) -> tuple[Intervals, Bools]:
    """Predictions by place of their class, each by falling score; and which labels are foreign."""
    places = np.searchsorted(classes, predictions.labels)
    places = np.minimum(places, max(len(classes) - 1, 0))
    is_known = (
        classes[places] == predictions.labels if len(classes) else np.zeros(len(predictions), bool)
    )
    labels = np.where(is_known, places, -1)
    if rule is Rule.RELEASED_CODE:
        # There a label that no truth has stays a raw number, and is taken for that class's place.
        labels = np.where(is_known, places, predictions.labels)
    counts = (labels >= 0) & (labels < len(classes))
    rows = np.flatnonzero(counts)
    assert predictions.scores is not None
    if rule is Rule.RELEASED_CODE:
        rows = rows[::-1]
    order = np.lexsort((-predictions.scores[rows], labels[rows]))
    kept = predictions.take(rows[order])
    ranked = Intervals(
        kept.recordings, labels[rows[order]], kept.starts_s, kept.ends_s, kept.scores
    )
    return ranked, ~is_known


def _groups(truth: Intervals, places: Ints, ranked: Intervals) -> Iterator[tuple[int, Ints, Ints]]:
    """Each (class, recording) that has truth: its place, its truths, and its ranked predictions."""
    width = 1 + max(int(truth.recordings.max(initial=0)), int(ranked.recordings.max(initial=0)))
    keys = places * width + truth.recordings
    ranked_keys = ranked.labels * width + ranked.recordings
    by_key = np.argsort(ranked_keys, kind="stable")
    sorted_keys = ranked_keys[by_key]
    truths_by_key = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[truths_by_key], prepend=-1))
    for truths in np.split(truths_by_key, starts[1:]):
        if not len(truths):
            continue
        key = keys[truths[0]]
        low, high = np.searchsorted(sorted_keys, [key, key + 1])
        yield int(places[truths[0]]), truths, by_key[low:high]


def _hits(truth: Intervals, places: Ints, ranked: Intervals, limits: Floats) -> Bools:
    """Whether each ranked prediction finds a truth of its own, (K, N)."""
    hits = np.zeros((len(limits), len(ranked)), dtype=np.bool_)
    least = limits.min(initial=1.0)
    for _, truths, rows in _groups(truth, places, ranked):
        starts_s, ends_s = truth.starts_s[truths], truth.ends_s[truths]
        # (predictions, truths); most predictions reach no truth at all.
        overlap = np.minimum(ends_s, ranked.ends_s[rows, None]) - np.maximum(
            starts_s, ranked.starts_s[rows, None]
        )
        overlap = np.clip(overlap, 0.0, None)
        lengths = (ranked.ends_s - ranked.starts_s)[rows, None]
        union = (ends_s - starts_s) + lengths - overlap
        ious = np.divide(overlap, union, out=np.zeros_like(overlap), where=union > 0)
        reaching = np.flatnonzero((ious >= least).any(axis=1))
        best_first = np.argsort(-ious[reaching], axis=1, kind="stable")
        for at, limit in enumerate(limits):
            free = np.ones(len(truths), dtype=np.bool_)
            for row, order in zip(reaching.tolist(), best_first, strict=True):
                for one in order.tolist():
                    if ious[row, one] < limit:
                        break
                    if free[one]:
                        free[one] = False
                        hits[at, rows[row]] = True
                        break
                if not free.any():
                    break
    return hits


def _areas(hits: Bools, truth_count: int) -> Floats:
    """Average precision of hits by falling score, (K, n) to (K,)."""
    if not hits.shape[1]:
        return np.zeros(len(hits))
    found = np.cumsum(hits, axis=1)
    precision = found / np.arange(1, hits.shape[1] + 1)
    falling = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    # Recall rises by one truth at each hit.
    areas: Floats = (falling * hits).sum(axis=1) / truth_count
    return areas
