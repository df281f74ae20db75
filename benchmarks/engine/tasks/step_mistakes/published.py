"""Rows of CaptainCook4D (Peddi et al., 2024) that stand beside this task's figures."""

from benchmarks.engine.task import PublishedRow

ZERO_SHOT = "CaptainCook4D, Table 7 (zero-shot error recognition)"
SUPERVISED = "CaptainCook4D, Table 2, split by recordings"
NOT_COMPARABLE = (
    "other recordings and another question: whole recordings of CaptainCook4D, with steps that were"
    " never done among the items (34% mistakes)"
)
TRAINED = (
    "other recordings: 671 steps of CaptainCook4D (36% mistakes), trained there; threshold and"
    " scale of the score were chosen on the test set"
)


def _row(name: str, figures: tuple[float, ...], source: str, warning: str) -> PublishedRow:
    keys = ("accuracy", "precision", "recall", "f1", "auc")
    shares = {key: value / 100 for key, value in zip(keys, figures, strict=False)}
    return PublishedRow(name, shares, source, warning)


PUBLISHED = (
    _row("Video-LLaVA, one question", (64.3, 34.2, 3.9, 6.7), ZERO_SHOT, NOT_COMPARABLE),
    _row("Video-LLaVA, seven questions", (52.85, 36.3, 49.3, 41.8), ZERO_SHOT, NOT_COMPARABLE),
    _row("TimeChat, one question", (65.0, 51.11, 1.15, 2.26), ZERO_SHOT, NOT_COMPARABLE),
    _row("TimeChat, seven questions", (43.5, 34.38, 69.7, 46.1), ZERO_SHOT, NOT_COMPARABLE),
    _row("Omnivore, MLP", (59.76, 45.31, 58.09, 50.91, 63.03), SUPERVISED, TRAINED),
    _row("Omnivore, transformer", (62.3, 46.55, 33.61, 39.04, 62.27), SUPERVISED, TRAINED),
)
