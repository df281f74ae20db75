"""Figures with bootstrap intervals over whole recordings, from sums per recording."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf

import numpy as np

from annotation.analytics.agreement.intervals import (
    DEPENDS_ON_ONE_TRACE,
    NEVER_DEFINED,
    ONE_CLUSTER,
    Interval,
    p_of_no_difference,
    shown_interval,
)
from annotation.analytics.agreement.resampling import (
    Drawn,
    Draws,
    Jackknife,
    distributions,
    draw,
    draws_of,
)
from benchmarks.engine.task import (
    Answered,
    AnswerStatus,
    Figure,
    Floats,
    Item,
    Measure,
    Tally,
    Task,
)

RESAMPLES = 1000
SEED = 20_261_122
# Numbers of draws that are remembered for the next participant (16 MB).
MOST_REMEMBERED = 2_000_000
ANY = (-inf, inf)
# The end of the keys of figures over all items, in which what could not be read is wrong.
OF_ALL = "_of_all"
# The reasons of `annotation.analytics` for a missing interval, worded for benchmarks.
REASONS = {
    ONE_CLUSTER: "an interval needs at least two recordings",
    NEVER_DEFINED: "it is undefined in every resample, so there is no interval",
    DEPENDS_ON_ONE_TRACE: "without one of the recordings it is undefined, so there is no interval",
}


@dataclass(frozen=True, slots=True)
class ScoredMeasure:
    """A measure with its interval; `value` is None where it is undefined."""

    value: float | None
    interval: Interval
    p: float | None = None


def score(
    tally: Tally, measures: Sequence[Measure] = (), resamples: int = RESAMPLES
) -> dict[str, ScoredMeasure]:
    """Every measure of a tally with its 95% interval over draws of recordings.

    `measures` say between which values each figure lies; other figures have no bounds.
    """
    ends = {measure.key: (measure.least, measure.most) for measure in measures}
    return _score_figures(tally.sums, tally.figures, ends, resamples, tally.most_exact)


def differences(
    first: Tally, second: Tally, measures: Sequence[Measure] = (), resamples: int = RESAMPLES
) -> dict[str, ScoredMeasure]:
    """The first participant minus the second, with the same recordings in every draw.

    `measures` as for `score`: a difference lies as far from 0 as they are wide at most.
    Raises ValueError where the two are not over the same recordings.
    """
    if first.recordings != second.recordings:
        raise ValueError("the two are not over the same recordings")
    width = first.sums.shape[1]

    def difference(of_first: Figure, of_second: Figure) -> Figure:
        return lambda sums: of_first(sums[:, :width]) - of_second(sums[:, width:])

    shared = [key for key in first.figures if key in second.figures]
    figures = {key: difference(first.figures[key], second.figures[key]) for key in shared}
    sums = np.hstack([first.sums, second.sums])
    most_exact = min(first.most_exact, second.most_exact)
    widths = {measure.key: measure.most - measure.least for measure in measures}
    ends = {key: (-width, width) for key, width in widths.items()}
    return _score_figures(sums, figures, ends, resamples, most_exact, with_p=True)


def mean_tally(tallies: Sequence[Tally]) -> Tally:
    """One tally over all recordings of several, whose figures are the means of theirs.

    They may be over the same recordings (those of seeds) or over different ones (those of folds).
    """
    if len(tallies) == 1:
        return tallies[0]
    names = tuple(dict.fromkeys(name for tally in tallies for name in tally.recordings))
    row_of = {name: row for row, name in enumerate(names)}
    ends = np.cumsum([0, *(tally.sums.shape[1] for tally in tallies)])
    sums = np.zeros((len(names), ends[-1]))
    for place, tally in enumerate(tallies):
        rows = [row_of[name] for name in tally.recordings]
        sums[rows, ends[place] : ends[place + 1]] = tally.sums

    def mean_of(key: str) -> Figure:
        def figure(sums: Floats) -> Floats:
            each = [
                tally.figures[key](sums[:, ends[place] : ends[place + 1]])
                for place, tally in enumerate(tallies)
            ]
            mean: Floats = np.mean(each, axis=0)
            return mean

        return figure

    shared = [key for key in tallies[0].figures if all(key in one.figures for one in tallies)]
    most_exact = min(tally.most_exact for tally in tallies)
    return Tally(names, sums, {key: mean_of(key) for key in shared}, most_exact)


def tally_with_missing(task: Task, items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
    """A tally in which items without an answer count as wrong in every figure.

    A figure that has a form over all items (`<key>_of_all`) is that one; for all others these items
    have the task's worst answer. No single answer is the worst for all figures at once: what makes
    silence wrong may be in time for another mistake.
    """
    has_scores = any(
        answer.value is not None and answer.value.get("score") is not None for answer in answers
    )

    def counted(item: Item, answer: Answered) -> Answered:
        value = task.worst(item) if answer.status is AnswerStatus.MISSING else None
        if value is None:
            return answer
        if "score" in value and not has_scores:
            value = {**value, "score": None}
        return Answered(AnswerStatus.READ, value)

    as_given = task.tally(items, answers)
    of_worst = task.tally(items, list(map(counted, items, answers)))
    width = of_worst.sums.shape[1]

    def of(key: str) -> Figure:
        of_all = as_given.figures.get(key if key.endswith(OF_ALL) else key + OF_ALL)
        if of_all is None:
            figure = of_worst.figures[key]
            return lambda sums: figure(sums[:, :width])
        return lambda sums: of_all(sums[:, width:])

    return Tally(
        of_worst.recordings,
        np.hstack([of_worst.sums, as_given.sums]),
        {key: of(key) for key in of_worst.figures},
        min(of_worst.most_exact, as_given.most_exact),
    )


def values_of(tally: Tally) -> dict[str, float]:
    """Every measure of a tally without its interval, nan where it is undefined."""
    whole = tally.sums.sum(axis=0, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {key: float(figure(whole)[0]) for key, figure in tally.figures.items()}


@lru_cache(maxsize=2)
def _drawn(multiplicities: tuple[int, ...], resamples: int, most_exact: int) -> Drawn:
    """Draws of so many recordings of each kind, which several participants mostly share."""
    draws = Draws(np.empty((len(multiplicities), 0)), np.array(multiplicities))
    rng = np.random.default_rng(SEED)
    return draw(draws, rng=rng, resamples=resamples, most_exact=most_exact)


def _score_figures(
    sums: Floats,
    figures: Mapping[str, Figure],
    ends: Mapping[str, tuple[float, float]],
    resamples: int,
    most_exact: int,
    *,
    with_p: bool = False,
) -> dict[str, ScoredMeasure]:
    if not len(sums):
        undefined = ScoredMeasure(None, Interval(None, None, "there is no recording"))
        return dict.fromkeys(figures, undefined)
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = draws_of(sums)
        counts = tuple(draws.multiplicities.tolist())
        is_small = len(counts) * resamples <= MOST_REMEMBERED
        drawn = (_drawn if is_small else _drawn.__wrapped__)(counts, resamples, most_exact)
        over_draws = distributions(draws.profiles, drawn, figures)
        scores = {}
        whole = sums.sum(axis=0, keepdims=True)
        without_each = whole - sums
        for key, figure in figures.items():
            value = float(figure(whole)[0])
            if np.isnan(value):
                scores[key] = ScoredMeasure(None, Interval(None, None, "it is undefined here"))
                continue
            left_out = [Jackknife(figure(without_each))]
            interval = shown_interval(value, over_draws[key], left_out, ends.get(key, ANY))
            reason = REASONS.get(interval.reason, interval.reason)
            p = None
            if with_p and interval.has_distribution:
                p = p_of_no_difference(value, over_draws[key], left_out)
            scores[key] = ScoredMeasure(value, replace(interval, reason=reason), p)
    return scores
