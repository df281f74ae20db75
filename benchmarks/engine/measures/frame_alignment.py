"""Alignment of steps and frames, one step per frame (StepFormer; EgoOops, 5.1)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NO_STEP = -1


@dataclass(frozen=True, slots=True)
class AlignmentFigures:
    """`mof` is over all frames, background included; a figure is None where nothing is counted."""

    precision: float | None
    recall: float | None
    mof: float | None
    iou: float | None

    @property
    def f1(self) -> float | None:
        if self.precision is None or self.recall is None:
            return None
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def alignment_figures(
    predicted: npt.NDArray[np.int64], truth: npt.NDArray[np.int64]
) -> AlignmentFigures:
    """Figures of one recording, from the step of each frame, (F,), `NO_STEP` for none."""
    is_predicted, is_labelled = predicted != NO_STEP, truth != NO_STEP
    right = int(((predicted == truth) & is_labelled).sum())
    counts = {
        "precision": int(is_predicted.sum()),
        "recall": int(is_labelled.sum()),
        "iou": int((is_predicted | is_labelled).sum()),
    }
    shares = {name: right / count if count else None for name, count in counts.items()}
    mof = float((predicted == truth).mean()) if len(truth) else None
    return AlignmentFigures(mof=mof, **shares)
