"""Matches the spans of two sides, measures their edges and counts hits.

Letters: P matched pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from rapidfuzz.distance import Levenshtein

from segments.measures.spans import Codes, Floats, Overlaps, Spans, overlaps

# F1 counts a pair whose IoU is at least this. Source: Lea et al. (2017), Temporal
# Convolutional Networks for Action Segmentation and Detection; .75 is our own addition.
F1_THRESHOLDS = (0.10, 0.25, 0.50, 0.75)
SAME_TIME_IOU = 0.5
# 7.999999999 / 10 is 0.8: times are sums of fractions.
SLACK = 1e-9


def matched(first: Spans, second: Spans, *, by_label: bool = True) -> Overlaps:
    """One-to-one pairs of overlapping spans with the largest total IoU.

    Only spans of the same label are paired, or any two where `by_label` is False.
    """
    pairs = overlaps(first, second)
    if by_label:
        pairs = pairs.only(first.labels[pairs.first] == second.labels[pairs.second])
    size = len(first) + len(second)
    graph = scipy.sparse.coo_array(
        (pairs.ious, (pairs.first, len(first) + pairs.second)), shape=(size, size)
    )
    # Each group of spans joined by overlaps is solved alone, else the cost grows with all spans.
    groups = scipy.sparse.csgraph.connected_components(graph, directed=False)[1][pairs.first]
    is_kept = np.bincount(groups, minlength=size)[groups] == 1
    order = np.argsort(groups, kind="stable")
    borders = np.flatnonzero(np.diff(groups[order])) + 1
    for group in np.split(order, borders):
        if len(group) > 1:
            ours, rows = np.unique(pairs.first[group], return_inverse=True)
            theirs, columns = np.unique(pairs.second[group], return_inverse=True)
            ious = np.zeros((len(ours), len(theirs)))
            ious[rows, columns] = pairs.ious[group]
            chosen = np.zeros(ious.shape, dtype=bool)
            chosen[scipy.optimize.linear_sum_assignment(ious, maximize=True)] = True
            is_kept[group] = chosen[rows, columns]
    return pairs.only(is_kept)


def boundary_errors(first: Spans, second: Spans, pairs: Overlaps) -> tuple[Floats, Floats]:
    """Second minus first at the starts and at the ends of matched spans, (P,) s each."""
    return (
        second.starts_s[pairs.second] - first.starts_s[pairs.first],
        second.ends_s[pairs.second] - first.ends_s[pairs.first],
    )


def point_errors(first: Spans, second: Spans) -> Floats:
    """Second minus first of points with the same label, paired for the least total, (P,) s."""
    far = float(np.abs(np.subtract.outer(first.starts_s, second.starts_s)).max(initial=0)) + 1
    errors = []
    for label in np.intersect1d(first.defined.labels, second.defined.labels):
        ours = first.starts_s[first.labels == label]
        theirs = second.starts_s[second.labels == label]
        distances = np.minimum(np.abs(np.subtract.outer(ours, theirs)), far)
        rows, columns = scipy.optimize.linear_sum_assignment(distances)
        errors.append(theirs[columns] - ours[rows])
    return np.concatenate(errors) if errors else np.zeros(0)


@dataclass(frozen=True, slots=True)
class Hits:
    """True and false positives and false negatives; the second side is scored."""

    true: int
    false: int
    missed: int

    @property
    def total(self) -> int:
        """The denominator of F1, of which 2 `true` is the numerator."""
        return 2 * self.true + self.false + self.missed

    @property
    def f1(self) -> float | None:
        return 2 * self.true / self.total if self.total else None


def hits_of_pairs(first: Spans, second: Spans, pairs: Overlaps, threshold: float) -> Hits:
    """Between people: matched pairs that overlap enough; F1 is the same in either order."""
    true = int((pairs.ious >= threshold - SLACK).sum())
    return Hits(true, len(second.defined) - true, len(first.defined) - true)


def hits_of_predictions(truth: Spans, predictions: Spans, threshold: float) -> Hits:
    """Against truth, as the field counts: each prediction in time order takes its best truth.

    The best has the same label and the largest IoU; a second prediction for the same truth is a
    false positive. Source: the evaluation of MS-TCN (Farha and Gall, 2019).
    """
    truth, predictions = truth.defined, predictions.defined
    pairs = overlaps(predictions, truth)
    pairs = pairs.only(predictions.labels[pairs.first] == truth.labels[pairs.second])
    order = np.lexsort((pairs.second, -pairs.ious, pairs.first))
    _, best = np.unique(pairs.first[order], return_index=True)
    chosen = order[best]
    hit = pairs.second[chosen][pairs.ious[chosen] >= threshold - SLACK]
    true = len(np.unique(hit))
    return Hits(true, len(predictions) - true, len(truth) - true)


def edit_score(first: Sequence[int] | Codes, second: Sequence[int] | Codes) -> float | None:
    """100 (1 - Levenshtein / longer length) of labels in order; None where both are empty.

    >>> edit_score([0, 1, 2], [0, 1, 2, 3])
    75.0
    """
    ours, theirs = list(map(int, first)), list(map(int, second))
    longest = max(len(ours), len(theirs))
    return 100 * (1 - Levenshtein.distance(ours, theirs) / longest) if longest else None
