"""The training of one model. It can be stored after every look at val and resumed without a trace.

Between two looks at val lie the recipe's `look_every` epochs.
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
    normalise,
    scores_of_steps,
)
from benchmarks.engine.training.examples import (
    Batch,
    Example,
    Floats,
    Ints,
    row_batches,
    step_batches,
)
from benchmarks.engine.training.recipes import BEST, MLP_FOCAL, V2, V3, Recipe
from benchmarks.engine.training.step_model import Start, StepModel

DECAY = 0.1


class UntrainableError(Exception):
    """There is nothing to train with, or training diverges; the message says which."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """The log of the epochs up to `number`, after which val was scored.

    The AUC on val is the mean over every class but the first.
    """

    number: int
    loss: float
    val_auc: float
    learning_rate: float
    seconds: float


class Course:
    """Trains a model with one seed; `check` is called between batches and may raise to stop it."""

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
        self._model = build_model(Start(recipe, widths, self._class_weights, seed))

    @property
    def epoch_count(self) -> int:
        return self.epochs[-1].number if self.epochs else 0

    def step(self) -> Epoch:
        """Train to the next look at val; raises UntrainableError where the loss is not finite."""
        started, rate = time.monotonic(), self._learning_rate()
        last = min(self.epoch_count + self._recipe.look_every, self._recipe.epochs)
        for number in range(self.epoch_count + 1, last + 1):
            loss = self._model.fit(self._batches(number), rate, self._seed * 1_000_003 + number)
            if not np.isfinite(loss):
                words = f"the loss of epoch {number} is not a number; lower the learning rate"
                raise UntrainableError(words)
        # Over all classes but the first; those without an example are left out.
        labels = np.array([example.label for example in self._val])
        columns = enumerate(self.scores(self._val).T, start=1)
        curves = [curve(labels == at, column) for at, column in columns]
        area = float(np.mean([roc.area for roc in curves if roc is not None]))
        before = max((epoch.val_auc for epoch in self.epochs), default=-1.0)
        self.epochs.append(Epoch(last, loss, area, rate, time.monotonic() - started))
        if self._recipe.keeps == BEST and area > before:
            self._best = self._model.weights()
        return self.epochs[-1]

    def _batches(self, number: int) -> Iterator[Batch]:
        rng = np.random.default_rng([self._seed, number])
        if self._recipe.batch_rows:
            batches = row_batches(self._train, self._recipe.batch_rows, rng)
        else:
            batches = step_batches(self._train, rng)
        for batch in batches:
            self._check()
            yield batch

    def _learning_rate(self) -> float:
        """The recipe's rate, divided by ten whenever the AUC on val did not rise for `patience`."""
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
        """How sure the current weights are of each class but the first, (N, C - 1)."""
        row_scores = []
        for example in examples:
            self._check()
            row_scores.append(self._model.predict(example.features()))
        rule, width = self._recipe.step_score, len(self._class_weights) - 1
        columns = [
            scores_of_steps([rows[:, at].tolist() for rows in row_scores], rule)
            for at in range(width)
        ]
        return np.column_stack(columns)

    def finish(self) -> None:
        """Restore the weights that answer the test items."""
        if self._recipe.keeps == BEST:
            self._model.restore(self._best)

    @property
    def answering_epoch(self) -> int:
        """The epoch whose weights answer the test items."""
        if self._recipe.keeps == BEST:
            return max(self.epochs, key=lambda epoch: (epoch.val_auc, -epoch.number)).number
        return self.epoch_count

    def write(self, file: BinaryIO) -> None:
        """Store everything that the next epochs need except the log, `epochs`."""
        parts = {"w": self._model.weights(), "m": self._model.memory(), "b": self._best}
        arrays = {f"{part}/{name}": array for part in parts for name, array in parts[part].items()}
        np.savez(file, allow_pickle=False, **arrays)

    def read(self, file: BinaryIO, epochs: Sequence[Epoch]) -> None:
        """Resume from what was stored after these epochs."""
        parts: dict[str, dict[str, npt.NDArray[np.generic]]] = {"w": {}, "m": {}, "b": {}}
        with np.load(file, allow_pickle=False) as stored:
            for key in stored.files:
                part, _, name = key.partition("/")
                parts[part][name] = stored[key]
        self._model.restore(parts["w"], parts["m"])
        self._best, self.epochs = parts["b"], list(epochs)


def class_weights(recipe: Recipe, sizes: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
    """How much an example of each class counts, (C,), from the class sizes in train, (C,).

    A recipe with a beta uses the effective number of examples; the weights then add up to C (Cui et
    al., 2019, eq. 2 and 4).
    """
    if recipe.beta is None:
        return np.array([1.0, recipe.positive_weight], dtype=np.float32)
    weights = (1 - recipe.beta) / (1 - recipe.beta ** np.maximum(sizes, 1))
    rounded: npt.NDArray[np.float32] = (weights * len(sizes) / weights.sum()).astype(np.float32)
    return rounded


@dataclass(frozen=True, slots=True)
class Decision:
    """The class of each test example and its score, (N,) each.

    With two classes the score is that of the second, which is chosen above `threshold`; `how` says
    in words how the class was chosen.
    """

    labels: Ints
    scores: Floats
    threshold: float | None
    how: str


def decide(
    recipe: Recipe, val_labels: Sequence[int], val_scores: Floats, scores: Floats
) -> Decision:
    """The class of each test example: of two by the recipe's threshold, else the likeliest.

    Scores are those of every class but the first, (N, C - 1).
    """
    if scores.shape[1] > 1:
        shares = np.column_stack([1 - scores.sum(axis=1), scores])
        return Decision(shares.argmax(axis=1), shares.max(axis=1), None, "the likeliest class")
    column = normalise(scores[:, 0]) if recipe.normalises else scores[:, 0]
    threshold, how = recipe.threshold, "as the recipe has it"
    if threshold is None:
        threshold, how = (
            best_threshold(np.array(val_labels) == 1, val_scores[:, 0]),
            "highest F1 on val",
        )
        assert threshold is not None
    return Decision((column > threshold).astype(np.int64), column, threshold, how)


def build_model(start: Start) -> StepModel:
    # Both libraries take seconds and a hundred megabytes to load, and PyTorch may not be there.
    if start.recipe.model in (V2, V3):
        from benchmarks.engine.training.transformer import Transformer  # noqa: PLC0415

        return Transformer(start)
    if start.recipe.model == MLP_FOCAL:
        from benchmarks.engine.training.focal_perceptron import FocalPerceptron  # noqa: PLC0415

        return FocalPerceptron(start)
    from benchmarks.engine.training.perceptron import Perceptron  # noqa: PLC0415

    return Perceptron(start)
