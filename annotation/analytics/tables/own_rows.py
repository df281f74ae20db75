"""One's own data set as a row of the paper's tables: its name, its cells, and what they are of."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from annotation.analytics.agreement.intervals import Interval, Method
from annotation.analytics.agreement.report import ReportRow
from annotation.analytics.tables.table import Cell
from annotation.engine.counting import counted
from annotation.engine.rubric.rubric import Metric

BIAS_CORRECTED = "Bias-corrected percentiles, because resampling shifts the figure."


@dataclass(frozen=True, slots=True)
class OwnScale:
    """How much there is to rate in one data set.

    `mistake_steps` counts rows of traces as the paper does: each that stands for a mistake or a
    correction, both halves of a swap. `mistakes` and `corrections` count what is rated.
    """

    videos: int
    total_steps: int
    mistake_steps: int
    mistakes: int
    corrections: int


@dataclass(frozen=True, slots=True)
class OwnFigures:
    """One's own data set in one set of ratings; `basis` says which they are (round, guideline)."""

    name: str
    basis: str
    rows: Mapping[Metric, ReportRow]
    scale: OwnScale

    @property
    def is_incomplete(self) -> bool:
        """Whether no metric has the answers that it takes to be compared."""
        return all(row.is_incomplete for row in self.rows.values())

    @property
    def complete_part(self) -> "OwnFigures":
        rows = {metric: row for metric, row in self.rows.items() if not row.is_incomplete}
        return replace(self, rows=rows)


def own_label(item: OwnFigures) -> Cell:
    """The name of one's own row; its footnote says of what ratings it is, and how many."""
    most = max(item.rows.values(), key=lambda row: row.ratings, default=None)
    if most is None or not most.ratings:
        return Cell(item.name, notes=(f"{item.basis}; nobody has rated yet.",))
    per_unit = most.ratings / most.units
    note = (
        f"{item.basis}; {counted(most.raters, 'rater')}, {per_unit:.2f} per event on average over"
        f" {counted(most.units, 'event')}."
    )
    return Cell(item.name, notes=(note, *((_answered(most),) if item.is_incomplete else ())))


def _answered(row: ReportRow) -> str:
    """How many of the planned answers there are, and of how many people."""
    return (
        f"{row.ratings + row.unjudged:,} of {counted(row.planned, 'planned answer')} to a metric,"
        f" {counted(row.raters, 'rater')}: too few to compare."
    )


def left_out_note(item: OwnFigures) -> str:
    most = max(item.rows.values(), key=lambda row: row.coverage, default=None)
    why = "nothing was planned." if most is None else _answered(most)
    return f"Left out: {item.name}. {why[0].upper()}{why[1:]}"


def own_cell(
    row: ReportRow,
    value: float | None,
    interval: Interval | None,
    item: OwnFigures,
    has_incomplete: bool,
) -> Cell:
    """The value with its interval; where there is none of them, a footnote says why.

    Of a metric with too few answers the value is shown only with `has_incomplete`, and is not
    compared. Where that holds for the whole row, its label says so.
    """
    if value is None:
        return Cell(notes=_footnote(row.reason))
    told = (row.basis.words_told,) if row.step_words else ()
    is_alone = row.is_incomplete and not item.is_incomplete
    if is_alone and not has_incomplete:
        return Cell(notes=(_answered(row),))
    few = (*((_answered(row),) if is_alone else ()), *told)
    if interval is None:
        return Cell(value, notes=few, is_compared=not row.is_incomplete)
    notes = _footnote(interval.reason)
    if interval.method is Method.BIAS_CORRECTED:
        notes = (BIAS_CORRECTED,)
    return Cell(value, interval.low, interval.high, (*notes, *few), not row.is_incomplete)


def _footnote(reason: str) -> tuple[str, ...]:
    return (f"{reason[0].upper()}{reason[1:]}.",) if reason else ()
