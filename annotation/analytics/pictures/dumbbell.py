"""Before and after: alpha of each metric under two guidelines, with the interval of the change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotation.analytics.pictures.canvas import (
    BLUE,
    FONT_SIZE,
    INK,
    MUTED,
    PAGE_WIDTH,
    draw_alpha_bands,
    drawable_names,
    estimate_cell,
    interval_text,
    name_rows,
)
from annotation.analytics.raters.raters import Estimate
from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table, shown_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Change:
    """Alpha of one metric before and after, and by how much it changed."""

    metric: str
    before: float | None
    after: float | None
    difference: Estimate


@dataclass(frozen=True, slots=True)
class Dumbbell:
    """A row per metric: hollow is before, full is after."""

    title: str
    before_title: str
    after_title: str
    changes: Sequence[Change]
    note: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.changes

    @property
    def size(self) -> tuple[float, float]:
        return PAGE_WIDTH, 0.9 + 0.27 * len(self.changes)

    @property
    def alt(self) -> str:
        known = [item for item in self.changes if item.difference.value is not None]
        higher = sum((item.difference.value or 0.0) > 0 for item in known)
        sure = sum(
            item.difference.low is not None
            and item.difference.high is not None
            and not item.difference.low <= 0 <= item.difference.high
            for item in known
        )
        return (
            f"Alpha under {self.before_title} and under {self.after_title}: higher in {higher} of"
            f" {len(known)} metrics; the interval of the change leaves out 0 in {sure}."
            " The table beside it has every value."
        )

    def table(self) -> Table:
        columns = (
            Column("before", self.before_title, 3),
            Column("after", self.after_title, 3),
            Column("difference", "Change [95% interval]", 3),
        )
        rows = tuple(
            Row(
                Cell(item.metric),
                {
                    "before": Cell(item.before),
                    "after": Cell(item.after),
                    "difference": estimate_cell(item.difference),
                },
            )
            for item in self.changes
        )
        return Table(
            "before-after", self.title, "Metric", columns, (RowGroup("", rows),),
            notes=(self.note,) if self.note else (),
        )  # fmt: skip

    def draw(self, figure: "Figure") -> None:
        axes = figure.subplots()
        before_name, after_name = drawable_names([self.before_title, self.after_title], most=60)
        # The legend is taken from the first row that has both.
        told = (
            row for row, item in enumerate(self.changes) if None not in (item.before, item.after)
        )
        first = next(told, 0)
        for row, item in enumerate(self.changes):
            if item.before is not None and item.after is not None:
                axes.hlines(row, item.before, item.after, color=BLUE, linewidth=1.4)
            for value, filling, label in (
                (item.before, "white", before_name), (item.after, BLUE, after_name),
            ):  # fmt: skip
                if value is not None:
                    axes.plot(
                        value, row, "o", markersize=6, color=BLUE, markerfacecolor=filling,
                        label=label if row == first else None,
                    )  # fmt: skip
            axes.annotate(
                _change_text(item.difference), (1.02, row),
                xycoords=("axes fraction", "data"), va="center", fontsize=FONT_SIZE - 0.5,
                color=MUTED if item.difference.value is None else INK,
            )  # fmt: skip
        name_rows(axes, [item.metric for item in self.changes])
        draw_alpha_bands(axes)
        shown = [end for item in self.changes for end in (item.before, item.after) if end]
        axes.set_xlim(min(-0.03, *(end - 0.05 for end in (*shown, 0.0))), 1.03)
        axes.set_xlabel("Krippendorff’s α; right of it the change with its 95% interval")
        if axes.get_legend_handles_labels()[0]:
            figure.legend(loc="outside upper left", ncols=2, frameon=False)


def _change_text(change: Estimate) -> str:
    if change.value is None:
        return "no figure"
    sign = "" if change.value < 0 else "+"
    return f"{sign}{shown_value(change.value, 3)}{interval_text(change, 3)}"
