"""Heat map: one number per pair of names, as of raters who met, or of two raters' answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from annotation.analytics.pictures.canvas import FONT_SIZE, INK, MUTED, drawable_names
from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table, shown_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Of the range of colours: on what is darker, white text is read more easily.
DARK_SHARE = 0.55


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Rows by columns of values; None is drawn white, with a dash.

    Colours go from `lowest` to `highest`; a value beyond has the colour of that end, and its number
    stands in the field. `what` says in a word what the numbers are.
    """

    title: str
    what: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | int | None]]
    lowest: float
    highest: float
    decimals: int | None = 2
    row_title: str = "Rater"
    column_title: str = "Rater"

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.values}
        if len(self.values) != len(self.rows) or widths - {len(self.columns)}:
            raise ValueError(
                f"values are {len(self.values)} rows of {sorted(widths)}; expected"
                f" {len(self.rows)} rows of {len(self.columns)}"
            )

    @property
    def is_empty(self) -> bool:
        return not self.rows or not self.columns

    @property
    def size(self) -> tuple[float, float]:
        return 2.2 + 0.5 * len(self.columns), 1.3 + 0.34 * len(self.rows)

    @property
    def alt(self) -> str:
        known = [value for row in self.values for value in row if value is not None]
        if not known:
            return f"{self.what}: there is no value yet."
        low, high = (shown_value(end, self.decimals) for end in (min(known), max(known)))
        return (
            f"{self.what} of {len(self.rows)} by {len(self.columns)}, from {low} to {high}."
            " The table beside it has every value."
        )

    def table(self) -> Table:
        # Two people may have the same name; columns are told apart by their places.
        columns = tuple(
            Column(f"column_{place}", name, self.decimals)
            for place, name in enumerate(self.columns, start=1)
        )
        rows = tuple(
            Row(
                Cell(name),
                {column.key: Cell(value) for column, value in zip(columns, values, strict=True)},
            )
            for name, values in zip(self.rows, self.values, strict=True)
        )
        return Table("heat-map", self.title, self.row_title, columns, (RowGroup("", rows),))

    def draw(self, figure: "Figure") -> None:
        axes = figure.subplots()
        filled = np.array(
            [[np.nan if value is None else value for value in row] for row in self.values],
            dtype=np.float64,
        )
        axes.pcolormesh(
            np.ma.masked_invalid(filled), cmap="Blues", vmin=self.lowest,
            vmax=self.highest if self.highest > self.lowest else self.lowest + 1,
            edgecolors="white", linewidth=1.5,
        )  # fmt: skip
        span = (self.highest - self.lowest) or 1
        for row, values in enumerate(self.values):
            for column, value in enumerate(values):
                is_dark = value is not None and (value - self.lowest) / span > DARK_SHARE
                axes.text(
                    column + 0.5, row + 0.5, shown_value(value, self.decimals),
                    ha="center", va="center", fontsize=FONT_SIZE - 0.5,
                    color="white" if is_dark else MUTED if value is None else INK,
                )  # fmt: skip
        # Fields reach from one whole number to the next, names stand in their middle.
        axes.set_yticks(np.arange(len(self.rows)) + 0.5, drawable_names(self.rows))
        axes.set_ylim(len(self.rows), 0)
        axes.set_xticks(
            np.arange(len(self.columns)) + 0.5,
            drawable_names(self.columns, most=16),
            rotation=40, ha="left", rotation_mode="anchor",
        )  # fmt: skip
        axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
        axes.spines[:].set_visible(False)
        axes.set_ylabel(self.row_title)
        axes.set_xlabel(f"{self.column_title} · {self.what}", color=MUTED)
