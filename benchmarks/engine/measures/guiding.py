"""Figures of an assistant that speaks at points of a recording: decisions, PQS, deviations.

Source: Plan, Watch, Recover, section 3.3, appendices A, B and H. The paper prints two other figures
under the name of PQS: the content score, and PQS over the points of deviations alone (Tables 2, 3);
here each has its own name. Letters: N points, G recordings, D draws.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.engine.measures.guidance import DIMENSIONS, HIGHEST, LOWEST, content_of
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.measures.speaking import decision_figures, decision_figures_of_all
from benchmarks.engine.task import Figure, Measure

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Outcome(IntEnum):
    """What came of a point; the first four in the order of the sums of `measures.speaking`."""

    TRUE_INTERRUPT = 0
    FALSE_INTERRUPT = 1
    FALSE_SILENCE = 2
    TRUE_SILENCE = 3
    UNREAD_INTERRUPT = 4
    UNREAD_SILENCE = 5


class Departure(IntEnum):
    """What a point is about besides the plan; a distraction is the person's own interruption."""

    NONE = 0
    MISTAKE = 1
    DISTRACTION = 2
    FIX = 3


OUTCOMES, DEPARTURES = len(Outcome), len(Departure)
OF_PLAN = (Departure.MISTAKE, Departure.DISTRACTION, Departure.FIX)
DEVIATIONS, FIXES = (Departure.MISTAKE, Departure.DISTRACTION), (Departure.FIX,)
# The shape of the counts in a row of sums: openings apart, kinds of departure, outcomes.
CELLS = (2, DEPARTURES, OUTCOMES)
CELL_COUNT = 2 * DEPARTURES * OUTCOMES
# Behind the counts, of true interrupts that have all grades: how many by departure, their worth by
# departure, and the sum of each dimension.
GRADED = slice(CELL_COUNT, CELL_COUNT + DEPARTURES)
WORTH = slice(GRADED.stop, GRADED.stop + DEPARTURES)
BY_DIMENSION = slice(WORTH.stop, WORTH.stop + len(DIMENSIONS))
WIDTH = BY_DIMENSION.stop
CHUNK = 50_000


@dataclass(frozen=True, slots=True)
class Points:
    """Points as columns, (N,) each: what is right, what was said, and what the point is about.

    `should` is 1 to interrupt; `said` 1 where it did, 0 where it was silent, nan for no answer;
    `departure` as in `Departure`; `grades` (N, 4), nan where there are none.
    """

    should: Floats
    said: Floats
    departure: Ints
    is_opening: npt.NDArray[np.bool_]
    grades: Floats

    @property
    def outcomes(self) -> Ints:
        # Spoken, silent or unread, and of each first what should have been an interrupt.
        kind = np.where(np.isnan(self.said), 2, 1 - np.nan_to_num(self.said))
        outcomes: Ints = (2 * kind + 1 - self.should).astype(np.int64)
        return outcomes

    def sums(self, places: Ints, recording_count: int) -> Floats:
        """The sums of each recording, (G, WIDTH), from the recording of each point."""
        sums = np.zeros((recording_count, WIDTH))
        # What fits into the processor's cache at a time, so that time grows with the points alone.
        for first in range(0, len(places), CHUNK):
            part = slice(first, first + CHUNK)
            sums += self._part(part)._sums(places[part], recording_count)
        return sums

    def _part(self, part: slice) -> "Points":
        return Points(*(getattr(self, column.name)[part] for column in fields(self)))

    def _sums(self, places: Ints, recording_count: int) -> Floats:
        outcomes = self.outcomes
        cells = (self.is_opening * DEPARTURES + self.departure) * OUTCOMES + outcomes
        counts = np.bincount(places * CELL_COUNT + cells, minlength=recording_count * CELL_COUNT)
        worth = content_of(self.grades)
        graded = np.flatnonzero((outcomes == Outcome.TRUE_INTERRUPT) & ~np.isnan(worth))
        at, size = (
            places[graded] * DEPARTURES + self.departure[graded],
            recording_count * DEPARTURES,
        )
        by_departure = [np.bincount(at, weights, size) for weights in (None, worth[graded])]
        dimensions = [
            np.bincount(places[graded], column, recording_count) for column in self.grades[graded].T
        ]
        parts = [part.reshape(recording_count, -1) for part in (counts, *by_departure)]
        return np.hstack([*parts, np.column_stack(dimensions)]).astype(np.float64)


def counts_of(sums: Floats, departures: Sequence[int] = tuple(Departure)) -> Floats:
    """How many points of some departures had each outcome, (D, 6)."""
    cells = sums[:, :CELL_COUNT].reshape(-1, *CELLS)[:, :, list(departures)]
    counts: Floats = cells.sum(axis=(1, 2))
    return counts


def _decisions(sums: Floats) -> Floats:
    """As `measures.speaking` has them: what was not read in one column."""
    counts = counts_of(sums)
    return np.hstack([counts[:, :4], counts[:, 4:].sum(axis=1, keepdims=True)])


def _without_openings(sums: Floats) -> Floats:
    counts: Floats = sums[:, :CELL_COUNT].reshape(-1, *CELLS)[:, 0].sum(axis=1)
    return counts


@dataclass(frozen=True, slots=True)
class QualityBounds:
    """PQS over points, each (D,): with what has no grade worth 0, worth 1, and how many those are.

    A silence that is right counts 1, an interrupt that is right what it is worth, anything else 0.
    """

    low: Floats
    high: Floats
    ungraded: Floats

    @property
    def value(self) -> Floats:
        """nan while a grade is missing."""
        return np.where(self.ungraded > 0, np.nan, self.low)


def quality(
    sums: Floats, departures: Sequence[int] = tuple(Departure), *, of_all: bool = False
) -> QualityBounds:
    """PQS over the points with an answer, or over all: no answer is worth 0. nan without points."""
    counts = counts_of(sums, departures)
    total = counts.sum(axis=1) if of_all else counts[:, :4].sum(axis=1)
    chosen = list(departures)
    ungraded = counts[:, Outcome.TRUE_INTERRUPT] - sums[:, GRADED][:, chosen].sum(axis=1)
    right = counts[:, Outcome.TRUE_SILENCE] + sums[:, WORTH][:, chosen].sum(axis=1)
    return QualityBounds(ratio(right, total), ratio(right + ungraded, total), ungraded)


def content_score(sums: Floats, departures: Sequence[int] = tuple(Departure)) -> Floats:
    """The mean worth of graded true interrupts, (D,)."""
    chosen = list(departures)
    return ratio(sums[:, WORTH][:, chosen].sum(axis=1), sums[:, GRADED][:, chosen].sum(axis=1))


def mean_grade(sums: Floats, departures: Sequence[int] = tuple(Departure)) -> Floats:
    """The same on the judges' scale, 1 to 5."""
    return LOWEST + (HIGHEST - LOWEST) * content_score(sums, departures)


def interrupt_recall(sums: Floats, departures: Sequence[int], *, of_all: bool = False) -> Floats:
    """Of the points of some departures that call for an interrupt, the share that got one."""
    counts = counts_of(sums, departures)
    return ratio(counts[:, Outcome.TRUE_INTERRUPT], _called_for(counts, of_all))


def recovery_with_misses(sums: Floats, *, of_all: bool = False) -> Floats:
    """What interrupts at departures are worth, a miss 0; nan while a grade is missing."""
    counts = counts_of(sums, OF_PLAN)
    chosen = list(OF_PLAN)
    worth = ratio(sums[:, WORTH][:, chosen].sum(axis=1), _called_for(counts, of_all))
    ungraded = counts[:, Outcome.TRUE_INTERRUPT] - sums[:, GRADED][:, chosen].sum(axis=1)
    return np.where(ungraded > 0, np.nan, worth)


def _called_for(counts: Floats, of_all: bool) -> Floats:
    called = [Outcome.TRUE_INTERRUPT, Outcome.FALSE_SILENCE]
    called += [Outcome.UNREAD_INTERRUPT] if of_all else []
    total: Floats = counts[:, called].sum(axis=1)
    return total


def macro_f1(counts: Floats) -> Floats:
    """The mean of both F1, from counts (D, 4 or more)."""
    both = decision_figures()
    return (both["speak_f1"](counts) + both["silent_f1"](counts)) / 2


def guiding_figures() -> dict[str, Figure]:
    """Every figure of `GUIDING_MEASURES` from sums (D, WIDTH or more)."""
    of_counts = {**decision_figures(), "macro_f1": macro_f1}
    of_all = decision_figures_of_all()
    of_all["macro_f1_of_all"] = lambda counts: (
        (of_all["speak_f1_of_all"](counts) + of_all["silent_f1_of_all"](counts)) / 2
    )
    figures: dict[str, Figure] = {
        key: _over(figure, _decisions) for key, figure in {**of_counts, **of_all}.items()
    }
    for key in WITHOUT_OPENINGS:
        figures[f"{key}_without_openings"] = _over(of_counts[key], _without_openings)
    for key, departures in (("pqs", tuple(Departure)), ("pqs_departures", OF_PLAN)):
        figures |= _quality_figures(key, departures)
    figures["content"] = content_score
    figures["guidance"] = mean_grade
    for place, dimension in enumerate(DIMENSIONS, start=BY_DIMENSION.start):
        figures[dimension] = _mean_of_dimension(place)
    for key, departures in (
        ("detected_departures", OF_PLAN), ("detected_deviations", DEVIATIONS),
        ("detected_fixes", FIXES),
    ):  # fmt: skip
        figures[key] = partial(interrupt_recall, departures=departures)
        figures[f"{key}_of_all"] = partial(interrupt_recall, departures=departures, of_all=True)
    figures["recovery"] = partial(mean_grade, departures=OF_PLAN)
    figures["recovery_of_fixes"] = partial(mean_grade, departures=FIXES)
    figures["recovery_with_misses"] = recovery_with_misses
    figures["recovery_with_misses_of_all"] = partial(recovery_with_misses, of_all=True)
    return figures


def _over(figure: Figure, counts: Callable[[Floats], Floats]) -> Figure:
    return lambda sums: figure(counts(sums))


def _quality_figures(key: str, departures: Sequence[int]) -> dict[str, Figure]:
    return {
        key: lambda sums: quality(sums, departures).value,
        f"{key}_low": lambda sums: quality(sums, departures).low,
        f"{key}_high": lambda sums: quality(sums, departures).high,
        f"{key}_of_all": lambda sums: quality(sums, departures, of_all=True).value,
    }


def _mean_of_dimension(place: int) -> Figure:
    return lambda sums: ratio(sums[:, place], sums[:, GRADED].sum(axis=1))


def decision_scores(counts: Floats) -> dict[str, Any]:
    """The counts (4 or more,) of one set of points with every figure, for people and programs.

    A figure whose counts are all 0 is 0, as in the released scorer; `notes` say which are.
    """
    tp, fp, fn, tn = map(int, counts[:4])
    figures = {**decision_figures(), "macro_f1": macro_f1}
    row = counts[None, :4]
    share = {name: float(np.nan_to_num(figure(row)[0])) for name, figure in figures.items()}
    total = tp + fp + fn + tn
    notes = [
        *(["no_gold_interrupt"] if not tp + fn else []),
        *(["no_gold_silent"] if not tn + fp else []),
        *(["never_predicted_interrupt"] if not tp + fp else []),
        *(["never_predicted_silent"] if not tn + fn else []),
    ]
    return {
        "n": total, "tp": tp, "fp": fp, "tn": tn, "fn": fn,
        "interrupt_precision": _share(tp, tp + fp),
        "interrupt_recall": _share(tp, tp + fn),
        "interrupt_f1": share["speak_f1"],
        "silent_precision": _share(tn, tn + fn),
        "silent_recall": _share(tn, tn + fp),
        "silent_f1": share["silent_f1"],
        "macro_f1": share["macro_f1"],
        "gmean_f1": share["g_mean_f1"],
        "accuracy": share["accuracy"],
        "predicted_interrupt_share": share["speak_share"],
        "notes": notes if total else ["empty"],
    }  # fmt: skip


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class DatasetMeans:
    """G-means by data set, their mean, and that of all points together; nan without any."""

    by_dataset: Mapping[str, float]
    mean: float
    pooled: float


def mean_over_datasets(counts: Mapping[str, Floats]) -> DatasetMeans:
    """From the counts (4 or more,) of each data set.

    The mean of G-means, as Table 2 has it, and not the root of mean F1s: they differ.
    """
    g_mean = decision_figures()["g_mean_f1"]
    if not counts:
        return DatasetMeans({}, np.nan, np.nan)
    each = {name: float(g_mean(one[None])[0]) for name, one in counts.items()}
    pooled = np.sum(list(counts.values()), axis=0)[None]
    return DatasetMeans(each, float(np.mean(list(each.values()))), float(g_mean(pooled)[0]))


@dataclass(frozen=True, slots=True)
class BestVariant:
    """The best of several prompts, the first of equals, with the spread and mean of all."""

    name: str
    value: float
    spread: float
    mean: float


def best_variant(values: Mapping[str, float]) -> BestVariant:
    """The paper prints the best prompt of each cell; chosen on what it is measured on.

    Raises ValueError without any.
    """
    if not values:
        raise ValueError("no prompt has a figure; expected one or more")
    name = max(values, key=values.__getitem__)
    every = list(values.values())
    return BestVariant(name, values[name], max(every) - min(every), float(np.mean(every)))


WITHOUT_OPENINGS = ("g_mean_f1", "macro_f1", "accuracy")
_ALL = "What could not be read counts as wrong."
_OPENING = "Without openings, at which everybody has to speak."
_PQS = "Right silence 1, right interrupts what they are worth, the rest 0."
# Of few right interrupts all may be worth much: no figures to lead by.
_GRADE = partial(Measure, best=None, least=LOWEST, most=HIGHEST)
_BOUND = "Right interrupts without a grade are worth {}."
GUIDING_MEASURES = (
    Measure("g_mean_f1", "G-mean F1"),
    Measure("macro_f1", "Macro F1"),
    Measure("speak_f1", "F1 of interrupts"),
    Measure("silent_f1", "F1 of silence"),
    Measure("accuracy", "Accuracy", note="Of the answers that could be read."),
    Measure("speak_share", "Share of interrupts", best=None),
    *(
        Measure(f"{key}_of_all", f"{title} of all", note=_ALL)
        for key, title in (
            ("g_mean_f1", "G-mean F1"), ("macro_f1", "Macro F1"),
            ("speak_f1", "F1 of interrupts"), ("silent_f1", "F1 of silence"),
            ("accuracy", "Accuracy"),
        )
    ),
    Measure("g_mean_f1_without_openings", "G-mean F1 without openings", best=None, note=_OPENING),
    Measure("macro_f1_without_openings", "Macro F1 without openings", best=None, note=_OPENING),
    Measure("accuracy_without_openings", "Accuracy without openings", best=None, note=_OPENING),
    Measure("pqs", "PQS", note=f"{_PQS} None while a grade is missing."),
    Measure("pqs_low", "PQS, lower bound", best=None, note=_BOUND.format(0)),
    Measure("pqs_high", "PQS, upper bound", best=None, note=_BOUND.format(1)),
    Measure("pqs_of_all", "PQS of all", note=_ALL),
    Measure(
        "content",
        "Content score",
        best=None,
        note="The mean worth of right interrupts. Tables 2 and 6 print it as PQS outside of"
        " EgoProactive.",
    ),
    Measure(
        "pqs_departures", "PQS of departures",
        note="Over mistakes, distractions and fixes alone; Tables 2 and 3 print it as PQS of"
        " EgoProactive.",
    ),
    Measure("pqs_departures_low", "PQS of departures, lower bound", best=None),
    Measure("pqs_departures_high", "PQS of departures, upper bound", best=None),
    Measure("pqs_departures_of_all", "PQS of departures of all", note=_ALL),
    _GRADE("guidance", "Guidance", note="The mean grade of right interrupts, 1 to 5."),
    *(_GRADE(dimension, dimension.capitalize()) for dimension in DIMENSIONS),
    *(
        Measure(f"{key}{end}", f"{title}{' of all' if end else ''}", note=_ALL if end else note)
        for key, title, note in (
            ("detected_departures", "Departures spoken at", "Mistakes, distractions, fixes."),
            ("detected_deviations", "Deviations spoken at", "Mistakes and distractions."),
            ("detected_fixes", "Fixes spoken at", ""),
        )
        for end in ("", "_of_all")
    ),
    _GRADE("recovery", "Recovery", note="The mean grade of right interrupts there."),
    _GRADE("recovery_of_fixes", "Recovery of fixes"),
    Measure("recovery_with_misses", "Recovery with misses", note="Their worth, a miss 0."),
    Measure("recovery_with_misses_of_all", "Recovery with misses of all", note=_ALL),
)  # fmt: skip
