"""Whether a model finds steps as well where people made mistakes (CaptainCook4D, Table 5)."""

from collections.abc import Sequence

import numpy as np

from annotation.analytics.table import Cell, Column, Row, RowGroup, Table
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
    """Figures of recordings without and with errors: against their own truth, and against all."""
    read = [row for row, answer in enumerate(answers) if answer.value is not None]
    truth = [items[row].truth["intervals"] for row in read]
    said = [(answers[row].value or {})["intervals"] for row in read]
    once_each = np.ones((1, len(read)))

    def row(label: str, wanted: Sequence[bool], *, own: bool) -> Row:
        pairs = list(zip(truth, wanted, strict=True))
        right = [rows if is_in or not own else [] for rows, is_in in pairs]
        found = [rows if is_in else [] for rows, is_in in zip(said, wanted, strict=True)]
        figures = task.figures_of(right, found, items[0].choices, lambda sums: sums)
        values = {key: float(figures[key](once_each)[0]) for key in ROBUST}
        cells = {key: Cell(None if np.isnan(one) else one) for key, one in values.items()}
        return Row(Cell(label), {"recordings": Cell(sum(wanted)), **cells})

    kinds = [items[row].groups["errors"] for row in read]
    if len(set(kinds)) < 2:
        return ()
    parts = {
        f"{told} {kind}": [one == kind for one in named]
        for told, named in (
            ("Recordings", kinds),
            ("By number, planned", [items[row].groups.get("planned", "") for row in read]),
        )
        for kind in sorted(set(named), reverse=True)
        if kind
    }
    groups = [RowGroup("", (row("All recordings", [True] * len(read), own=True),))]
    for title, own in (
        ("Each against its own truth", True),
        ("Each against the truth of all, as the released code counts (Table 5)", False),
    ):
        groups.append(
            RowGroup(title, tuple(row(name, wanted, own=own) for name, wanted in parts.items()))
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
