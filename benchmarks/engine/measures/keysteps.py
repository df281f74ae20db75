"""Procedure learning: clusters of frames against key-steps of frames (EgoProceL; CaptainCook4D).

The background is a class like any other, as the released code has it. Letters: F frames, C classes
(background included), P clusters.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

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
    overlap = np.zeros((class_count, cluster_count), dtype=np.int64)
    np.add.at(overlap, (truth, predicted), 1)
    return figures_of_overlap(overlap, overlap.sum(axis=0), per_keystep=per_keystep)


def figures_of_overlap(
    overlap: Ints, in_cluster: Ints, *, per_keystep: bool = True
) -> KeystepFigures | None:
    """The same of frames that are counted: (C, P) in each pair, (P,) in each cluster.

    A cluster may have frames of no class that counts. None where no class has a frame.
    """
    in_class = overlap.sum(axis=1)
    present = np.flatnonzero(in_class > 0)
    if not len(present):
        return None
    cluster_of = matched(overlap)[present]
    has_one = cluster_of >= 0
    shared = np.where(has_one, overlap[present, cluster_of], 0)
    said = np.where(has_one, in_cluster[cluster_of], 0)
    true = in_class[present]
    if not per_keystep:
        shared, said, true = (np.array([values.sum()]) for values in (shared, said, true))
    union = true + said - shared
    precision = np.divide(shared, said, out=np.zeros(len(said)), where=said > 0)
    return KeystepFigures(
        precision=float(precision.mean()),
        recall=float((shared / true).mean()),
        iou=float((shared / union).mean()),
    )


def matched(overlap: Ints) -> Ints:
    """The cluster of each class, (C,), one to one with the largest overlap; -1 for none.

    Where several assignments are as good, the one of the smaller clusters is taken; with fewer
    clusters than classes some class goes without one.
    """
    count = overlap.shape[1]
    # Overlaps decide; among equal ones the sum of cluster numbers.
    weight = count * len(overlap) + 1
    rows, columns = linear_sum_assignment(overlap * weight - np.arange(count), maximize=True)
    found = np.full(len(overlap), -1)
    found[rows] = columns
    return found
