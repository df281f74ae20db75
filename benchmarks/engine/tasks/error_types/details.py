"""Tables about one participant: both countings by both readers, each class, and the confusions."""

import math
from collections.abc import Sequence

from annotation.analytics.agreement.proportions import wilson_interval
from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.error_classes import OPTIONS
from benchmarks.engine.measures import error_types
from benchmarks.engine.measures.error_types import FIGURES

COUNTS = ("TP", "FP, another class", "FP, correct step", "TN", "FN", "No reply")
SHOWN = ("accuracy", "precision", "recall", "f1", "typed_recall", "specificity")
WILSON = "The interval of accuracy is Wilson's, as if steps were independent."
ANY_RIGHT = (
    "A step with several classes is a hit in the one that was named, and says nothing of the"
    " others; in the confusions it counts as a share in each."
)


def details(
    rows: Sequence[error_types.Row], published: Sequence[error_types.Row] | None
) -> tuple[Table, ...]:
    """`published` are the same rows as the published reader reads them, None for letters."""
    readings = {"as read here": rows}
    if published is not None:
        readings["as the published reader reads"] = published
    corrected = [error_types.without_corrections(row) for row in rows]
    readings["corrections taken as correct"] = corrected
    counted = tuple(_counted(name, own) for name, own in readings.items())
    columns = (
        *(Column(name, name) for name in COUNTS),
        *(Column(name, name.replace("_", " ").capitalize(), 3) for name in SHOWN),
    )
    return (
        Table("counts", "Counts", "Answers", columns, (RowGroup("", counted),), (WILSON,)),
        _by_class(rows),
        _confusion(rows),
    )


def _value(number: float) -> Cell:
    return Cell(None if math.isnan(number) else number)


def _counted(name: str, rows: Sequence[error_types.Row]) -> Row:
    counts = error_types.counts_of(rows)
    *kinds, to_error, to_correct = map(int, counts[0])
    cells = {
        title: Cell(count)
        for title, count in zip(COUNTS, (*kinds, to_error + to_correct), strict=True)
    }
    cells |= {key: _value(FIGURES[key](counts)[0]) for key in SHOWN}
    right = kinds[error_types.TP] + kinds[error_types.TN]
    if interval := wilson_interval(right, len(rows)):
        cells["accuracy"] = Cell(right / len(rows), *interval)
    return Row(Cell(name), cells, is_compared=False)


def _by_class(rows: Sequence[error_types.Row]) -> Table:
    by_class = error_types.per_class(rows)
    columns = (
        Column("support", "Steps"), Column("tp", "Hits"), Column("fp", "False alarms"),
        Column("fn", "Misses"), Column("precision", "Precision", 3), Column("recall", "Recall", 3),
        Column("f1", "F1", 3),
    )  # fmt: skip
    shown = [
        Row(Cell(name), {key: _value(value) for key, value in row.items()}, is_compared=False)
        for name, row in by_class.items()
    ]
    macro = Row(Cell("mean"), {"f1": _value(error_types.macro_f1(by_class))}, is_compared=False)
    groups = (RowGroup("", (*shown, macro)),)
    return Table("classes", "Each class", "Class", columns, groups, (ANY_RIGHT,))


def _confusion(rows: Sequence[error_types.Row]) -> Table:
    answers = (*OPTIONS, error_types.UNREAD, error_types.NO_REPLY)
    columns = tuple(Column(name, name, 1) for name in answers)
    shown = tuple(
        Row(
            Cell(name),
            {answer: Cell(own.get(answer, 0.0)) for answer in answers},
            is_compared=False,
        )
        for name, own in error_types.confusion(rows).items()
    )
    return Table("confusions", "Confusions", "Class", columns, (RowGroup("", shown),))
