"""Procedure learning: clusters of frames against key-steps of frames (EgoProceL; CaptainCook4D).

The background is a class like any other (released code), or does not count (the field's rule).
Letters: F frames, C classes that count, P clusters, N recordings, D draws of recordings.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from benchmarks.engine.measures.ratios import ratio

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class KeystepFigures:
    """`f1` is the harmonic mean of these means of precision and recall."""

    precision: float
    recall: float
    iou: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass(frozen=True, slots=True)
class MatchedPairs:
    """Frames of each class and of its cluster by recording, (N, C): shared, and of each.

    Clusters are matched over all recordings together, and draws of recordings keep this matching:
    matched again, a draw with a recording twice would fit better than the original.
    """

    shared: Floats
    predicted: Floats
    true: Floats

    @classmethod
    def of(cls, overlaps: Ints, *, has_background: bool = True) -> "MatchedPairs":
        """From the frames of each class (the background first) and cluster, (N, C, P)."""
        classes = overlaps if has_background else overlaps[:, 1:]
        cluster_of = match_clusters(classes.sum(axis=0))
        has_cluster = cluster_of >= 0
        shared = np.where(has_cluster, classes[:, np.arange(len(cluster_of)), cluster_of], 0)
        # Background frames of a cluster are false positives even if the background does not count.
        predicted = np.where(has_cluster, overlaps.sum(axis=1)[:, cluster_of], 0)
        true = classes.sum(axis=2)
        return cls(*(counts.astype(np.float64) for counts in (shared, predicted, true)))

    def followed_by(self, other: "MatchedPairs") -> "MatchedPairs":
        """These recordings, then those of `other`, of the same classes."""
        return MatchedPairs(
            np.vstack([self.shared, other.shared]),
            np.vstack([self.predicted, other.predicted]),
            np.vstack([self.true, other.true]),
        )

    def drawn(self, weights: Floats, *, per_keystep: bool = True) -> Floats:
        """Precision, recall and IoU of draws, (D, 3); `weights` (D, N) is how often each was drawn.

        They are means over the classes that a draw has, or without `per_keystep` over their pooled
        frames; nan where it has none.
        """
        shared, predicted, true = (
            weights @ column for column in (self.shared, self.predicted, self.true)
        )
        is_there = true > 0
        if not per_keystep:
            shared, predicted, true = (
                np.where(is_there, column, 0.0).sum(axis=1, keepdims=True)
                for column in (shared, predicted, true)
            )
            is_there = true > 0
        shares = (
            ratio(shared, below, 0.0) for below in (predicted, true, true + predicted - shared)
        )
        sums = [np.where(is_there, share, 0.0).sum(axis=1) for share in shares]
        return np.column_stack([ratio(column, is_there.sum(axis=1)) for column in sums])


def keystep_figures(
    predicted: Ints, truth: Ints, *, cluster_count: int, class_count: int, per_keystep: bool = True
) -> KeystepFigures | None:
    """Figures after matching clusters with classes one to one; None where there are no frames.

    predicted, truth: (F,) numbers of cluster and class. With `per_keystep` figures are means over
    the classes that have a frame, else frames are pooled over the pairs.
    """
    if not len(truth):
        return None
    cells = np.bincount(truth * cluster_count + predicted, minlength=class_count * cluster_count)
    pairs = MatchedPairs.of(cells.reshape(1, class_count, cluster_count))
    means = pairs.drawn(np.ones((1, 1)), per_keystep=per_keystep)
    return KeystepFigures(*means[0].tolist())


def match_clusters(overlap: Ints) -> Ints:
    """The cluster of each class, (C,), in the one-to-one matching with the largest overlap.

    Of equally good matchings the one with the smaller cluster numbers is taken. With fewer clusters
    than classes some class has none, -1.
    """
    count = overlap.shape[1]
    # Overlaps decide, and only among equal ones the sum of cluster numbers.
    weight = count * len(overlap) + 1
    rows, columns = scipy.optimize.linear_sum_assignment(
        overlap * weight - np.arange(count), maximize=True
    )
    cluster_of = np.full(len(overlap), -1)
    cluster_of[rows] = columns
    return cluster_of
