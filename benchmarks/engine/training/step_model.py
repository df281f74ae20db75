"""The protocol of trainable models: learn batches, score rows, be stored and restored."""

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
    """What a new model is made from; `widths` are those of the feature arrays.

    `class_weights`, (C,), say how much an example of each class counts.
    """

    recipe: Recipe
    widths: tuple[int, ...]
    class_weights: npt.NDArray[np.float32]
    seed: int


class StepModel(ABC):
    """The same seed, batches and machine give the same scores, even if it was restored in between.

    Letters: n rows, C classes.
    """

    @abstractmethod
    def fit(self, batches: Iterable[Batch], learning_rate: float, seed: int) -> float:
        """Learn from every batch once and return the mean loss; `seed` is for dropout."""

    @abstractmethod
    def predict(self, features: tuple[Rows, ...]) -> Floats:
        """The probability of each class but the first for each row, (n, C - 1)."""

    @abstractmethod
    def weights(self) -> State:
        """A copy of the weights."""

    @abstractmethod
    def memory(self) -> State:
        """A copy of the optimizer's state."""

    @abstractmethod
    def restore(self, weights: State, memory: State | None = None) -> None:
        """Take over stored weights; without the `memory` of the optimizer it can only predict."""
