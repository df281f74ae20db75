"""Does a model find steps as well where people made mistakes? (CaptainCook4D, Table 5)"""

from collections.abc import Sequence

import numpy as np

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.labelled_intervals import IntervalsTask
from benchmarks.engine.task import Answered, Item

PRINTED = (0.1, 0.3, 0.5)
KS = (1, 5)
ROBUST = {
    **{f"map_{at:g}": f"mAP at {at:g}" for at in PRINTED},
    **{f"recall_{k}_{at:g}": f"R@{k} at {at:g}" for k in KS for at in PRINTED},
}


def robustness(
    task: IntervalsTask, items: Sequence[Item], answers: Sequence[Answered]
) -> tuple[Table, ...]:
    """Figures of recordings without and with errors, against their own truth and against all."""
    read = [row for row, answer in enumerate(answers) if answer.value is not None]
    truth = [items[row].truth["intervals"] for row in read]
    predictions = [(answers[row].value or {})["intervals"] for row in read]
    once_each = np.ones((1, len(read)))

    def row(label: str, chosen: Sequence[bool], *, own: bool) -> Row:
        pairs = list(zip(truth, chosen, strict=True))
        true = [rows if is_in or not own else [] for rows, is_in in pairs]
        predicted = [rows if is_in else [] for rows, is_in in zip(predictions, chosen, strict=True)]
        figures = task.figures_of(true, predicted, items[0].choices, lambda sums: sums)
        values = {key: float(figures[key](once_each)[0]) for key in ROBUST}
        cells = {key: Cell(None if np.isnan(value) else value) for key, value in values.items()}
        return Row(Cell(label), {"recordings": Cell(sum(chosen)), **cells})

    kinds = [items[row].groups["errors"] for row in read]
    if len(set(kinds)) < 2:
        return ()
    parts = {
        f"{prefix} {kind}": [value == kind for value in kind_by_row]
        for prefix, kind_by_row in (
            ("Recordings", kinds),
            ("By number, planned", [items[row].groups.get("planned", "") for row in read]),
        )
        for kind in sorted(set(kind_by_row), reverse=True)
        if kind
    }
    groups = [RowGroup("", (row("All recordings", [True] * len(read), own=True),))]
    for title, own in (
        ("Each against its own truth", True),
        ("Each against the truth of all, as the released code counts (Table 5)", False),
    ):
        groups.append(
            RowGroup(title, tuple(row(name, chosen, own=own) for name, chosen in parts.items()))
        )
    columns = (
        Column("recordings", "Recordings"),
        *(Column(key, title, 3) for key, title in ROBUST.items()),
    )
    notes = (
        "Against the truth of all, the recalls of the two kinds add up to those of all recordings:"
        " such a table says how many truths each kind has, not how robust a model is.",
    )
    return (Table("robustness", "Robustness", "Predictions of", columns, tuple(groups), notes),)
