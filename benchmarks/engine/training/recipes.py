"""How a model is trained: the numbers of the paper, and those of its released code."""

import importlib.util
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

PAPER, CODE = PRESETS = ("paper", "code")
MEAN, MAJORITY = STEP_SCORES = ("mean", "majority")
BEST, LAST = "best", "last"
V1, V2, V3 = "V1", "V2", "V3"
# Of the paper's modalities, in the order video, audio, text, depth.
WEIGHTS = {1: (1.0,), 2: (0.65, 0.35), 3: (0.4, 0.3, 0.3), 4: (0.25, 0.25, 0.25, 0.25)}
# Omnivore and ImageBind have so many features; the released code trains V2 on them more slowly.
EMBEDDING_WIDTH = 1024


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A model that can be chosen; `library` is what it needs beside a plain installation."""

    name: str
    title: str
    most_sets: int
    library: str = ""

    def what_is_missing(self) -> str:
        """What to install before it can be trained, "" where everything is there."""
        if not self.library or importlib.util.find_spec(self.library) is not None:
            return ""
        return f"{self.name} needs {self.library}: install PIE-V with its extra [{self.library}]"


KINDS = {
    kind.name: kind
    for kind in (
        ModelKind(V1, "V1: a perceptron that looks at each row of features alone", 1),
        ModelKind(V2, "V2: a transformer over the rows of a step", 1, "torch"),
        ModelKind(V3, "V3: a transformer over several feature sets", len(WEIGHTS), "torch"),
    )
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides a training beside data and seed.

    `batch_rows` is 0 where one step is learnt at a time. `patience` is after how many epochs
    without a better AUC on val the learning rate falls to a tenth. `keeps` says which weights
    answer: those of the best AUC on val, or the last. `step_score` makes one score of a step's
    rows. `threshold` None: the one of the best F1 on val. `normalises`: scores of the test items
    are stretched to 0 and 1 before the threshold.
    """

    model: str
    preset: str
    epochs: int
    learning_rate: float
    positive_weight: float = 1.0
    weight_decay: float = 0.0
    clip_norm: float | None = None
    patience: int | None = None
    batch_rows: int = 0
    keeps: str = BEST
    step_score: str = MEAN
    threshold: float | None = None
    normalises: bool = False
    weights: tuple[float, ...] = (1.0,)
    hidden: int = 512
    heads: int = 8
    feedforward: int = 2048
    dropout: float = 0.1

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "weights": list(self.weights)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Recipe":
        return cls(**{**stored, "weights": tuple(stored["weights"])})


def recipe_of(
    model: str, preset: str, widths: tuple[int, ...], *, is_early: bool, is_by_step: bool
) -> Recipe:
    """The numbers of a preset for features of these widths.

    `is_early`: only the first half of a step is seen. `is_by_step`: parts divide the steps of each
    recording, for which the released code has a threshold of its own.
    """
    weights = WEIGHTS[len(widths)]
    if preset == PAPER:
        rate = {V1: 1e-4 if is_early else 1e-3, V2: 1e-5, V3: 5e-5}[model]
        batch_rows = 512 if model == V1 else 0
        return Recipe(
            model, PAPER, 50, rate, positive_weight=1.5, batch_rows=batch_rows, weights=weights
        )
    rates = {
        V1: 1e-3,
        V2: 1e-6 if widths[0] == EMBEDDING_WIDTH else 1e-4,
        V3: 1e-4 if is_early else 1e-6,
    }
    return Recipe(
        model,
        CODE,
        10,
        rates[model],
        weight_decay=1e-3,
        # scikit-learn has no clipping of gradients.
        clip_norm=None if model == V1 else 1.0,
        patience=5,
        keeps=LAST,
        threshold=0.6 if is_by_step else 0.4,
        normalises=True,
        weights=weights,
    )
