"""How models are trained: the hyperparameters of the papers and of their released code."""

import importlib.util
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

PAPER, CODE = PRESETS = ("paper", "code")
MEAN, MAJORITY = STEP_SCORES = ("mean", "majority")
BEST, LAST = "best", "last"
V1, V2, V3, MLP, MLP_FOCAL = "V1", "V2", "V3", "MLP", "MLP-focal"
# The weights of the paper's modalities, in the order video, audio, text, depth.
WEIGHTS = {1: (1.0,), 2: (0.65, 0.35), 3: (0.4, 0.3, 0.3), 4: (0.25, 0.25, 0.25, 0.25)}
# The width of Omnivore and ImageBind features, on which the released code trains V2 more slowly.
EMBEDDING_WIDTH = 1024


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A model that can be chosen; `library` is what it needs besides a plain installation.

    `is_of_segments`: it gets the mean of a segment's rows and its words, and distinguishes any
    number of classes. Else it gets each row by itself or within its step, and distinguishes two.
    """

    name: str
    title: str
    most_sets: int = 1
    library: str = ""
    is_of_segments: bool = False

    def what_is_missing(self) -> str:
        """What to install before it can be trained, "" for nothing."""
        if not self.library or importlib.util.find_spec(self.library) is not None:
            return ""
        return f"{self.name} needs {self.library}: install PIE-V with its extra [{self.library}]"


KINDS = {
    kind.name: kind
    for kind in (
        ModelKind(V1, "V1: a perceptron that looks at each row of features alone"),
        ModelKind(V2, "V2: a transformer over the rows of a step", library="torch"),
        ModelKind(V3, "V3: a transformer over several feature sets", len(WEIGHTS), library="torch"),
        ModelKind(
            MLP, "MLP: a perceptron on the mean of a segment and its words", is_of_segments=True
        ),
        ModelKind(
            MLP_FOCAL,
            "MLP-focal: the same with the focal loss of EgoOops",
            library="torch",
            is_of_segments=True,
        ),
    )
}


def kinds_for(classes: tuple[str, ...]) -> list[ModelKind]:
    """The models that can distinguish these classes."""
    return [kind for kind in KINDS.values() if kind.is_of_segments == (len(classes) > 2)]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides a training besides data and seed.

    `batch_rows` 0 means one step per batch. After every `look_every` epochs val is scored and the
    training stored. After more than `patience` epochs without a better AUC on val the learning rate
    falls to a tenth. `keeps` says which weights answer: those of the best AUC on val, or the last.
    `step_score` is the rule that makes one score of a step's rows. `threshold` None: the one with
    the best F1 on val. `normalises`: scores of the test items are stretched to 0 and 1 before the
    threshold. `beta` balances classes by their size, instead of `positive_weight`; `gamma` is that
    of the focal loss, None for cross-entropy.
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
    look_every: int = 1
    keeps: str = BEST
    step_score: str = MEAN
    threshold: float | None = None
    normalises: bool = False
    weights: tuple[float, ...] = (1.0,)
    beta: float | None = None
    gamma: float | None = None
    hidden: int = 512
    heads: int = 8
    feedforward: int = 2048
    dropout: float = 0.1

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "weights": list(self.weights)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Recipe":
        return cls(**{**stored, "weights": tuple(stored["weights"])})


_PAPER = Recipe("", PAPER, epochs=50, learning_rate=1e-5, positive_weight=1.5)
_CODE = Recipe(
    "",
    CODE,
    epochs=10,
    learning_rate=1e-6,
    weight_decay=1e-3,
    clip_norm=1.0,
    patience=5,
    keeps=LAST,
    threshold=0.4,
    normalises=True,
)
# EgoOops, 5, gives loss and epochs. Beta and gamma are the usual ones (Cui et al., 2019): the paper
# names neither them nor the learning rate, the batches and the width of the hidden layer.
_SEGMENTS = Recipe(
    "", PAPER, epochs=1200, learning_rate=1e-3, batch_rows=64, look_every=50, beta=0.9999
)
RECIPES = {
    (recipe.model, recipe.preset): recipe
    for recipe in (
        replace(_PAPER, model=V1, learning_rate=1e-3, batch_rows=512),
        replace(_PAPER, model=V2),
        replace(_PAPER, model=V3, learning_rate=5e-5),
        # scikit-learn cannot clip gradients.
        replace(_CODE, model=V1, learning_rate=1e-3, clip_norm=None),
        replace(_CODE, model=V2, learning_rate=1e-4),
        replace(_CODE, model=V3),
        replace(_SEGMENTS, model=MLP),
        replace(_SEGMENTS, model=MLP_FOCAL, gamma=2.0),
    )
}
EARLY_RATES = {(V1, PAPER): 1e-4, (V3, CODE): 1e-4}
V2_RATE_ON_EMBEDDINGS = 1e-6
# The released code uses another threshold where parts divide the steps of each recording.
THRESHOLD_BY_STEP = 0.6


def recipe_of(
    model: str, preset: str, widths: tuple[int, ...], *, is_early: bool, is_by_step: bool
) -> Recipe:
    """The recipe of a preset for features of these widths.

    `is_early`: only the first half of a step is seen. `is_by_step`: parts divide the steps of each
    recording.
    """
    recipe = RECIPES[model, preset]
    rate, threshold = recipe.learning_rate, recipe.threshold
    if is_early:
        rate = EARLY_RATES.get((model, preset), rate)
    if (model, preset, widths[0]) == (V2, CODE, EMBEDDING_WIDTH):
        rate = V2_RATE_ON_EMBEDDINGS
    if is_by_step and preset == CODE:
        threshold = THRESHOLD_BY_STEP
    return replace(recipe, learning_rate=rate, threshold=threshold, weights=WEIGHTS[len(widths)])
