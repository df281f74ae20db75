"""What scores of decisions are worth: how they rank, and what a threshold chosen from them gives.

A threshold that is chosen on the points that it is judged by flatters itself: the winners of the
paper's challenge fell from .99 on their own footage to .49 on other. So it is also chosen on other
recordings than it is judged by. Letters: N points.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.measures.counts import YesNo, cluster_names
from benchmarks.engine.measures.decisions import curve
from benchmarks.engine.measures.guiding import decision_scores
from benchmarks.engine.task import Answered, Curve, Item

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

FOLDS = 5
SHOWN = {
    "interrupt_f1": "F1 of speaking", "silent_f1": "F1 of silence", "gmean_f1": "G-mean F1",
    "macro_f1": "Macro F1", "accuracy": "Accuracy",
}  # fmt: skip
COLUMNS = (
    Column("points", "Points"),
    Column("threshold", "Threshold", 3),
    *(Column(key, title, 3) for key, title in SHOWN.items()),
    Column("auc", "AUC", 3),
)
NOTES = (
    "Of the points with a score. AUC is the chance that a point at which to speak scores above one"
    " at which to be silent, ties one half. A threshold is the one with the highest G-mean F1;"
    f" “other recordings” are four of {FOLDS} parts of the recordings, each judged by the others’.",
)


def score_curve(items: Sequence[Item], answers: Sequence[Answered], yes: str) -> Curve | None:
    """Figures of answering `yes` from a score on, None without scores or with one truth alone."""
    return YesNo.of(items, answers, yes).curve()


def score_tables(items: Sequence[Item], answers: Sequence[Answered], yes: str) -> tuple[Table, ...]:
    """The table *Threshold*; none where no answer has a score or all points call for the same."""
    _, places = cluster_names(items)
    columns = YesNo.of(items, answers, yes)
    scored = ~np.isnan(columns.score)
    should, scores = columns.truth[scored] == 1, columns.score[scored]
    roc = curve(should, scores)
    if roc is None:
        return ()
    said = columns.predicted[scored] == 1
    best = best_threshold(should, scores)
    rows = [
        _row("as answered", should, said, {"auc": Cell(roc.area)}),
        _row("best on these points", should, scores >= best, {"threshold": Cell(best)}),
    ]
    decided = decided_by_others(should, scores, places[scored])
    if decided is not None:
        rows.append(_row("chosen on other recordings", should, decided, {}))
    groups = (RowGroup("", tuple(rows)),)
    return (Table("threshold", "Threshold", "Decisions", COLUMNS, groups, NOTES),)


def best_threshold(should: Bools, scores: Floats) -> float:
    """The score from which to speak for the highest G-mean F1; both classes are needed.

    >>> best_threshold(np.array([True, False, True]), np.array([0.9, 0.2, 0.4]))
    0.4
    """
    roc = curve(should, scores)
    if roc is None:
        raise ValueError("should is of one class; expected points of both")
    hits = roc.true_positive_rates * should.sum()
    alarms = roc.false_positive_rates * (~should).sum()
    wrong = alarms + should.sum() - hits
    quiet = (~should).sum() - alarms
    speaking, silence = 2 * hits / (2 * hits + wrong), 2 * quiet / (2 * quiet + wrong)
    return float(roc.thresholds[np.argmax(speaking * silence)])


def decided_by_others(should: Bools, scores: Floats, recordings: Ints) -> Bools | None:
    """Whether to speak at each point by a threshold of other recordings, (N,); None without any.

    `recordings` are numbers from 0 on; number modulo `FOLDS` is the part.
    """
    decided = np.zeros(len(scores), dtype=np.bool_)
    for own in _parts(recordings):
        others = should[~own]
        if not own.any():
            continue
        if others.all() or not others.any():
            return None
        decided[own] = scores[own] >= best_threshold(others, scores[~own])
    return decided


def _parts(recordings: Ints) -> Iterator[Bools]:
    for fold in range(FOLDS):
        yield recordings % FOLDS == fold


def _row(label: str, should: Bools, said: Bools, more: dict[str, Cell]) -> Row:
    kinds = np.array([should & said, ~should & said, should & ~said, ~should & ~said])
    found = decision_scores(np.append(kinds.sum(axis=1), [0, 0]).astype(np.float64))
    cells = {key: Cell(found[key]) for key in SHOWN}
    return Row(Cell(label), {"points": Cell(len(should)), **cells, **more}, is_compared=False)
