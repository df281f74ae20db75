"""Forest plot: alpha of every metric and data set, with its interval and n."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING

from annotation.analytics.pictures.canvas import (
    FONT_SIZE,
    MUTED,
    PAGE_WIDTH,
    count_beside,
    draw_alpha_bands,
    drawable,
    estimate_cell,
    mark_estimates,
    name_rows,
    panels_of,
)
from annotation.analytics.raters.raters import Estimate
from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS_PER_ROW = 3
# As many have room in a line below the panels.
LINE_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class ForestMark:
    """One alpha: of which metric and data set, and how many units (events or traces) it is of."""

    metric: str
    dataset: str
    alpha: Estimate
    units: int | None = None


@dataclass(frozen=True, slots=True)
class ForestPlot:
    """A panel per metric, a row per data set. A mark without an interval is hollow."""

    title: str
    marks: Sequence[ForestMark]
    note: str = ""
    # What raters saw who answered Taxonomy Fit.
    told: str = ""

    @property
    def metrics(self) -> list[str]:
        return list(dict.fromkeys(mark.metric for mark in self.marks))

    @property
    def datasets(self) -> list[str]:
        return list(dict.fromkeys(mark.dataset for mark in self.marks))

    @property
    def is_empty(self) -> bool:
        return all(mark.alpha.value is None for mark in self.marks)

    @property
    def told_lines(self) -> list[str]:
        return wrap(self.told, LINE_CHARACTERS)

    @property
    def size(self) -> tuple[float, float]:
        panels = ceil(len(self.metrics) / PANELS_PER_ROW)
        below = 0.3 + 0.15 * len(self.told_lines)
        return PAGE_WIDTH, panels * (0.65 + 0.19 * len(self.datasets)) + below

    @property
    def alt(self) -> str:
        known = [mark for mark in self.marks if mark.alpha.value is not None]
        if not known:
            return "No alpha is defined."
        low, high = (
            choose(known, key=lambda mark: mark.alpha.value or 0.0) for choose in (min, max)
        )
        ends = (f"{end.alpha.value:.3f} ({end.metric}, {end.dataset})" for end in (low, high))
        return (
            f"Krippendorff’s alpha of {len(self.metrics)} metrics in {len(self.datasets)} data"
            f" sets, from {' to '.join(ends)}. The table beside it has every value."
        )

    def table(self) -> Table:
        return Table(
            key="forest",
            title=self.title,
            label_title="Dataset",
            columns=(Column("alpha", "α [95% interval]", 3), Column("units", "Units")),
            groups=tuple(
                RowGroup(
                    metric,
                    tuple(
                        Row(
                            Cell(mark.dataset),
                            {"alpha": estimate_cell(mark.alpha), "units": Cell(mark.units)},
                        )
                        for mark in self.marks
                        if mark.metric == metric
                    ),
                )
                for metric in self.metrics
            ),
            notes=tuple(filter(None, (f"{self.note}." if self.note else "", self.told))),
        )

    def draw(self, figure: "Figure") -> None:
        metrics, datasets = self.metrics, self.datasets
        panels = panels_of(figure, len(metrics), per_row=PANELS_PER_ROW)
        by_place = {(mark.metric, mark.dataset): mark for mark in self.marks}
        lows = [mark.alpha.low or mark.alpha.value or 0.0 for mark in self.marks]
        for metric, axes in zip(metrics, panels, strict=True):
            found = [by_place.get((metric, dataset)) for dataset in datasets]
            mark_estimates(axes, [mark.alpha if mark else None for mark in found])
            axes.set_title(drawable(metric))
        draw_alpha_bands(axes)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        for row, mark in enumerate(found):
            count_beside(axes, row, mark.units if mark else None)
            axes.set_xlim(min(-0.05, min(lows) - 0.05), 1.03)
        name_rows(panels[0], datasets)
        explained = ("Krippendorff’s α with 95% interval", "right of it n, the units", self.note)
        figure.supxlabel(
            "\n".join(("; ".join(filter(None, explained)), *self.told_lines)),
            fontsize=FONT_SIZE,
            color=MUTED,
        )
