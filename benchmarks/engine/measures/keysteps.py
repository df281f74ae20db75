"""Procedure learning: clusters of frames against key-steps of frames (EgoProceL; CaptainCook4D).

The background is a class like any other, as the released code has it, or counts nowhere. Letters:
F frames, C classes that count, P clusters, N recordings, D draws of recordings.
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
    """`f1` is the harmonic mean of the precision and recall that stand beside it."""

    precision: float
    recall: float
    iou: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass(frozen=True, slots=True)
class MatchedPairs:
    """Frames of each class and its cluster by recording, (N, C): in both, in either of them.

    The matching is that of all recordings together, and draws of recordings keep it: matched anew,
    a draw that has a recording twice would fit better than what it was drawn from.
    """

    shared: Floats
    said: Floats
    true: Floats

    @classmethod
    def of(cls, overlaps: Ints, *, has_background: bool = True) -> "MatchedPairs":
        """From frames of each class, the background first, and cluster: (N, C, P)."""
        classes = overlaps if has_background else overlaps[:, 1:]
        cluster_of = matched(classes.sum(axis=0))
        has_one = cluster_of >= 0
        shared = np.where(has_one, classes[:, np.arange(len(cluster_of)), cluster_of], 0)
        # A cluster may have frames of the background, also where that does not count.
        said = np.where(has_one, overlaps.sum(axis=1)[:, cluster_of], 0)
        true = classes.sum(axis=2)
        return cls(*(one.astype(np.float64) for one in (shared, said, true)))

    def drawn(self, weights: Floats, *, per_keystep: bool = True) -> Floats:
        """Precision, recall and IoU where each recording is there so often, (D, N): (D, 3).

        Means over the classes that a draw has, or, else than `per_keystep`, of their frames pooled;
        nan where it has none.
        """
        shared, said, true = (weights @ one for one in (self.shared, self.said, self.true))
        is_there = true > 0
        if not per_keystep:
            shared, said, true = (
                np.where(is_there, one, 0.0).sum(axis=1, keepdims=True)
                for one in (shared, said, true)
            )
            is_there = true > 0
        shares = (ratio(shared, below, 0.0) for below in (said, true, true + said - shared))
        sums = [np.where(is_there, share, 0.0).sum(axis=1) for share in shares]
        return np.column_stack([ratio(one, is_there.sum(axis=1)) for one in sums])


def keystep_figures(
    predicted: Ints, truth: Ints, *, cluster_count: int, class_count: int, per_keystep: bool = True
) -> KeystepFigures | None:
    """Figures of a cluster for each class, one to one, with the largest overlap in all.

    predicted, truth: (F,) numbers of cluster and class. With `per_keystep` they are averaged over
    the classes that have a frame, else frames are pooled over the pairs. None where there are no
    frames.
    """
    if not len(truth):
        return None
    cells = np.bincount(truth * cluster_count + predicted, minlength=class_count * cluster_count)
    pairs = MatchedPairs.of(cells.reshape(1, class_count, cluster_count))
    found = pairs.drawn(np.ones((1, 1)), per_keystep=per_keystep)
    return KeystepFigures(*found[0].tolist())


def matched(overlap: Ints) -> Ints:
    """The cluster of each class, (C,), one to one with the largest overlap; -1 for none.

    Where several assignments are as good, the one of the smaller clusters is taken; with fewer
    clusters than classes some class goes without one.
    """
    count = overlap.shape[1]
    # Overlaps decide; among equal ones the sum of cluster numbers.
    weight = count * len(overlap) + 1
    rows, columns = scipy.optimize.linear_sum_assignment(
        overlap * weight - np.arange(count), maximize=True
    )
    found = np.full(len(overlap), -1)
    found[rows] = columns
    return found
