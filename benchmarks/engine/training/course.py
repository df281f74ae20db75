"""A training, look by look at val: stored after each, it goes on elsewhere as if nothing had been.

Between two looks lie the recipe's `look_every` epochs.
"""

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
    Ints,
    rows_in_turn,
    steps_in_turn,
)
from benchmarks.engine.training.recipes import BEST, MLP_FOCAL, V2, V3, Recipe
from benchmarks.engine.training.step_model import Start, StepModel

DECAY = 0.1


class UntrainableError(Exception):
    """There is nothing to train with, or it does not converge; the message says what."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """What is told of an epoch, or of several up to `number`, after which val was scored.

    The AUC is the mean of those of every class but the first, of the steps of val.
    """

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
        *,
        class_count: int = 2,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self._recipe, self._train, self._val = recipe, train, val
        self._seed, self._check = seed, check
        self.epochs: list[Epoch] = []
        self._best: Mapping[str, npt.NDArray[np.generic]] = {}
        widths = tuple(array.shape[1] for array in train[0].arrays)
        sizes = np.bincount([example.label for example in train], minlength=class_count)
        self._class_weights = class_weights(recipe, sizes)
        self._model = built(Start(recipe, widths, self._class_weights, seed))

    @property
    def epoch_count(self) -> int:
        return self.epochs[-1].number if self.epochs else 0

    def step(self) -> Epoch:
        """Train to the next look at val; raises UntrainableError where it gets out of hand."""
        started, rate = time.monotonic(), self._learning_rate()
        last = min(self.epoch_count + self._recipe.look_every, self._recipe.epochs)
        for number in range(self.epoch_count + 1, last + 1):
            loss = self._model.fit(self._batches(number), rate, self._seed * 1_000_003 + number)
            if not np.isfinite(loss):
                words = f"the loss of epoch {number} is no number any more; lower the learning rate"
                raise UntrainableError(words)
        area = _mean_area(self._val, self.scores(self._val))
        before = max((epoch.val_auc for epoch in self.epochs), default=-1.0)
        self.epochs.append(Epoch(last, loss, area, rate, time.monotonic() - started))
        if self._recipe.keeps == BEST and area > before:
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
        """How sure the weights of now are of each class but the first, (N, C - 1)."""
        found = []
        for example in examples:
            self._check()
            found.append(self._model.predict(example.features()))
        rule, width = self._recipe.step_score, len(self._class_weights) - 1
        columns = [
            scores_of_steps([one[:, at].tolist() for one in found], rule) for at in range(width)
        ]
        return np.column_stack(columns)

    def finish(self) -> None:
        """Go back to the weights that shall answer."""
        if self._recipe.keeps == BEST:
            self._model.restore(self._best)

    @property
    def answering_epoch(self) -> int:
        """Which epoch's weights answer."""
        if self._recipe.keeps == BEST:
            return max(self.epochs, key=lambda epoch: (epoch.val_auc, -epoch.number)).number
        return self.epoch_count

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


def class_weights(recipe: Recipe, sizes: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
    """How much an example of each class counts, (C,), by the sizes of classes in train, (C,).

    With a beta by the effective number of examples, adding up to C (Cui et al., 2019, eq. 2 and 4).
    """
    if recipe.beta is None:
        return np.array([1.0, recipe.positive_weight], dtype=np.float32)
    weights = (1 - recipe.beta) / (1 - recipe.beta ** np.maximum(sizes, 1))
    found: npt.NDArray[np.float32] = (weights * len(sizes) / weights.sum()).astype(np.float32)
    return found


def _mean_area(examples: Sequence[Example], scores: Floats) -> float:
    """The mean of the AUCs of all classes but the first, those that the examples lack left out."""
    labels = np.array([example.label for example in examples])
    curves = [curve(labels == at + 1, column) for at, column in enumerate(scores.T)]
    return float(np.mean([found.area for found in curves if found is not None]))


@dataclass(frozen=True, slots=True)
class Decision:
    """The class of each asked step, (N,) each: its number, and how sure that is.

    Of two classes a score says how sure the second is, and above `threshold` it is that.
    """

    labels: Ints
    scores: Floats
    threshold: float | None
    how: str


def decided(
    recipe: Recipe, val_labels: Sequence[int], val_scores: Floats, scores: Floats
) -> Decision:
    """The class of each asked step: of two by the recipe's threshold, else the likeliest.

    Scores are of every class but the first, (N, C - 1).
    """
    if scores.shape[1] > 1:
        shares = np.column_stack([1 - scores.sum(axis=1), scores])
        return Decision(shares.argmax(axis=1), shares.max(axis=1), None, "the likeliest class")
    column = normalised(scores[:, 0]) if recipe.normalises else scores[:, 0]
    threshold, how = recipe.threshold, "as the recipe has it"
    if threshold is None:
        threshold, how = (
            best_threshold(np.array(val_labels) == 1, val_scores[:, 0]),
            "highest F1 on val",
        )
        assert threshold is not None
    return Decision((column > threshold).astype(np.int64), column, threshold, how)


def built(start: Start) -> StepModel:
    # Both libraries take seconds and a hundred megabytes to load, and PyTorch may not be there.
    if start.recipe.model in (V2, V3):
        from benchmarks.engine.training.transformer import Transformer  # noqa: PLC0415

        return Transformer(start)
    if start.recipe.model == MLP_FOCAL:
        from benchmarks.engine.training.focal_perceptron import FocalPerceptron  # noqa: PLC0415

        return FocalPerceptron(start)
    from benchmarks.engine.training.perceptron import Perceptron  # noqa: PLC0415

    return Perceptron(start)
