"""The agreement report: one row per data set, metric and round, for page, command, API and CSV."""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from annotation.analytics.agreement.aggregates import AggregateKind, aggregate_ratings
from annotation.analytics.agreement.agreement import NO_PAIRS, Alpha, printed_alpha
from annotation.analytics.agreement.between_raters import alpha_without_each
from annotation.analytics.agreement.coefficients import Coefficients, coefficients
from annotation.analytics.agreement.intervals import Interval, alpha_interval
from annotation.analytics.agreement.metric_ratings import Basis, MetricRatings
from annotation.analytics.agreement.procedure_logic import LogicAgreement, logic_agreement
from annotation.engine.corpus.step_words import what_raters_saw
from annotation.engine.rubric.rubric import Level, Metric, MetricDefinition, Scale, Scope

RESAMPLES = 1000
NOT_COMPUTED = "not asked for"
# Nearly everybody agrees, and alpha is low all the same: the row explains why.
HIGH_AGREEMENT, LOW_ALPHA = 0.8, 0.4

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class BesideAlpha:
    """Figures beside alpha, so that it is not misread.

    `nominal`, `ordinal` and `interval` are alphas at the levels that make sense. `without_implied`
    leaves out what skip rules filled in. `lowest_without_one` and `highest_without_one` are the
    range of alpha when each rater in turn is left out. `prevalence` is the share of the commonest
    value, `commonest`. `note` says in words why alpha is low where nearly everybody agrees, and
    where the package and our own count differ.
    """

    nominal: float | None
    ordinal: float | None
    interval: float | None
    without_implied: float | None
    lowest_without_one: float | None
    highest_without_one: float | None
    prevalence: float | None
    commonest: str
    ratings_per_unit: float | None
    note: str


KINDS = "of mistakes", "of corrections"


@dataclass(frozen=True, slots=True)
class KindAgreement:
    """How far raters agree on the mistakes alone, or on the corrections alone, of a row.

    Nothing else than `ReportRow` says of all events, of fewer of them.
    """

    alpha: float | None
    interval: Interval
    units: int
    paired_units: int
    ratings: int
    reason: str


@dataclass(frozen=True, slots=True)
class ReportRow:
    """What the raters of one data set said on one metric in one round, and how far they agreed.

    `units` counts the events (or traces) to rate, `paired_units` those with two or more ratings,
    which alone enter alpha. Of the `ratings`, `implied` were filled in by a skip rule and
    `left_out` could not enter the aggregate (an answer without its confidence). `aggregate` is in
    the unit that `aggregate_kind` names; `aggregate_event_mean` counts each event once.
    `unjudged` counts answers that raters could not give, with a reason: no ratings, none missing.
    `reason` says why alpha or the aggregate is None and is empty when neither is. `logic` is there
    for Procedure Logic only. `cluster_unit` is what was drawn and left out: trace or take.
    `ratings_hash` is of all that the row was computed from. `value_counts` is how often each value
    of the scale was given. `is_exploratory` says that a protocol was filed and does not name the
    metric, `is_incomplete` that it is of too few answers or raters, see `analytics.planned`.
    `of_mistakes` and `of_corrections` are of each kind of events alone, None for whole traces.
    """

    dataset: str
    basis: Basis
    metric: Metric
    level: Level
    alpha: float | None
    interval: Interval
    cluster_unit: str
    units: int
    paired_units: int
    raters: int
    ratings: int
    missing: int
    implied: int
    left_out: int
    aggregate: float | None
    aggregate_kind: AggregateKind
    aggregate_label: str
    aggregate_text: str
    aggregate_event_mean: float | None
    coefficients: Coefficients
    beside: BesideAlpha
    logic: LogicAgreement | None
    reason: str
    unjudged: int
    seed: int
    ratings_hash: str
    value_counts: tuple[int, ...] = ()
    is_exploratory: bool = False
    is_incomplete: bool = False
    of_mistakes: KindAgreement | None = None
    of_corrections: KindAgreement | None = None

    @property
    def kinds(self) -> dict[str, KindAgreement]:
        """Both kinds by their words where there are events of both; else the row says it all."""
        mistakes, corrections = self.of_mistakes, self.of_corrections
        if not (mistakes and corrections and mistakes.units and corrections.units):
            return {}
        return dict(zip(KINDS, (mistakes, corrections), strict=True))

    @property
    def planned(self) -> int:
        """How many answers were planned: given, not judged with a reason, and missing."""
        return self.ratings + self.unjudged + self.missing

    @property
    def coverage(self) -> float:
        """The share of the planned answers that are there; 0 where none were planned."""
        return (self.ratings + self.unjudged) / self.planned if self.planned else 0.0

    @property
    def step_words(self) -> str:
        """What raters saw of changes: of Taxonomy Fit only, whose answer words can give away."""
        return ", ".join(self.basis.step_words) if self.metric is Metric.TAXONOMY_FIT else ""

    @property
    def coefficient_name(self) -> str:
        return self.coefficients.suited(self.level)[0]

    @property
    def coefficient(self) -> float | None:
        return self.coefficients.suited(self.level)[1]

    @property
    def kappa(self) -> float | None:
        """The mean of Cohen's kappa over pairs of raters."""
        return self.coefficients.suited(self.level)[2]

    def to_dict(self) -> dict[str, Cell]:
        """The row as one flat JSON object; it is also one line of the CSV file."""
        cells: dict[str, Any] = {}
        for column, path in COLUMNS.items():
            cells[column] = self
            for name in path.split("."):
                # What a metric does not have, as the parts of Procedure Logic, is empty.
                found = cells[column]
                cells[column] = None if found is None else getattr(found, name)
        return cells


# Where in a row each column of JSON and CSV stands.
COLUMNS = {
    "dataset": "dataset",
    "metric": "metric",
    "level": "level",
    "alpha": "alpha",
    "alpha_low": "interval.low",
    "alpha_high": "interval.high",
    "units": "units",
    "paired_units": "paired_units",
    "raters": "raters",
    "ratings": "ratings",
    "missing": "missing",
    "implied": "implied",
    "left_out": "left_out",
    "aggregate": "aggregate",
    "aggregate_kind": "aggregate_kind",
    "aggregate_label": "aggregate_label",
    "aggregate_text": "aggregate_text",
    "aggregate_event_mean": "aggregate_event_mean",
    "reason": "reason",
    "interval_reason": "interval.reason",
    "unjudged": "unjudged",
    "campaign": "basis.campaign",
    "round": "basis.round",
    "phase": "basis.phase",
    "guideline_version": "basis.guideline",
    "rubric_version": "basis.rubric",
    "is_pooled": "basis.is_pooled",
    "basis": "basis.text",
    "interval_method": "interval.method",
    "clusters": "interval.clusters",
    "cluster_unit": "cluster_unit",
    "resamples": "interval.draws",
    "undefined_share": "interval.undefined_share",
    "percentile_low": "interval.percentile_low",
    "percentile_high": "interval.percentile_high",
    "standard_error": "interval.standard_error",
    "coefficient": "coefficient_name",
    "coefficient_value": "coefficient",
    "kappa": "kappa",
    **{item.name: f"coefficients.{item.name}" for item in fields(Coefficients)},
    "alpha_nominal": "beside.nominal",
    "alpha_ordinal": "beside.ordinal",
    "alpha_interval": "beside.interval",
    "alpha_without_implied": "beside.without_implied",
    "lowest_without_one_rater": "beside.lowest_without_one",
    "highest_without_one_rater": "beside.highest_without_one",
    "prevalence": "beside.prevalence",
    "commonest_value": "beside.commonest",
    "ratings_per_unit": "beside.ratings_per_unit",
    "logic_composite": "logic.composite",
    **{f"logic_{item.name}": f"logic.{item.name}" for item in fields(LogicAgreement)},
    "note": "beside.note",
    "seed": "seed",
    "ratings_hash": "ratings_hash",
    "is_exploratory": "is_exploratory",
    "planned": "planned",
    "coverage": "coverage",
    "is_incomplete": "is_incomplete",
    "step_words": "step_words",
    **{
        f"{kind}_{column}": f"of_{kind}.{path}"
        for kind in ("mistakes", "corrections")
        for column, path in (
            ("alpha", "alpha"),
            ("alpha_low", "interval.low"),
            ("alpha_high", "interval.high"),
            ("interval_method", "interval.method"),
            ("units", "units"),
            ("paired_units", "paired_units"),
            ("ratings", "ratings"),
            ("reason", "reason"),
            ("interval_reason", "interval.reason"),
        )
    },
}


def build_report(
    ratings: Iterable[MetricRatings],
    *,
    seed: int | None = None,
    resamples: int = RESAMPLES,
    rows_by_hash: Mapping[str, ReportRow] | None = None,
) -> tuple[ReportRow, ...]:
    """One row per item of `ratings`, in their order; items are let go of as they come.

    `seed` (0 or more; else that of the round) fixes the intervals, each row's by itself, so that a
    row does not change with the company it is in; `resamples` 0 leaves intervals out.
    `rows_by_hash` are rows with the same options by the hash of their ratings: these are taken over
    and not computed again.
    """
    rows_by_hash = rows_by_hash or {}
    return tuple(
        rows_by_hash.get(item.hash)
        or _report_row(item, item.basis.seed if seed is None else seed, resamples)
        for item in ratings
    )


def report_csv_rows(
    rows: Iterable[ReportRow], *, freshness: Mapping[str, Cell] | None = None
) -> Iterator[list[Cell]]:
    """Yield the header and then one list of cells per row.

    `freshness` are columns with the same cell in every row: of when the figures are.
    """
    same = dict(freshness or {})
    columns = (*COLUMNS, *same)
    yield list(columns)
    for row in rows:
        cells = row.to_dict() | same
        yield [cells[column] for column in columns]


def report_rng(seed: int, dataset: str, metric: Metric) -> np.random.Generator:
    """The generator of one data set and metric, whatever else is in the report."""
    return np.random.default_rng([seed, zlib.crc32(f"{dataset}\0{metric}".encode())])


def _report_row(ratings: MetricRatings, seed: int, resamples: int) -> ReportRow:
    definition = ratings.definition
    alpha = printed_alpha(ratings.counts, definition.level)
    aggregate = aggregate_ratings(ratings)
    has_kinds = definition.scope is Scope.EVENT
    is_ordered = definition.level is not Level.NOMINAL
    found = coefficients(ratings.answers, is_ordered=is_ordered)
    tallies = ratings.logic_tallies
    return ReportRow(
        dataset=ratings.dataset,
        basis=ratings.basis,
        metric=ratings.metric,
        level=definition.level,
        alpha=alpha.value,
        interval=_interval(ratings, alpha, seed, resamples),
        cluster_unit=ratings.cluster_noun,
        units=ratings.unit_count,
        paired_units=alpha.units,
        raters=ratings.rater_count,
        ratings=ratings.rating_count,
        missing=ratings.missing_count,
        implied=ratings.implied_count,
        left_out=aggregate.left_out,
        aggregate=aggregate.value,
        aggregate_kind=aggregate.kind,
        aggregate_label=aggregate.label,
        aggregate_text=aggregate.text,
        aggregate_event_mean=aggregate.event_mean,
        coefficients=found,
        beside=_beside(ratings, alpha, found),
        logic=None if tallies is None else logic_agreement(ratings.counts, tallies),
        reason=_reason(ratings, alpha.reason, aggregate.reason),
        unjudged=ratings.unjudged_count,
        seed=seed,
        ratings_hash=ratings.hash,
        value_counts=tuple(ratings.counts.sum(axis=0).tolist()),
        of_mistakes=_of_kind(ratings, False, seed, resamples) if has_kinds else None,
        of_corrections=_of_kind(ratings, True, seed, resamples) if has_kinds else None,
    )


def _interval(ratings: MetricRatings, alpha: Alpha, seed: int, resamples: int) -> Interval:
    if not resamples:
        return Interval(None, None, alpha.reason or NOT_COMPUTED)
    rng = report_rng(seed, ratings.dataset, ratings.metric)
    return alpha_interval(
        ratings.counts, ratings.clusters, ratings.definition.level, rng, resamples
    )


def _of_kind(
    ratings: MetricRatings, is_correction: bool, seed: int, resamples: int
) -> KindAgreement:
    part = ratings.of_units(ratings.is_correction == is_correction)
    alpha = printed_alpha(part.counts, part.definition.level)
    noun = "correction" if is_correction else "mistake"
    reason = alpha.reason
    if not part.unit_count:
        reason = f"there is no {noun} to rate"
    elif reason == NO_PAIRS:
        reason = f"no {noun} has two raters yet"
    return KindAgreement(
        alpha=alpha.value,
        interval=_interval(part, alpha, seed, resamples),
        units=part.unit_count,
        paired_units=alpha.units,
        ratings=part.rating_count,
        reason=reason,
    )


def _beside(ratings: MetricRatings, alpha: Alpha, figures: Coefficients) -> BesideAlpha:
    answers, definition = ratings.answers, ratings.definition
    levels = list(Level) if definition.scale is Scale.LIKERT else [definition.level]
    at_levels = {
        level: alpha.value
        if level is definition.level
        else printed_alpha(answers.counts, level).value
        for level in levels
    }
    without_implied = alpha.value
    if ratings.implied_count:
        typed = answers.chosen(~ratings.is_implied)
        without_implied = printed_alpha(typed.counts, definition.level).value
    without_each = alpha_without_each(answers, definition.level)[np.unique(answers.raters)]
    without_each = without_each[~np.isnan(without_each)]
    totals = answers.counts.sum(axis=0)
    rated = int((answers.counts.sum(axis=1) > 0).sum())
    commonest = definition.values[int(totals.argmax())] if ratings.rating_count else ""
    prevalence = float(totals.max() / totals.sum()) if ratings.rating_count else None
    return BesideAlpha(
        **{level.value: at_levels.get(level) for level in Level},
        without_implied=without_implied,
        lowest_without_one=float(without_each.min()) if len(without_each) else None,
        highest_without_one=float(without_each.max()) if len(without_each) else None,
        prevalence=prevalence,
        commonest=commonest,
        ratings_per_unit=ratings.rating_count / rated if rated else None,
        note=" ".join(
            [
                *_placeholder_note(ratings.placeholder_count),
                *_words_note(ratings),
                *filter(None, _notes(definition, alpha, figures, prevalence, commonest)),
            ]
        ),
    )


def _placeholder_note(count: int) -> Iterator[str]:
    if count:
        answers = "1 answer" if count == 1 else f"{count:,} answers"
        yield f"Left apart: {answers} about recordings of placeholders."


def _words_note(ratings: MetricRatings) -> Iterator[str]:
    if ratings.metric is Metric.TAXONOMY_FIT and ratings.basis.step_words:
        yield what_raters_saw(ratings.basis.step_words, has_name=False)


def _notes(
    definition: MetricDefinition,
    alpha: Alpha,
    figures: Coefficients,
    prevalence: float | None,
    commonest: str,
) -> Iterator[str]:
    agreement = figures.percent_agreement
    if alpha.difference:
        yield (
            f"The krippendorff package and our own count differ by {alpha.difference:.1e}: "
            "please report this."
        )
    if agreement is None or alpha.value is None or prevalence is None:
        return
    if agreement >= HIGH_AGREEMENT and alpha.value < LOW_ALPHA:
        name, value, _ = figures.suited(definition.level)
        beside = "" if value is None else f" {name}, which such shares move less, is {value:.2f}."
        yield (
            f"{agreement:.0%} of the pairs agree, and alpha is low all the same: "
            f"{prevalence:.0%} of the answers are “{definition.shown(commonest)}”, so that so much "
            f"agreement would come about by chance.{beside}"
        )


def _reason(ratings: MetricRatings, alpha_reason: str, aggregate_reason: str) -> str:
    definition = ratings.definition
    noun = "trace" if definition.scope is Scope.TRACE else "event"
    if not ratings.unit_count:
        return f"no {noun} has a video" if definition.needs_video else f"there is no {noun} to rate"
    if alpha_reason == NO_PAIRS:
        alpha_reason = f"no {noun} has two raters yet"
    # Both say the same when nobody has rated yet; once is enough.
    return "; ".join(dict.fromkeys(filter(None, (alpha_reason, aggregate_reason))))
