"""Figures over recordings with 95% intervals: whole recordings are drawn anew, never segments.

Letters: G recordings, P numbers that a recording adds to a figure, D draws. A figure is a function
of what recordings add, summed: (D, P) to (D,), nan where it is undefined.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from annotation.analytics.intervals import (
    HANGS_ON_ONE,
    NEVER_DEFINED,
    ONE_CLUSTER,
    Interval,
    shown_interval,
)
from annotation.analytics.resampling import Figure, distribution, draws_of, jackknife
from annotation.analytics.segments.kappas import (
    EXTRA_CLASSES,
    kappas_of,
    matched_label_table,
    presence_tables,
    time_table,
)
from annotation.analytics.segments.matching import (
    F1_THRESHOLDS,
    boundary_errors,
    edit_score,
    hits_of_pairs,
)
from annotation.analytics.segments.spans import Codes, Floats, Spans, coverage, temporal_iou

# Two edges are the same within these, s.
TOLERANCES_S = (0.1, 0.5, 1.0, 2.0)
# Medians over draws are of errors to the millisecond, so that a draw is a count of each.
ERROR_DECIMALS = 3
SLACK = 1e-9

NOTHING = "nothing to compare"
NO_VARIATION = "both sides always say the same, so kappa is undefined"
REASONS = {
    ONE_CLUSTER: "an interval needs at least two recordings",
    NEVER_DEFINED: "in no draw of recordings is the figure defined, so there is no interval",
    HANGS_ON_ONE: "without one of the recordings the figure is undefined, so there is no interval",
}


@dataclass(frozen=True, slots=True)
class Compared:
    """One recording by two sides. `mistakes`: their other labels, -1 where a span has none."""

    first: Spans
    second: Spans
    duration_s: float
    mistakes: tuple[Codes, Codes] | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """A figure of all recordings, or the reason why there is none; `n` counts what it is of."""

    value: float | None
    reason: str
    n: int
    recordings: int
    interval: Interval = field(default_factory=lambda: Interval(None, None, ""))


@dataclass(frozen=True, slots=True)
class Options:
    """How figures are made.

    `class_count` is how many labels there are, None for those that come; `mistake_count` how many
    other labels. `may_overlap`: the tracks are free, so that time is compared label by label.
    """

    rng: np.random.Generator
    resamples: int = 1000
    class_count: int | None = None
    mistake_count: int = 0
    may_overlap: bool = False


def ratio(sums: Floats) -> Floats:
    """The first of two sums over the second."""
    values = np.full(len(sums), np.nan)
    np.divide(sums[:, 0], sums[:, 1], out=values, where=sums[:, 1] > SLACK)
    return values


def kappa_figure(class_count: int) -> Figure:
    """Kappa of a table of agreement that stands as one row."""
    return lambda sums: kappas_of(sums.reshape(-1, class_count, class_count))


def mean_kappa_figure(class_count: int) -> Figure:
    """The mean of the kappas of all labels that have one, of tables of yes and no in a row."""

    def figure(sums: Floats) -> Floats:
        kappas = kappas_of(sums.reshape(-1, class_count, 2, 2))
        counts = (~np.isnan(kappas)).sum(axis=1)
        values = np.full(len(sums), np.nan)
        np.divide(np.nansum(kappas, axis=1), counts, out=values, where=counts > 0)
        return values

    return figure


def quantile_figure(values: Floats, share: float) -> Figure:
    """A quantile of values, ascending, of which sums, (D, P), say how often each comes.

    Between the two nearest of them, in proportion, as numpy does it.
    """

    def figure(sums: Floats) -> Floats:
        totals = sums.sum(axis=1)
        reached = np.cumsum(sums, axis=1)
        rank = np.maximum(totals - 1, 0) * share
        low, high = np.floor(rank + SLACK), np.ceil(rank - SLACK)
        places = [
            np.minimum((reached <= edge[:, np.newaxis] + SLACK).sum(axis=1), len(values) - 1)
            for edge in (low, high)
        ]
        below, above = (values[place] for place in places)
        found = below + (rank - low) * (above - below)
        return np.where(totals > SLACK, found, np.nan)

    return figure


def summarise(
    profiles: Floats,
    figure: Figure,
    options: Options,
    *,
    n: int,
    reason: str = NOTHING,
) -> Summary:
    """A figure of recordings' profiles, (G, P), with its interval.

    `reason` is why it has no value where it has none.
    """
    used = profiles[profiles.any(axis=1)]
    value = float(figure(used.sum(axis=0, keepdims=True))[0]) if len(used) else np.nan
    if np.isnan(value):
        return Summary(None, reason, n, len(used), Interval(None, None, reason))
    drawn = distribution(draws_of(used), figure, rng=options.rng, resamples=options.resamples)
    interval = shown_interval(value, drawn, [jackknife(used, figure)])
    told = REASONS.get(interval.reason, interval.reason)
    return Summary(value, "", n, len(used), replace(interval, reason=told))


def error_summaries(errors: Sequence[Floats], options: Options) -> dict[str, Summary]:
    """Of signed errors of each recording, in seconds: bias, sizes, and shares within tolerances."""
    told = [np.round(np.asarray(of_one, dtype=np.float64), ERROR_DECIMALS) for of_one in errors]
    n = sum(map(len, told))
    sizes = [np.abs(of_one) for of_one in told]
    found = {}
    for name, values, share in (
        ("bias_s", told, 0.5), ("median_s", sizes, 0.5), ("p90_s", sizes, 0.9),
    ):  # fmt: skip
        known = np.unique(np.concatenate([*values, np.zeros(0)]))
        counts = np.zeros((len(values), len(known)))
        for row, of_one in zip(counts, values, strict=True):
            np.add.at(row, np.searchsorted(known, of_one), 1.0)
        found[name] = summarise(counts, quantile_figure(known, share), options, n=n)
    for tolerance_s in TOLERANCES_S:
        profiles = _rows(
            (float((of_one <= tolerance_s + SLACK).sum()), len(of_one)) for of_one in sizes
        )
        found[f"within_{tolerance_s:g}_s"] = summarise(profiles, ratio, options, n=n)
    return found


def agreement(recordings: Sequence[Compared], options: Options) -> dict[str, Summary]:
    """Every figure of two sides over recordings, by name."""
    ious = [temporal_iou(item.first, item.second) for item in recordings]
    edits = [
        edit_score(item.first.defined.labels, item.second.defined.labels) for item in recordings
    ]
    found = {
        "tiou_strict": _mean([iou.strict for iou in ious], options),
        "tiou_common": _mean([iou.common for iou in ious], options),
        "edit": _mean(edits, options),
    }
    for threshold in F1_THRESHOLDS:
        hits = [hits_of_pairs(item.first, item.second, threshold) for item in recordings]
        profiles = _rows((2.0 * hit.true, hit.total) for hit in hits)
        n = sum(hit.true for hit in hits)
        found[f"f1@{threshold:.2f}"] = summarise(profiles, ratio, options, n=n)
    errors = [boundary_errors(item.first, item.second) for item in recordings]
    for place, edge in enumerate(("start", "end")):
        of_edge = error_summaries([pair[place] for pair in errors], options)
        found |= {f"{edge}_{name}": summary for name, summary in of_edge.items()}
    found |= _kappas(recordings, options)
    for side in ("first", "second"):
        profiles = _rows(
            (coverage(getattr(item, side), item.duration_s).covered_s, item.duration_s)
            for item in recordings
        )
        found[f"coverage_{side}"] = summarise(profiles, ratio, options, n=len(recordings))
    return found


def _rows(pairs: Iterable[tuple[float, float]]) -> Floats:
    return np.array(list(pairs), dtype=np.float64).reshape(-1, 2)


def _mean(values: Sequence[float | None], options: Options) -> Summary:
    """The mean over recordings in which there is a value: each adds it and 1."""
    profiles = _rows((0.0, 0.0) if value is None else (value, 1.0) for value in values)
    return summarise(profiles, ratio, options, n=sum(value is not None for value in values))


def _kappas(recordings: Sequence[Compared], options: Options) -> dict[str, Summary]:
    highest = [
        int(side.labels.max(initial=0)) for item in recordings for side in (item.first, item.second)
    ]
    count = options.class_count or max(highest, default=0) + 1
    by_pair = [
        matched_label_table(item.first, item.second, (item.first.labels, item.second.labels), count)
        for item in recordings
    ]
    found = {"label_kappa": _kappa(by_pair, kappa_figure(count), options)}
    if options.may_overlap:
        by_label = [
            presence_tables(item.first, item.second, item.duration_s, count) for item in recordings
        ]
        found["time_kappa"] = _kappa(by_label, mean_kappa_figure(count), options)
    else:
        by_time = [
            time_table(item.first, item.second, item.duration_s, count) for item in recordings
        ]
        found["time_kappa"] = _kappa(by_time, kappa_figure(count + EXTRA_CLASSES), options)
    if options.mistake_count:
        # No mistake is an answer too: it comes first.
        size = options.mistake_count + 1
        by_mistake = [
            matched_label_table(
                item.first, item.second, (item.mistakes[0] + 1, item.mistakes[1] + 1), size
            )
            for item in recordings
            if item.mistakes is not None
        ]
        found["mistake_kappa"] = _kappa(by_mistake, kappa_figure(size), options)
    return found


def _kappa(tables: Sequence[Floats], figure: Figure, options: Options) -> Summary:
    profiles = np.array([table.ravel() for table in tables], dtype=np.float64)
    if not profiles.any():
        return Summary(None, NOTHING, 0, 0, Interval(None, None, NOTHING))
    n = int(profiles.any(axis=1).sum())
    return summarise(profiles, figure, options, n=n, reason=NO_VARIATION)
