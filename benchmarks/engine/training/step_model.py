"""What a model is to a training: it learns batches, scores rows, and can be stored and restored."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from benchmarks.engine.training.examples import Batch, Floats, Rows
from benchmarks.engine.training.recipes import V1, Recipe

State = Mapping[str, npt.NDArray[np.generic]]


class StepModel(ABC):
    """The same seed, batches and machine give the same scores, whether it was restored between."""

    @abstractmethod
    def fit(self, batches: Iterable[Batch], learning_rate: float, seed: int) -> float:
        """Learn every batch once; the mean loss of a batch. `seed` is for what chance decides."""

    @abstractmethod
    def predict(self, features: tuple[Rows, ...]) -> Floats:
        """How sure it is of an error at each row of a step, 0 to 1, (n,)."""

    @abstractmethod
    def weights(self) -> State:
        """A copy of what decides its scores."""

    @abstractmethod
    def memory(self) -> State:
        """A copy of what its optimizer keeps from one batch to the next."""

    @abstractmethod
    def restore(self, weights: State, memory: State | None = None) -> None:
        """Go on from there; without a memory it can only score."""


def built(recipe: Recipe, widths: tuple[int, ...], seed: int) -> StepModel:
    """A model before its first batch; widths are those of its feature arrays."""
    # Both libraries take seconds and a hundred megabytes to load, and PyTorch may not be there.
    if recipe.model == V1:
        from benchmarks.engine.training.perceptron import Perceptron  # noqa: PLC0415

        return Perceptron(recipe, widths, seed)
    from benchmarks.engine.training.transformer import Transformer  # noqa: PLC0415

    return Transformer(recipe, widths, seed)
