"""A training, epoch by epoch: stored after each, it goes on elsewhere as if nothing had been."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from benchmarks.engine.measures.decisions import (
    best_threshold,
    curve,
    normalised,
    scores_of_steps,
)
from benchmarks.engine.training.examples import (
    Batch,
    Example,
    Floats,
    rows_in_turn,
    steps_in_turn,
)
from benchmarks.engine.training.recipes import BEST, Recipe
from benchmarks.engine.training.step_model import built

DECAY = 0.1


class UntrainableError(Exception):
    """There is nothing to train with, or it does not converge; the message says what."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """What is told of an epoch; the AUC is of the steps of val."""

    number: int
    loss: float
    val_auc: float
    learning_rate: float
    seconds: float


class Course:
    """One model with one seed; `check` is called between batches and may raise to stop it."""

    def __init__(
        self,
        recipe: Recipe,
        train: Sequence[Example],
        val: Sequence[Example],
        seed: int,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._recipe, self._train, self._val = recipe, train, val
        self._seed, self._check = seed, check
        self.epochs: list[Epoch] = []
        self._best: Mapping[str, npt.NDArray[np.generic]] = {}
        widths = tuple(array.shape[1] for array in train[0].arrays)
        self._model = built(recipe, widths, seed)

    def step(self) -> Epoch:
        """Train one epoch more; raises UntrainableError where it gets out of hand."""
        number, started = len(self.epochs) + 1, time.monotonic()
        rate = self._learning_rate()
        loss = self._model.fit(self._batches(number), rate, self._seed * 1_000_003 + number)
        if not np.isfinite(loss):
            words = f"the loss of epoch {number} is no number any more; lower the learning rate"
            raise UntrainableError(words)
        truth = np.array([example.label == 1 for example in self._val])
        found = curve(truth, self.scores(self._val))
        assert found is not None, "val has both classes"
        seconds = time.monotonic() - started
        before = max((epoch.val_auc for epoch in self.epochs), default=-1.0)
        self.epochs.append(Epoch(number, loss, found.area, rate, seconds))
        if self._recipe.keeps == BEST and found.area > before:
            self._best = self._model.weights()
        return self.epochs[-1]

    def _batches(self, number: int) -> Iterator[Batch]:
        rng = np.random.default_rng([self._seed, number])
        if self._recipe.batch_rows:
            batches = rows_in_turn(self._train, self._recipe.batch_rows, rng)
        else:
            batches = steps_in_turn(self._train, rng)
        for batch in batches:
            self._check()
            yield batch

    def _learning_rate(self) -> float:
        """That of the recipe, a tenth of it after each stretch of epochs that brought nothing."""
        rate, best, waited = self._recipe.learning_rate, -1.0, 0
        if self._recipe.patience is None:
            return rate
        for epoch in self.epochs:
            waited = 0 if epoch.val_auc > best else waited + 1
            best = max(best, epoch.val_auc)
            if waited > self._recipe.patience:
                rate, waited = rate * DECAY, 0
        return rate

    def scores(self, examples: Sequence[Example]) -> Floats:
        """A score of every step with the weights of now, (N,)."""
        found = []
        for example in examples:
            self._check()
            found.append(self._model.predict(example.features()).tolist())
        return scores_of_steps(found, self._recipe.step_score)

    def finish(self) -> None:
        """Go back to the weights that shall answer."""
        if self._recipe.keeps == BEST:
            self._model.restore(self._best)

    @property
    def answering_epoch(self) -> int:
        """Which epoch's weights answer."""
        if self._recipe.keeps == BEST:
            return max(self.epochs, key=lambda epoch: (epoch.val_auc, -epoch.number)).number
        return len(self.epochs)

    def write(self, file: BinaryIO) -> None:
        """Store all that the next epochs need but the log."""
        parts = {"w": self._model.weights(), "m": self._model.memory(), "b": self._best}
        arrays = {f"{part}/{name}": one for part in parts for name, one in parts[part].items()}
        np.savez(file, allow_pickle=False, **arrays)

    def read(self, file: BinaryIO, epochs: Sequence[Epoch]) -> None:
        """Go on from what was stored after these epochs."""
        parts: dict[str, dict[str, npt.NDArray[np.generic]]] = {"w": {}, "m": {}, "b": {}}
        with np.load(file, allow_pickle=False) as stored:
            for key in stored.files:
                part, _, name = key.partition("/")
                parts[part][name] = stored[key]
        self._model.restore(parts["w"], parts["m"])
        self._best, self.epochs = parts["b"], list(epochs)


@dataclass(frozen=True, slots=True)
class Decision:
    """Scores of the asked steps from 0 to 1, and above which one a step is an error."""

    scores: Floats
    threshold: float
    how: str

    @property
    def errors(self) -> npt.NDArray[np.bool_]:
        return self.scores > self.threshold


def decided(recipe: Recipe, val_truth: Floats, val_scores: Floats, scores: Floats) -> Decision:
    """Yes or no of each asked step, by the recipe's threshold."""
    if recipe.normalises:
        scores = normalised(scores)
    if recipe.threshold is not None:
        return Decision(scores, recipe.threshold, "as the recipe has it")
    threshold = best_threshold(val_truth == 1, val_scores)
    assert threshold is not None
    return Decision(scores, threshold, "highest F1 on val")
