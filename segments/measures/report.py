"""Figures of a round of segments as rows, the same for page, CSV, API and command."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf
from operator import attrgetter
from typing import Any

from annotation.engine.csv_cells import Cell
from segments.measures.figures import Summary

# Raise it when the same segments give other figures: a stored table says by which rules it is.
FIGURES_VERSION = 1


class Part(StrEnum):
    AGREEMENT = "agreement"
    CORRECTIONS = "corrections"
    ANSWERS = "answers"
    COVERAGE = "coverage"
    EFFORT = "effort"


class Split(StrEnum):
    """The recordings or people in a figure; `FigureRow.of` names them."""

    ALL = "all"
    SCENARIO = "scenario"
    PAIR = "pair"
    PERSON = "person"
    BEFORE = "before"
    AFTER = "after"
    CONTROLS = "controls"


class Revision(StrEnum):
    """Which revision of everybody's work figures are of."""

    FIRST = "as first submitted"
    REVIEWED = "after review"


@dataclass(frozen=True, slots=True)
class Measure:
    """How a figure is printed: a share in percent, others with their `unit`.

    `ends` are its least and greatest possible value; by default 0, and 1 for a share.
    """

    title: str
    unit: str = ""
    is_share: bool = False
    decimals: int = 3
    ends: tuple[float, float] | None = None

    def within(self, summary: Summary) -> Summary:
        """The summary without an interval that goes beyond possible values."""
        if summary.value is None:
            return summary
        least, most = self.ends or (0.0, 1.0 if self.is_share else inf)
        shown = summary.interval.shown_within(summary.value, least, most)
        return replace(summary, interval=shown)

    def printed(self, value: float) -> str:
        if self.is_share:
            return f"{100 * value:.1f}%"
        if self.unit:
            return f"{value:.2f} {self.unit}"
        return f"{value:.{self.decimals}f}"


OF_ONE, OF_KAPPA, ANY = (0.0, 1.0), (-1.0, 1.0), (-inf, inf)


def _edge_measures(name: str, words: str) -> dict[str, Measure]:
    within = {
        f"{name}_within_{tolerance}_s": Measure(f"{words} within {tolerance} s", is_share=True)
        for tolerance in ("0.1", "0.5", "1", "2")
    }
    return {
        f"{name}_bias_s": Measure(f"{words}: bias (median of second minus first)", "s", ends=ANY),
        f"{name}_median_s": Measure(f"{words}: median distance", "s"),
        f"{name}_p90_s": Measure(f"{words}: nine in ten are nearer than", "s"),
        **within,
    }


MEASURES: dict[str, Measure] = {
    "tiou_strict": Measure("tIoU, a label that one side lacks counts 0", ends=OF_ONE),
    "tiou_common": Measure("tIoU of labels that both have", ends=OF_ONE),
    "f1@0.10": Measure("F1@.10", ends=OF_ONE),
    "f1@0.25": Measure("F1@.25", ends=OF_ONE),
    "f1@0.50": Measure("F1@.50", ends=OF_ONE),
    "f1@0.75": Measure("F1@.75", ends=OF_ONE),
    "edit": Measure("Edit score, 0 to 100", decimals=1, ends=(0.0, 100.0)),
    "label_kappa": Measure("κ of labels, of segments at the same time", ends=OF_KAPPA),
    "mistake_kappa": Measure("κ of mistakes, of segments at the same time", ends=OF_KAPPA),
    "time_kappa": Measure("κ over time", ends=OF_KAPPA),
    **_edge_measures("start", "Starts"),
    **_edge_measures("end", "Ends"),
    **_edge_measures("onset", "Onsets"),
    "onset_paired": Measure("Onsets that both have", is_share=True),
    "missing_same": Measure("Steps said to be missing by both, of those by either", is_share=True),
    "repeated_same": Measure("Steps repeated for both, of those for either", is_share=True),
    "text_same": Measure("Descriptions that are the same", is_share=True),
    "text_token_f1": Measure("Descriptions: F1 of words", ends=OF_ONE),
    "text_character_f1": Measure("Descriptions: F1 of runs of letters", ends=OF_ONE),
    "coverage_first": Measure("Covered by the first", is_share=True),
    "coverage_second": Measure("Covered by the second", is_share=True),
    "untouched_share": Measure("Edges left where they were", is_share=True),
    "median_s": Measure("Edges were moved by: median of all", "s"),
    "p90_s": Measure("Edges were moved by: nine in ten less than", "s"),
    "median_of_moved_s": Measure("Edges were moved by: median of those moved", "s"),
    "inserted_share": Measure("Segments inserted", is_share=True),
    "deleted_share": Measure("Segments deleted", is_share=True),
    "step_share": Measure("Segments given another step", is_share=True),
    "label_share": Measure("Segments given another label", is_share=True),
    "text_share": Measure("Texts edited", is_share=True),
    "no_any": Measure("Segments with a “no”", is_share=True),
    "covered_share": Measure("Time covered", is_share=True),
    "gap_share": Measure("Time in gaps", is_share=True),
    "overlap_share": Measure("Time covered more than once", is_share=True, ends=(0.0, inf)),
    "missing_per_recording": Measure("Missing steps per recording", decimals=1),
    "repeated_per_recording": Measure("Repeated steps per recording", decimals=1),
    "seconds_per_segment": Measure("At work per segment", "s"),
    "seconds_per_recorded_minute": Measure("At work per recorded minute", "s"),
    "gestures_per_segment": Measure("Gestures per segment", decimals=1),
    "watched_share": Measure("Of the recording watched", is_share=True),
}


def measure_of(name: str) -> Measure:
    """How a figure is printed; titles for slots and questions are made from their names."""
    if name in MEASURES:
        return MEASURES[name]
    kind, _, rest = name.partition("_")
    if kind == "slot":
        slot = rest.removesuffix("_same").replace("_", " ")
        return Measure(f"Slot “{slot}” filled in the same", is_share=True)
    return Measure(f"“No” to: {rest}", is_share=True)


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure of one track, over the recordings or people that `split` and `of` name."""

    part: Part
    track: str
    split: Split
    of: str
    name: str
    summary: Summary

    @property
    def measure(self) -> Measure:
        return measure_of(self.name)

    @property
    def reason(self) -> str:
        return self.summary.reason or self.summary.interval.reason

    def to_dict(self) -> dict[str, Any]:
        return {column: attrgetter(path)(self) for column, path in COLUMNS.items()}


# The columns of JSON and CSV, and the attribute of `FigureRow` for each.
COLUMNS = {
    "part": "part",
    "track": "track",
    "split": "split",
    "of": "of",
    "measure": "name",
    "title": "measure.title",
    "value": "summary.value",
    "low": "summary.interval.low",
    "high": "summary.interval.high",
    "n": "summary.n",
    "recordings": "summary.recordings",
    "reason": "reason",
    "method": "summary.interval.method",
}


def rows_of_figures(
    part: Part, track: str, split: Split, of: str, figures: dict[str, Summary]
) -> Iterator[FigureRow]:
    for name, summary in figures.items():
        yield FigureRow(part, track, split, of, name, measure_of(name).within(summary))


def csv_rows(rows: Iterable[FigureRow], about: dict[str, str | int]) -> Iterator[list[Cell]]:
    """A header, then a row for each figure, each starting with `about`."""
    yield [*about, *COLUMNS]
    for row in rows:
        cells = about | row.to_dict()
        yield [cells[name] for name in (*about, *COLUMNS)]
