"""Distribution: which share of the answers each value got, per metric and data set."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from annotation.analytics.pictures.canvas import (
    FONT_SIZE,
    INK,
    MUTED,
    PAGE_WIDTH,
    count_beside,
    drawable,
    name_rows,
    panels_of,
)
from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS_PER_ROW = 2
# From light to dark, so that it also reads in grey; the value stands in its part of the bar.
SHADES = ("#e8eefc", "#c3d2f6", "#94b0ee", "#6389e0", "#2f5bd7", "#1f3f9c")
LIGHT_SHADES = 3
# Of the bar's length, for each letter: a part that is narrower has no room for its value.
LETTER_SHARE = 0.024


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """How often each value of a metric was given in one data set, in the order of the scale."""

    metric: str
    dataset: str
    values: Sequence[str]
    counts: Sequence[int]

    @property
    def total(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Distribution:
    """A panel per metric, a bar per data set."""

    title: str
    items: Sequence[AnswerCounts]

    @property
    def metrics(self) -> list[str]:
        return list(dict.fromkeys(item.metric for item in self.items))

    @property
    def datasets(self) -> list[str]:
        return list(dict.fromkeys(item.dataset for item in self.items))

    @property
    def is_empty(self) -> bool:
        return not any(item.total for item in self.items)

    @property
    def size(self) -> tuple[float, float]:
        panels = ceil(len(self.metrics) / PANELS_PER_ROW)
        return PAGE_WIDTH, panels * (0.5 + 0.26 * len(self.datasets)) + 0.4

    @property
    def alt(self) -> str:
        return (
            f"Shares of the answers to {len(self.metrics)} metrics in {len(self.datasets)} data"
            f" sets, {sum(item.total for item in self.items):,} answers in all."
            " The table beside it has every count."
        )

    def table(self) -> Table:
        groups = []
        for metric in self.metrics:
            rows = [
                Row(
                    Cell(item.dataset),
                    {
                        "value": Cell(value),
                        "answers": Cell(count),
                        "share": Cell(100 * count / item.total),
                    },
                )
                for item in self.items
                if item.metric == metric and item.total
                for value, count in zip(item.values, item.counts, strict=True)
            ]
            groups.append(RowGroup(metric, tuple(rows)))
        return Table(
            key="distribution",
            title=self.title,
            label_title="Dataset",
            columns=(
                Column("value", "Value"),
                Column("answers", "Answers"),
                Column("share", "Share (%)", 1),
            ),
            groups=tuple(groups),
        )

    def draw(self, figure: "Figure") -> None:
        metrics, datasets = self.metrics, self.datasets
        panels = panels_of(figure, len(metrics), per_row=PANELS_PER_ROW)
        by_place = {(item.metric, item.dataset): item for item in self.items}
        for metric, axes in zip(metrics, panels, strict=True):
            axes.set_title(drawable(metric))
            for row, dataset in enumerate(datasets):
                _draw_bar(axes, row, by_place.get((metric, dataset)))
            axes.tick_params(axis="y", length=0)
            axes.spines[:].set_visible(False)
            axes.set_xlim(0, 1)
            axes.set_xticks([])
        name_rows(panels[0], datasets)
        figure.supxlabel(
            "Share of the answers; right of it n, the answers", fontsize=FONT_SIZE, color=MUTED
        )


def _draw_bar(axes: "Axes", row: int, item: AnswerCounts | None) -> None:
    total = item.total if item is not None else 0
    count_beside(axes, row, total or None)
    if item is None or not total:
        return
    shares = np.array(item.counts) / total
    starts = np.cumsum(shares) - shares
    # Few values take shades that are far apart.
    places = np.linspace(0, len(SHADES) - 1, len(shares)).round().astype(int)
    for value, share, start, place in zip(item.values, shares, starts, places, strict=True):
        axes.barh(
            row, share, left=start, height=0.72, color=SHADES[place], edgecolor="white",
            linewidth=0.6,
        )  # fmt: skip
        if share >= LETTER_SHARE * (len(value) + 1):
            axes.text(
                start + share / 2, row, drawable(value), ha="center", va="center",
                fontsize=FONT_SIZE - 1.5, color=INK if place < LIGHT_SHADES else "white",
            )  # fmt: skip
