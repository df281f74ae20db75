"""How large an item set has to be, from the intervals of a participant's stored figures."""

import math
from collections.abc import Iterable, Sequence

from django.db.models import Count

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.planned_sizes import (
    Assumed,
    assumed_recordings,
    design_effect,
    planned_size,
)
from benchmarks.engine.task import Task
from benchmarks.models import Figure, ItemSet

WIDTHS = (0.2, 0.1, 0.05)
RATERS = (1, 2, 3, 5, 10)
MOST_RATERS = 1000
# Of shares of items alone it is known how wide the interval of independent ones would be.
SHARE = "accuracy"
NOTE = (
    "Recordings are drawn anew for intervals, since items of one recording are not independent; an"
    " interval narrows with the root of their number, as long as further recordings are like these."
    " The design effect is how many times as many items that takes as independent ones would."
)


def planned_sizes(
    figures: Iterable[Figure], task: Task, widths: Sequence[float] = WIDTHS
) -> Table | None:
    """Recordings and items for intervals of these widths, by measure, of a participant's figures.

    None where no figure over all items has an interval.
    """
    titles = {measure.key: measure.title for measure in task.measures}
    rows = []
    for figure in figures:
        if figure.group or figure.low is None or figure.high is None or not figure.recording_count:
            continue
        low, high, value = figure.low, figure.high, figure.value or 0.0
        if high <= low:
            continue
        cells = {
            "now": Cell(high - low),
            "recordings": Cell(figure.recording_count),
            "items": Cell(figure.item_count),
        }
        if figure.measure == SHARE:
            effect = design_effect(share=value, low=low, high=high, items=figure.item_count)
            cells["design_effect"] = Cell(effect)
        for width in widths:
            size = planned_size(
                low=low, high=high, width=width,
                recordings=figure.recording_count, items=figure.item_count,
            )  # fmt: skip
            cells[f"recordings_{width:g}"] = Cell(size.recordings)
            cells[f"items_{width:g}"] = Cell(size.items)
        rows.append(Row(Cell(titles.get(figure.measure, figure.measure)), cells))
    if not rows:
        return None
    columns = (
        Column("now", "Width", 3, group="Now"),
        Column("recordings", "Recordings", 0, group="Now"),
        Column("items", "Items", 0, group="Now"),
        Column("design_effect", "Design effect", 2, group="Now"),
        *_planned_columns(widths),
    )
    title = "Recordings and items for an interval of 95% of a wanted width"
    return Table("sizes", title, "Measure", columns, (RowGroup("", tuple(rows)),), notes=(NOTE,))


def _planned_columns(widths: Sequence[float]) -> list[Column]:
    return [
        Column(f"{what}_{width:g}", what.capitalize(), 0, group=f"For a width of {width:g}")
        for width in widths
        for what in ("recordings", "items")
    ]


TOO_FEW = "So many people differ too much for an interval that narrow, whatever they answer."
ASSUMED_NOTE = (
    "Of an accuracy of {share:g} and {items:.3g} items in a recording; correlations of"
    " {recording:g} within a recording, {item:g} of people on an item, {rater:g} of one person’s"
    " answers. Each person answers every item. A pilot tells more than an assumption."
)


def items_per_recording(item_set: ItemSet) -> float:
    """How many items a recording of a set has on average (1 query)."""
    found = item_set.items.order_by().aggregate(
        items=Count("pk"), recordings=Count("recording", distinct=True)
    )
    return found["items"] / found["recordings"] if found["recordings"] else 1.0


def assumed_sizes(
    assumed: Assumed,
    per_recording: float,
    *,
    raters: Sequence[int] = RATERS,
    widths: Sequence[float] = WIDTHS,
) -> Table:
    """Recordings and items for intervals of these widths, by how many answer each item."""
    rows = []
    for count in raters:
        cells = {}
        for width in widths:
            found = assumed_recordings(
                assumed, items_per_recording=per_recording, width=width, raters=count
            )
            if found is None:
                cells[f"recordings_{width:g}"] = Cell(notes=(TOO_FEW,))
                continue
            cells[f"recordings_{width:g}"] = Cell(found)
            cells[f"items_{width:g}"] = Cell(math.ceil(round(found * per_recording, 6)))
        rows.append(Row(Cell(count), cells))
    note = ASSUMED_NOTE.format(
        share=assumed.share, items=per_recording, recording=assumed.recording,
        item=assumed.item, rater=assumed.rater,
    )  # fmt: skip
    title = "Recordings and items for an interval of 95%, by how many answer each item"
    columns = tuple(_planned_columns(widths))
    return Table(
        "sizes", title, "Answer each", columns, (RowGroup("", tuple(rows)),), notes=(note,)
    )
