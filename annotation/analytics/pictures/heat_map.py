"""Heat map: one number per pair of names, as of raters who met, or of two raters' answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from annotation.analytics.pictures.canvas import (
    FONT_SIZE,
    INK,
    LINE,
    MUTED,
    drawable,
    drawable_names,
)
from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table, shown_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Titles of the two sides may be names of people.
TITLE_CHARACTERS = 60
# Of the range of colours: on what is darker, white text is read more easily.
DARK_SHARE = 0.55
# With more rows or columns, numbers in the fields would make a page too wide to be read.
MOST_NUMBERED = 30
# Names of rows and columns in such a picture, as many as have room.
MOST_NAMES = 25
COLUMN_CHARACTERS = 16
# Inches of a large picture: a letter, the title of an axis, names of columns that lean. Names of
# rows take at most a share of its width.
CHARACTER_WIDTH, ROOM_FOR_TITLE, ROOM_FOR_COLUMNS = 0.068, 0.45, 0.95
MOST_LEFT = 0.4


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Rows by columns of values; None is drawn white, with a dash.

    Colours go from `lowest` to `highest`; a value beyond has the colour of that end, and its number
    stands in the field. `what` says in a word what the numbers are. Beyond `MOST_NUMBERED` rows or
    columns there are colours only, with their scale (grey is None), and the table has the numbers.
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
    def has_numbers(self) -> bool:
        return max(len(self.rows), len(self.columns)) <= MOST_NUMBERED

    @property
    def size(self) -> tuple[float, float]:
        if not self.has_numbers:
            return 8.5, 7.0
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
        step = 1 if self.has_numbers else -(-len(self.rows) // MOST_NAMES)
        rows = drawable_names(self.rows[::step])
        places = np.arange(0, len(self.rows), step) + 0.5
        filled = np.array(
            [[np.nan if value is None else value for value in row] for row in self.values],
            dtype=np.float64,
        )
        highest = self.highest if self.highest > self.lowest else self.lowest + 1
        if self.has_numbers:
            axes.pcolormesh(
                np.ma.masked_invalid(filled), cmap="Blues", vmin=self.lowest, vmax=highest,
                edgecolors="white", linewidth=1.5,
            )  # fmt: skip
            self._write_numbers(axes)
        else:
            self._leave_room(figure, max(map(len, rows)))
            axes.set_facecolor(LINE)
            corners = (0, len(self.columns), len(self.rows), 0)
            fields = axes.imshow(
                filled, cmap="Blues", vmin=self.lowest, vmax=highest, extent=corners,
                aspect="auto", interpolation="none",
            )  # fmt: skip
            figure.colorbar(fields, ax=axes, fraction=0.03, label=self.what)
        # Fields reach from one whole number to the next, names stand in their middle.
        axes.set_yticks(places, rows)
        axes.set_ylim(len(self.rows), 0)
        step = 1 if self.has_numbers else -(-len(self.columns) // MOST_NAMES)
        axes.set_xticks(
            np.arange(0, len(self.columns), step) + 0.5,
            drawable_names(self.columns[::step], most=COLUMN_CHARACTERS),
            rotation=40, ha="left", rotation_mode="anchor",
        )  # fmt: skip
        axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
        axes.spines[:].set_visible(False)
        axes.set_ylabel(drawable(self.row_title, most=TITLE_CHARACTERS))
        below = drawable(self.column_title, most=TITLE_CHARACTERS)
        axes.set_xlabel(f"{below} · {self.what}", color=MUTED)

    def _leave_room(self, figure: "Figure", longest: int) -> None:
        """Set the margins by the length of names: measuring them takes as long as all the rest."""
        width, height = self.size
        figure.set_layout_engine(None)
        figure.subplots_adjust(
            left=min((ROOM_FOR_TITLE + longest * CHARACTER_WIDTH) / width, MOST_LEFT),
            right=1 - ROOM_FOR_TITLE / width,
            bottom=ROOM_FOR_TITLE / height,
            top=1 - ROOM_FOR_COLUMNS / height,
        )

    def _write_numbers(self, axes: "Axes") -> None:
        span = (self.highest - self.lowest) or 1
        for row, values in enumerate(self.values):
            for column, value in enumerate(values):
                is_dark = value is not None and (value - self.lowest) / span > DARK_SHARE
                axes.text(
                    column + 0.5, row + 0.5, shown_value(value, self.decimals),
                    ha="center", va="center", fontsize=FONT_SIZE - 0.5,
                    color="white" if is_dark else MUTED if value is None else INK,
                )  # fmt: skip
