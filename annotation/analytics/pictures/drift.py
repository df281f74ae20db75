"""Drift: how much higher or lower a rater answers than the others, from first answers to last."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from annotation.analytics.pictures.canvas import (
    BLUE,
    FONT_SIZE,
    LINE,
    MUTED,
    PAGE_WIDTH,
    drawable_names,
    estimate_cell,
    interval_text,
    panels_of,
)
from annotation.analytics.raters.raters import Estimate
from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table, shown_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS_PER_ROW = 4
FIFTHS = 5
# Half the height of a panel, in points of the scale, unless somebody is further away.
LEAST_REACH = 1.0


@dataclass(frozen=True, slots=True)
class RaterDrift:
    """One rater's mean difference to the others in each fifth of their own order of answering.

    `change` is how much it rises from the first answer to the last, with its interval.
    """

    rater: str
    fifths: Sequence[float | None]
    change: Estimate


@dataclass(frozen=True, slots=True)
class DriftLines:
    """A panel per rater, all of one height, so that nobody's line has to be found among others."""

    title: str
    raters: Sequence[RaterDrift]

    @property
    def is_empty(self) -> bool:
        return not self.raters

    @property
    def size(self) -> tuple[float, float]:
        return PAGE_WIDTH, 0.5 + 1.25 * ceil(len(self.raters) / PANELS_PER_ROW)

    @property
    def alt(self) -> str:
        changes = [item for item in self.raters if item.change.value is not None]
        if not changes:
            return "Nobody has given enough answers for a drift."
        most = max(changes, key=lambda item: abs(item.change.value or 0.0))
        return (
            f"Difference to the other raters by fifths of {len(self.raters)} raters’ own order;"
            f" {most.rater} changes most, by {shown_value(most.change.value, 2)}."
            " The table beside it has every value."
        )

    def table(self) -> Table:
        columns = (
            *(Column(f"fifth_{n}", str(n), 2, group="Fifth") for n in range(1, FIFTHS + 1)),
            Column("change", "Change [95% interval]", 2),
        )
        rows = []
        for item in self.raters:
            cells = {f"fifth_{n}": Cell(value) for n, value in enumerate(item.fifths, start=1)}
            cells["change"] = estimate_cell(item.change)
            rows.append(Row(Cell(item.rater), cells))
        return Table("drift", self.title, "Rater", columns, (RowGroup("", tuple(rows)),))

    def draw(self, figure: "Figure") -> None:
        panels = panels_of(figure, len(self.raters), per_row=PANELS_PER_ROW)
        reach = LEAST_REACH
        names = drawable_names([item.rater for item in self.raters], most=20)
        for item, name, axes in zip(self.raters, names, panels, strict=True):
            known = [(n, value) for n, value in enumerate(item.fifths, 1) if value is not None]
            axes.set_title(name)
            axes.axhline(0, color=LINE, linewidth=0.8)
            if known:
                axes.plot(*zip(*known, strict=True), "o-", color=BLUE, markersize=3.5)
            axes.annotate(
                _change_text(item.change), (0.5, 0.03), xycoords="axes fraction", ha="center",
                color=MUTED, fontsize=FONT_SIZE - 1.5,
            )  # fmt: skip
            reach = max(reach, *(abs(value) * 1.3 for _, value in known), 0.0)
        panels[0].set_ylim(-reach, reach)
        panels[0].set_xlim(0.7, FIFTHS + 0.3)
        panels[0].set_xticks(range(1, FIFTHS + 1))
        figure.supxlabel("Fifth of the rater’s own answers", fontsize=FONT_SIZE, color=MUTED)
        figure.supylabel("Difference to the others", fontsize=FONT_SIZE, color=MUTED)


def _change_text(change: Estimate) -> str:
    if change.value is None:
        return "no line"
    return f"change {shown_value(change.value, 2)}{interval_text(change, 2)}"
