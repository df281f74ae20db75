"""Figures over recordings with 95% intervals; whole recordings are resampled, never segments.

Letters: G recordings, P numbers that a recording adds to a figure, D draws. A figure is a function
of those numbers summed over recordings: (D, P) to (D,), nan where it is undefined.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from annotation.analytics.agreement.coefficients import kappas_of
from annotation.analytics.agreement.intervals import (
    DEPENDS_ON_ONE_TRACE,
    NEVER_DEFINED,
    ONE_CLUSTER,
    Interval,
    shown_interval,
)
from annotation.analytics.agreement.resampling import Figure, distribution, draws_of, jackknife
from segments.measures.matching import SAME_TIME_IOU, matched
from segments.measures.spans import UNDEFINED, Codes, Floats, Overlaps, Spans
from segments.measures.texts import character_f1, normalised, token_f1

# Two edges are the same within these, s.
TOLERANCES_S = (0.1, 0.5, 1.0, 2.0)
# Errors are rounded to the millisecond, so that a draw is a count of each distinct value.
ERROR_DECIMALS = 3
SLACK = 1e-9

NOTHING = "nothing to compare"
NO_VARIATION = "both sides always say the same, so kappa is undefined"
REASONS = {
    ONE_CLUSTER: "an interval needs at least two recordings",
    NEVER_DEFINED: "in no draw of recordings is the figure defined, so there is no interval",
    DEPENDS_ON_ONE_TRACE: (
        "without one of the recordings the figure is undefined, so there is no interval"
    ),
}


@dataclass(frozen=True)
class Compared:
    """One recording by two sides; `mistakes` and `texts` are in the order of the spans.

    Pairs of people with the same `recording` are resampled together; without a name each is
    resampled alone. `mistakes`: the spans' other labels, -1 where a span has none. `missing`: the
    steps that each side marks as missing. `possible`: the labels that can occur, None for all.
    `slots_of` reads the slots of a mistake's text, where a template made it.

    Matching is slow and cached here: a recording counts in figures of all and of its scenario.
    """

    first: Spans
    second: Spans
    duration_s: float
    mistakes: tuple[Codes, Codes] | None = None
    recording: str = ""
    texts: tuple[Sequence[str], Sequence[str]] | None = None
    missing: tuple[frozenset[int], frozenset[int]] | None = None
    possible: Codes | None = None
    slots_of: Callable[[int, str], Mapping[str, str] | None] | None = None

    @cached_property
    def same_label(self) -> Overlaps:
        """Matched spans of the same label, undefined ones too."""
        return matched(self.first, self.second)

    @cached_property
    def same_defined(self) -> Overlaps:
        return self.same_label.only(self.first.labels[self.same_label.first] != UNDEFINED)

    @cached_property
    def same_time(self) -> Overlaps:
        """Spans matched by time alone, with an IoU of .5 or more."""
        pairs = matched(self.first, self.second, by_label=False)
        return pairs.only(pairs.ious >= SAME_TIME_IOU - SLACK)

    @cached_property
    def text_scores(self) -> tuple[tuple[str, float], ...]:
        """(name, score) of texts and slots, of each matched pair unless both texts are empty."""
        return tuple(self._text_scores())

    def _text_scores(self) -> Iterator[tuple[str, float]]:
        if self.texts is None:
            return
        pairs = self.same_label
        for first, second in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
            ours, theirs = self.texts[0][first], self.texts[1][second]
            if not normalised(ours) and not normalised(theirs):
                continue
            yield "text_same", float(normalised(ours) == normalised(theirs))
            yield "text_token_f1", token_f1(ours, theirs) or 0.0
            yield "text_character_f1", character_f1(ours, theirs) or 0.0
            if self.slots_of is None or self.mistakes is None:
                continue
            label = int(self.mistakes[0][first])
            if label == self.mistakes[1][second]:
                slots = [self.slots_of(label, text) or {} for text in (ours, theirs)]
                for name in slots[0].keys() & slots[1].keys():
                    same = normalised(slots[0][name]) == normalised(slots[1][name])
                    yield f"slot_{name}_same", float(same)


@dataclass(frozen=True, slots=True)
class Summary:
    """A figure of all recordings, or the reason why it has no value.

    `n` counts the pairs, edges or segments in it, `recordings` those that add to it.
    """

    value: float | None
    reason: str
    n: int
    recordings: int
    interval: Interval = field(default_factory=lambda: Interval(None, None, ""))


@dataclass(frozen=True, slots=True)
class Options:
    """How figures are computed.

    `class_count` is the number of labels, None to take those that occur; `mistake_count` the number
    of mistake labels. `may_overlap`: the track is free, so time is compared label by label.
    `groups`, (G,): profiles with the same number are resampled together, None for each alone.
    """

    rng: np.random.Generator
    resamples: int = 1000
    class_count: int | None = None
    mistake_count: int = 0
    may_overlap: bool = False
    groups: Codes | None = None


def ratio(sums: Floats) -> Floats:
    """The first column divided by the second, (D, 2) to (D,); nan where the second is 0."""
    values = np.full(len(sums), np.nan)
    np.divide(sums[:, 0], sums[:, 1], out=values, where=sums[:, 1] > SLACK)
    return values


def mean_kappa_figure(class_count: int) -> Figure:
    """The mean kappa of the labels that have one, from `class_count` 2x2 tables in each row."""

    def figure(sums: Floats) -> Floats:
        kappas = kappas_of(sums.reshape(-1, class_count, 2, 2))
        counts = (~np.isnan(kappas)).sum(axis=1)
        values = np.full(len(sums), np.nan)
        np.divide(np.nansum(kappas, axis=1), counts, out=values, where=counts > 0)
        return values

    return figure


def quantile_figure(values: Floats, share: float) -> Figure:
    """A quantile of ascending values whose counts are the sums, (D, P).

    Interpolates linearly between the two nearest values, as numpy does.
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
        quantile = below + (rank - low) * (above - below)
        return np.where(totals > SLACK, quantile, np.nan)

    return figure


def summarise(
    profiles: Floats,
    figure: Figure,
    options: Options,
    *,
    n: int,
    reason: str = NOTHING,
) -> Summary:
    """A figure of recordings' profiles, (G, P), with its interval; `reason` if it is undefined."""
    if options.groups is not None:
        grouped = np.zeros((int(options.groups.max(initial=-1)) + 1, profiles.shape[1]))
        np.add.at(grouped, options.groups, profiles)
        profiles = grouped
    used = profiles[profiles.any(axis=1)]
    value = float(figure(used.sum(axis=0, keepdims=True))[0]) if len(used) else np.nan
    if np.isnan(value):
        return Summary(None, reason, n, len(used), Interval(None, None, reason))
    drawn = distribution(draws_of(used), figure, rng=options.rng, resamples=options.resamples)
    interval = shown_interval(value, drawn, [jackknife(used, figure)])
    why = REASONS.get(interval.reason, interval.reason)
    return Summary(value, "", n, len(used), replace(interval, reason=why))


def ratio_summary(pairs: Iterable[tuple[float, float]], options: Options, *, n: int) -> Summary:
    """The sum of the first numbers divided by that of the second; one pair for each recording."""
    profiles = np.array(list(pairs), dtype=np.float64).reshape(-1, 2)
    return summarise(profiles, ratio, options, n=n)


def quantile_summary(values: Sequence[Floats], share: float, options: Options) -> Summary:
    """A quantile over the values of all recordings; `values` has one array for each recording."""
    distinct = np.unique(np.concatenate([*values, np.zeros(0)]))
    counts = np.zeros((len(values), len(distinct)))
    for row, of_one in zip(counts, values, strict=True):
        np.add.at(row, np.searchsorted(distinct, of_one), 1.0)
    n = sum(map(len, values))
    return summarise(counts, quantile_figure(distinct, share), options, n=n)


def error_summaries(errors: Sequence[Floats], options: Options) -> dict[str, Summary]:
    """Bias, absolute size and shares within tolerances, of each recording's signed errors in s."""
    exact = [np.asarray(of_one, dtype=np.float64) for of_one in errors]
    rounded: list[Floats] = [of_one.round(ERROR_DECIMALS) for of_one in exact]
    n = sum(map(len, rounded))
    sizes: list[Floats] = [np.abs(of_one) for of_one in rounded]
    summaries = {}
    for name, values, share in (
        ("bias_s", rounded, 0.5), ("median_s", sizes, 0.5), ("p90_s", sizes, 0.9),
    ):  # fmt: skip
        summaries[name] = quantile_summary(values, share, options)
    for tolerance_s in TOLERANCES_S:
        within = ((float((np.abs(item) <= tolerance_s + SLACK).sum()), len(item)) for item in exact)
        summaries[f"within_{tolerance_s:g}_s"] = ratio_summary(within, options, n=n)
    return summaries
