"""Positions of the marks in a page's charts; the templates draw them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.analytics.tables.strips import Axis, Mark
from benchmarks.engine.task import Curve

# Of a drawing, in units of its view box.
CURVE_WIDTH, CURVE_HEIGHT, CURVE_MARGIN = 520, 220, 34
TICKS = 5


@dataclass(frozen=True, slots=True)
class Estimate:
    """A participant's figure: `value` with the ends of its interval, if any."""

    label: str
    kind: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Forest:
    """A forest plot: one row per estimate with its mark; `ticks` are (position, label)."""

    title: str
    estimates: tuple[Estimate, ...]
    marks: tuple[Mark, ...]
    ticks: tuple[tuple[float, str], ...]

    @property
    def rows(self) -> list[tuple[Estimate, Mark]]:
        return list(zip(self.estimates, self.marks, strict=True))


def forest(estimates: Sequence[Estimate], title: str = "") -> Forest | None:
    """The axis runs from 0 to 1, and further where figures do; None without estimates."""
    if not estimates:
        return None
    ends = [end for row in estimates for end in (row.value, row.low, row.high) if end is not None]
    low, high = min(*ends, 0.0), max(*ends, 1.0)
    ticks = np.linspace(low, high, TICKS).tolist()
    axis = Axis(low, high, tuple(ticks))
    return Forest(
        title,
        tuple(estimates),
        tuple(axis.mark(estimate.value, estimate.low, estimate.high) for estimate in estimates),
        tuple((axis.place(tick), f"{tick:.2f}") for tick in ticks),
    )


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line of a curve: its points as in SVG, its name, and the position of the name."""

    name: str
    points: str
    name_x: float
    name_y: float


@dataclass(frozen=True, slots=True)
class DrawnCurve:
    """Lines over thresholds with the ticks of both axes, and the same numbers as table rows."""

    lines: tuple[ChartLine, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    width: int = CURVE_WIDTH
    height: int = CURVE_HEIGHT


def drawn_curve(curve: Curve) -> DrawnCurve:
    low, high = min(curve.thresholds), max(curve.thresholds)
    reach = (high - low) or 1.0
    room_x, room_y = CURVE_WIDTH - 2 * CURVE_MARGIN, CURVE_HEIGHT - 2 * CURVE_MARGIN

    def x_of(threshold: float) -> float:
        return round(CURVE_MARGIN + room_x * (threshold - low) / reach, 1)

    def y_of(value: float) -> float:
        return round(CURVE_HEIGHT - CURVE_MARGIN - room_y * value, 1)

    lines = []
    for number, (name, values) in enumerate(curve.lines.items(), start=1):
        placed = [
            (x_of(threshold), y_of(value))
            for threshold, value in zip(curve.thresholds, values, strict=True)
            if value is not None
        ]
        if placed:
            points = " ".join(f"{x},{y}" for x, y in placed)
            # Names are spread along the x axis, each on its own line, so that they do not overlap.
            name_x = CURVE_MARGIN + room_x * number / (len(curve.lines) + 1)
            name_y = np.interp(name_x, *np.array(placed).T)
            lines.append(ChartLine(_title(name), points, round(name_x, 1), round(float(name_y), 1)))
    ticks = np.linspace(low, high, TICKS).tolist()
    # Scores may lie close together; enough decimals that no two ticks look the same.
    decimals = max(2, -math.floor(math.log10(reach / (TICKS - 1))))
    return DrawnCurve(
        lines=tuple(lines),
        x_ticks=tuple((x_of(one), f"{one:.{decimals}f}") for one in ticks),
        y_ticks=tuple((y_of(one), f"{one:.1f}") for one in (0.0, 0.5, 1.0)),
        heads=("Threshold", *map(_title, curve.lines)),
        rows=tuple(
            (f"{threshold:.4g}", *("–" if value is None else f"{value:.3f}" for value in values))
            for threshold, *values in zip(curve.thresholds, *curve.lines.values(), strict=True)
        ),
    )


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


@dataclass(frozen=True, slots=True)
class ChartPiece:
    """A bar on a timeline in percent of the timeline's length, with its label."""

    left: str
    width: str
    label: str
    kind: str
    top: str
    height: str


def piece(
    start_s: float,
    end_s: float,
    length_s: float,
    words: str,
    kind: str,
    *,
    top: str = "0",
    height: str = "10",
) -> ChartPiece:
    """A bar from `start_s` to `end_s`, clipped to the timeline and never too narrow to be seen."""
    left = min(start_s / length_s, 0.995)
    width = max(0.005, min(end_s / length_s, 1.0) - left)
    label = f"{words or 'asked'}, {start_s:.1f} to {end_s:.1f} s"
    return ChartPiece(f"{100 * left:.2f}", f"{100 * width:.2f}", label, kind, top, height)
