"""What a page, a table and the API say of the raters of a round, beside what the rules found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from annotation.analytics.agreement.agreement import printed_alpha
from annotation.analytics.agreement.intervals import alpha_interval
from annotation.analytics.raters.raters import (
    Drift,
    Estimate,
    Flags,
    Integers,
    LongestRun,
    RaterAnswers,
    bias,
    correlation_with_others,
    drift,
    longest_run,
    own_variance,
)
from annotation.analytics.raters.screening_terms import RaterEvidence
from annotation.engine.csv_cells import Cell
from annotation.engine.rubric.rubric import Metric, Scale


@dataclass(frozen=True, slots=True)
class MetricOfRater:
    """One rater on one metric; `mean` is None for labels, `correlation` is with the others."""

    metric: Metric
    answers: int
    implied: int
    mean: float | None
    bias: Estimate
    drift: Drift
    run: LongestRun | None
    correlation: float | None
    shared_units: int


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """One rater over all metrics; shares are None where there is nothing to take them of.

    `skip_share` is the share of answers that a skip rule filled in.
    """

    name: str
    answers: int
    skip_share: float | None
    seconds_per_event: float | None
    timed_traces: int
    variance: float | None
    watched_share: float | None
    gold: tuple[int, int]
    traps: tuple[int, int]
    repeats: tuple[int, int]
    metrics: tuple[MetricOfRater, ...]

    @property
    def self_agreement(self) -> float | None:
        """The share of repeated answers that were the same again."""
        return same_again(*self.repeats)


def same_again(same: int, repeats: int) -> float | None:
    """The share of so many repeated answers, None of none."""
    return same / repeats if repeats else None


@dataclass(frozen=True, slots=True)
class PairOfRaters:
    """Two raters by name, what they share, and their alpha on one metric."""

    first: str
    second: str
    metric: Metric
    units: int
    traces: int
    alpha: float | None
    reason: str


def rater_figures(
    answers: Sequence[RaterAnswers], evidence: Sequence[RaterEvidence]
) -> tuple[RaterFigures, ...]:
    """The figures of every rater, in the order of `evidence`."""
    return tuple(_figures(rater, item, answers) for rater, item in enumerate(evidence))


@dataclass(frozen=True, slots=True)
class AlphaOfSome:
    """Alpha of some of the raters, with its interval, or the reason why there is none."""

    raters: int
    alpha: float | None
    low: float | None
    high: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class BothSides:
    """Alpha on one metric of one data set, with everybody and with the accepted raters."""

    dataset: str
    metric: Metric
    everybody: AlphaOfSome
    accepted: AlphaOfSome

    @property
    def sides(self) -> tuple[AlphaOfSome, AlphaOfSome]:
        return self.everybody, self.accepted


def with_everybody_and_accepted(
    answers: RaterAnswers,
    *,
    is_accepted: Flags,
    datasets: Sequence[str],
    unit_datasets: Integers,
    seed: int,
) -> list[BothSides]:
    """One row per data set that has answers; `unit_datasets` is the place of each unit's, (N,).

    The intervals are those of the report: over traces, by the same seed on both sides.
    """
    rows = []
    of_answers = unit_datasets[answers.units]
    for place, name in enumerate(datasets):
        of_dataset = of_answers == place
        if not of_dataset.any():
            continue
        sides = []
        for chosen in (of_dataset, of_dataset & is_accepted[answers.raters]):
            units, rows_of = np.unique(answers.units[chosen], return_inverse=True)
            counts = np.zeros((len(units), len(answers.definition.values)), dtype=np.int64)
            np.add.at(counts, (rows_of, answers.values[chosen]), 1)
            traces = np.zeros(len(units), dtype=np.int64)
            traces[rows_of] = answers.traces[chosen]
            level = answers.definition.level
            alpha = printed_alpha(counts, level)
            interval = alpha_interval(counts, traces, level, np.random.default_rng(seed))
            sides.append(
                AlphaOfSome(
                    raters=len(np.unique(answers.raters[chosen])),
                    alpha=alpha.value,
                    low=interval.low,
                    high=interval.high,
                    reason=alpha.reason or interval.reason,
                )
            )
        rows.append(BothSides(name, answers.metric, *sides))
    return rows


CSV_COLUMNS = (
    "rater", "metric", "answers", "implied", "mean", "bias", "bias_low", "bias_high", "bias_z",
    "shared_units", "correlation_with_others", "drift", "drift_low", "drift_high", "fifth_1",
    "fifth_2", "fifth_3", "fifth_4", "fifth_5", "first_third", "last_third", "longest_run",
    "run_value", "seconds_per_event", "timed_traces", "variance", "watched_share", "gold_right",
    "gold", "traps_right", "traps", "repeats_same", "repeats", "self_agreement", "skip_share",
)  # fmt: skip


def rater_csv_rows(figures: Sequence[RaterFigures]) -> Iterator[list[Cell]]:
    """Yield the header and one row per rater and metric; figures of the rater repeat in each."""
    yield list(CSV_COLUMNS)
    for rater in figures:
        for item in rater.metrics:
            cells: tuple[Cell, ...] = (
                rater.name, item.metric.value, item.answers, item.implied, item.mean,
                item.bias.value, item.bias.low, item.bias.high, item.bias.z,
                item.shared_units, item.correlation, item.drift.change.value,
                item.drift.change.low, item.drift.change.high, *item.drift.fifths,
                item.drift.first_third, item.drift.last_third,
                item.run.length if item.run else None, item.run.value if item.run else None,
                rater.seconds_per_event, rater.timed_traces, rater.variance, rater.watched_share,
                *rater.gold, *rater.traps, *rater.repeats, rater.self_agreement, rater.skip_share,
            )  # fmt: skip
            yield list(cells)


def _figures(rater: int, item: RaterEvidence, answers: Sequence[RaterAnswers]) -> RaterFigures:
    own = [given.raters == rater for given in answers]
    count = sum(int(flags.sum()) for flags in own)
    implied = sum(
        int(given.is_implied[flags].sum()) for given, flags in zip(answers, own, strict=True)
    )
    scales = [given for given in answers if given.definition.scale is Scale.LIKERT]
    return RaterFigures(
        name=item.name,
        answers=count,
        skip_share=implied / count if count else None,
        seconds_per_event=median(item.seconds_per_event) if item.seconds_per_event else None,
        timed_traces=len(item.seconds_per_event),
        variance=own_variance(scales, rater)[0],
        watched_share=fmean(item.watched) if item.watched else None,
        gold=(sum(item.gold), len(item.gold)),
        traps=(sum(item.traps), len(item.traps)),
        repeats=(sum(item.repeats), len(item.repeats)),
        metrics=tuple(
            _metric(given, flags, rater) for given, flags in zip(answers, own, strict=True)
        ),
    )


def _metric(answers: RaterAnswers, is_own: Flags, rater: int) -> MetricOfRater:
    values = answers.values[is_own]
    # A 1-5 scale is shown from 1, yes/no as the share of yes.
    first = 1 if answers.definition.scale is Scale.LIKERT else 0
    correlation, shared = correlation_with_others(answers, rater)
    return MetricOfRater(
        metric=answers.metric,
        answers=len(values),
        implied=int(answers.is_implied[is_own].sum()),
        mean=float(values.mean()) + first if answers.is_ordered and len(values) else None,
        bias=bias(answers, rater),
        drift=drift(answers, rater),
        run=longest_run(answers, rater),
        correlation=correlation,
        shared_units=shared,
    )
