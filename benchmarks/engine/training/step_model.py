"""What a model is to a training: it learns batches, scores rows, and can be stored and restored."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.engine.training.examples import Batch, Floats, Rows
from benchmarks.engine.training.recipes import Recipe

State = Mapping[str, npt.NDArray[np.generic]]


@dataclass(frozen=True, slots=True)
class Start:
    """What a model is made of before its first batch, for feature arrays of these `widths`.

    `class_weights`, (C,), say how much an example of each class counts.
    """

    recipe: Recipe
    widths: tuple[int, ...]
    class_weights: npt.NDArray[np.float32]
    seed: int


class StepModel(ABC):
    """The same seed, batches and machine give the same scores, whether it was restored between.

    Letters: n rows, C classes.
    """

    @abstractmethod
    def fit(self, batches: Iterable[Batch], learning_rate: float, seed: int) -> float:
        """Learn every batch once; the mean loss of a batch. `seed` is for what chance decides."""

    @abstractmethod
    def predict(self, features: tuple[Rows, ...]) -> Floats:
        """How sure it is of each class but the first at each row, 0 to 1, (n, C - 1)."""

    @abstractmethod
    def weights(self) -> State:
        """A copy of what decides its scores."""

    @abstractmethod
    def memory(self) -> State:
        """A copy of what its optimizer keeps from one batch to the next."""

    @abstractmethod
    def restore(self, weights: State, memory: State | None = None) -> None:
        """Go on from there; without a memory it can only score."""
