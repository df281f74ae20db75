"""V1 and MLP: one hidden layer, with scikit-learn, on rows of features or on means of segments."""

from collections.abc import Iterable

import numpy as np
from sklearn.neural_network import MLPClassifier

from benchmarks.engine.training.examples import Batch, Floats, Ints, Rows
from benchmarks.engine.training.step_model import Start, State, StepModel


class Perceptron(StepModel):
    """Resumes through private attributes of the library's Adam; the tests of resuming watch it."""

    def __init__(self, start: Start) -> None:
        recipe, (self._width,) = start.recipe, start.widths
        self._weight_decay, self._class_weights = recipe.weight_decay, start.class_weights
        self._model = MLPClassifier(
            (recipe.hidden,),
            learning_rate_init=recipe.learning_rate,
            shuffle=False,
            random_state=start.seed,
        )

    def fit(self, batches: Iterable[Batch], learning_rate: float, seed: int) -> float:
        losses = []
        for batch in batches:
            self._learn(batch.features[0], batch.labels, learning_rate)
            losses.append(self._model.loss_)
        return float(np.mean(losses))

    def _learn(self, rows: Rows, labels: Ints, learning_rate: float) -> None:
        model = self._model
        model.batch_size = len(rows)
        # The library divides alpha by the number of rows.
        model.alpha = self._weight_decay * len(rows)
        if hasattr(model, "_optimizer"):
            model._optimizer.learning_rate_init = learning_rate
        classes = range(len(self._class_weights))
        model.partial_fit(rows, labels, classes=classes, sample_weight=self._class_weights[labels])

    def predict(self, features: tuple[Rows, ...]) -> Floats:
        shares: Floats = self._model.predict_proba(features[0])[:, 1:].astype(np.float64)
        return shares

    def weights(self) -> State:
        model = self._model
        return {str(at): array.copy() for at, array in enumerate(model.coefs_ + model.intercepts_)}

    def memory(self) -> State:
        adam = self._model._optimizer
        arrays = {f"m{at}": array.copy() for at, array in enumerate(adam.ms)}
        arrays |= {f"v{at}": array.copy() for at, array in enumerate(adam.vs)}
        return {**arrays, "t": np.array(adam.t)}

    def restore(self, weights: State, memory: State | None = None) -> None:
        model = self._model
        if not hasattr(model, "_optimizer"):
            # Only a first batch makes the library allocate the arrays that are filled below.
            self._learn(np.zeros((1, self._width), np.float32), np.zeros(1, np.int64), 1.0)
        for at, array in enumerate(model.coefs_ + model.intercepts_):
            array[...] = weights[str(at)]
        if memory is not None:
            adam = model._optimizer
            adam.ms = [memory[f"m{at}"] for at in range(len(adam.ms))]
            adam.vs = [memory[f"v{at}"] for at in range(len(adam.vs))]
            adam.t = int(memory["t"])
