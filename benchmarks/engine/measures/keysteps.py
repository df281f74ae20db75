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
    the classes that have a frame, else frames are pooled over the pairs. Where several assignments
    are as good, the one of the smaller clusters is taken. None where there are no frames.
    """
    if not len(truth):
        return None
    overlap = np.zeros((class_count, cluster_count), dtype=np.int64)
    np.add.at(overlap, (truth, predicted), 1)
    # Overlaps decide; among equal ones the sum of cluster numbers.
    weight = cluster_count * class_count + 1
    rows, columns = linear_sum_assignment(
        overlap * weight - np.arange(cluster_count), maximize=True
    )
    in_class, in_cluster = overlap.sum(axis=1), overlap.sum(axis=0)
    present = np.flatnonzero(in_class > 0)
    # With fewer clusters than classes some class goes without one.
    cluster_of = np.full(class_count, -1)
    cluster_of[rows] = columns
    shared = np.array(
        [overlap[row, cluster_of[row]] if cluster_of[row] >= 0 else 0 for row in present]
    )
    said = np.array([in_cluster[cluster_of[row]] if cluster_of[row] >= 0 else 0 for row in present])
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
