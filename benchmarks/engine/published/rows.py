"""Rows of papers' tables, from the `published.csv` beside a task."""

from functools import cache
from pathlib import Path

from annotation.engine.corpus.formats.csv_tables import read_csv_table
from annotation.engine.corpus.formats.errors import Faults
from benchmarks.engine.task import PublishedRow

# The other columns are measures, mostly in per cent as printed, empty where the paper has none.
WORDS = ("kind", "name", "source", "remark", "group", "value")


@cache
def published_rows(
    task_file: str, warning: str, kind: str = "", whole: float = 100
) -> tuple[PublishedRow, ...]:
    """The rows beside a task's file, all or those of a `kind`; a row's remark follows `warning`.

    The columns `group` and `value` are the breakdown that a row is over; a figure that is printed
    as `whole` is 1 here.
    """
    path = Path(task_file).with_name("published.csv")
    faults = Faults(path.name)
    _, rows = read_csv_table(path, faults)
    published = []
    for row in rows:
        measures = dict(row.cells)
        words = {name: measures.pop(name, "") for name in WORDS}
        if kind in ("", words["kind"]):
            published.append(
                PublishedRow(
                    words["name"],
                    {measure: float(cell) / whole for measure, cell in measures.items() if cell},
                    words["source"],
                    "; ".join(filter(None, (warning, words["remark"]))),
                    group=(words["group"], words["value"]),
                )
            )
    faults.raise_if_any()
    return tuple(published)
