"""Curves over tolerances: the share of edges that two people set no further apart than that."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotation.analytics.pictures.canvas import (
    BLUE,
    FONT_SIZE,
    LINE,
    MUTED,
    PAGE_WIDTH,
    drawable,
    estimate_cell,
    panels_of,
)
from annotation.analytics.raters.raters import Estimate
from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table, shown_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS_PER_ROW = 3
PANEL_HEIGHT = 2.0


@dataclass(frozen=True, slots=True)
class ToleranceCurve:
    """One kind of edge: by tolerance in seconds, the smallest first, the share within it."""

    name: str
    points: Sequence[tuple[float, Estimate]]

    @property
    def known(self) -> list[tuple[float, Estimate]]:
        return [item for item in self.points if item[1].value is not None]


@dataclass(frozen=True, slots=True)
class ToleranceCurves:
    """A panel for each kind of edge, on the same scales; tolerances lie at equal distances."""

    title: str
    curves: Sequence[ToleranceCurve]

    @property
    def is_empty(self) -> bool:
        return not any(curve.known for curve in self.curves)

    @property
    def size(self) -> tuple[float, float]:
        rows = -(-len(self.curves) // PANELS_PER_ROW)
        return PAGE_WIDTH, PANEL_HEIGHT * max(rows, 1) + 0.3

    @property
    def alt(self) -> str:
        if self.is_empty:
            return "No edges are compared."
        parts = [
            f"{curve.name}: {100 * (first[1].value or 0):.0f}% within {first[0]:g} s,"
            f" {100 * (last[1].value or 0):.0f}% within {last[0]:g} s"
            for curve in self.curves
            if curve.known
            for first, last in [(curve.known[0], curve.known[-1])]
        ]
        return "; ".join(parts) + ". The table beside it has every value."

    def table(self) -> Table:
        tolerances = sorted({tolerance for curve in self.curves for tolerance, _ in curve.points})
        columns = tuple(
            Column(f"within_{tolerance:g}_s", f"{tolerance:g} s", 3, group="Share within")
            for tolerance in tolerances
        )
        rows = tuple(
            Row(
                Cell(curve.name),
                {f"within_{at:g}_s": estimate_cell(estimate) for at, estimate in curve.points},
            )
            for curve in self.curves
        )
        return Table("edges", self.title, "Edges", columns, (RowGroup("", rows),))

    def draw(self, figure: "Figure") -> None:
        panels = panels_of(figure, len(self.curves), per_row=PANELS_PER_ROW)
        for curve, axes in zip(self.curves, panels, strict=True):
            names = [shown_value(tolerance) for tolerance, _ in curve.points]
            axes.set_title(drawable(curve.name))
            axes.set_xticks(range(len(names)), names)
            line = []
            for place, (_, share) in enumerate(curve.points):
                if share.low is not None and share.high is not None:
                    axes.vlines(place, share.low, share.high, color=BLUE, linewidth=1.6)
                if share.value is not None:
                    line.append((place, share.value))
            if line:
                axes.plot(*zip(*line, strict=True), "o-", color=BLUE, markersize=3.5)
            axes.axhline(1, color=LINE, linewidth=0.8)
        panels[0].set_ylim(-0.03, 1.05)
        figure.supxlabel("Tolerance in seconds", fontsize=FONT_SIZE, color=MUTED)
        figure.supylabel("Share of edges, 95% interval", fontsize=FONT_SIZE, color=MUTED)
