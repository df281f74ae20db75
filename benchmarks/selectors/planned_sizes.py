"""How large an item set has to be, from the intervals of a participant's stored figures."""

from collections.abc import Sequence

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.planned_sizes import design_effect, planned_size
from benchmarks.engine.task import Task
from benchmarks.models import Assessment

WIDTHS = (0.2, 0.1, 0.05)
# Of shares of items alone it is known how wide the interval of independent ones would be.
SHARE = "accuracy"
NOTE = (
    "Recordings are drawn anew for intervals, since items of one recording are not independent; an"
    " interval narrows with the root of their number, as long as further recordings are like these."
    " The design effect is how many times as many items that takes as independent ones would."
)


def planned_sizes(
    assessment: Assessment, task: Task, widths: Sequence[float] = WIDTHS
) -> Table | None:
    """Recordings and items for intervals of these widths, by measure (1 query).

    None where no figure has an interval.
    """
    titles = {measure.key: measure.title for measure in task.measures}
    found = assessment.figures.filter(group="", low__isnull=False, high__isnull=False)
    rows = []
    for figure in found.filter(recording_count__gt=0).order_by("pk"):
        low, high, value = figure.low or 0.0, figure.high or 0.0, figure.value or 0.0
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
    planned = (
        Column(f"{what}_{width:g}", what.capitalize(), 0, group=f"For a width of {width:g}")
        for width in widths
        for what in ("recordings", "items")
    )
    columns = (
        Column("now", "Width", 3, group="Now"),
        Column("recordings", "Recordings", 0, group="Now"),
        Column("items", "Items", 0, group="Now"),
        Column("design_effect", "Design effect", 2, group="Now"),
        *planned,
    )
    title = "Recordings and items for an interval of 95% of a wanted width"
    return Table("sizes", title, "Measure", columns, (RowGroup("", tuple(rows)),), notes=(NOTE,))
