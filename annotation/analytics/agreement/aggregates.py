"""What the raters said on a metric, in one number or one list of shares, with its n.

One function for a whole dataset and for one event: an event is a dataset of one row. Percent yes,
means and label shares are taken over ratings (PIE-V, section D.2: the percentage of yes judgments,
the arithmetic mean over annotator ratings), Procedure Logic over events as its equation 1 says.
`event_mean` counts every event once however many rated it; the two differ only when raters are
missing. Nothing is filled in for a missing rating.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from annotation.analytics.agreement.metric_ratings import MetricRatings
from annotation.analytics.agreement.procedure_logic import score_procedure_logic
from annotation.engine.rubric.rubric import LIKERT_VALUES, YES, YES_NO_VALUES, Scale

NO_RATINGS = "no ratings"


class AggregateKind(StrEnum):
    PERCENT_YES = "percent_yes"
    MEAN = "mean"
    CONFIDENCE_WEIGHTED = "confidence_weighted"
    MODAL_SHARE = "modal_share"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The answers to one metric in sum, or the reason why there is nothing to sum.

    `value` is a mean (1-5) for `mean` and a percentage (0-100) for every other kind, also for the
    confidence-weighted share of equation 1, so that a column does not mix percentages and shares.
    `labels` are the most frequent labels (several on a tie) and `shares` all that occur with their
    percentage, most frequent first; both are for Taxonomy Fit only. `ratings` is the n behind
    `value`; `missing` counts ratings still due, and `left_out` those that exist but could not
    enter, as an answer without its confidence.
    """

    kind: AggregateKind
    missing: int
    value: float | None = None
    event_mean: float | None = None
    text: str = ""
    ratings: int = 0
    reason: str = ""
    labels: tuple[str, ...] = ()
    shares: tuple[tuple[str, float], ...] = ()
    left_out: int = 0

    @property
    def label(self) -> str:
        return "/".join(self.labels)


def aggregate_ratings(ratings: MetricRatings) -> Aggregate:
    """The aggregate that the metric's scale calls for, over all units."""
    if ratings.logic_tallies is not None:
        score = score_procedure_logic(ratings.logic_tallies)
        if score.overall is None:
            reason = score.reason if ratings.rating_count else NO_RATINGS
            return _nothing(AggregateKind.CONFIDENCE_WEIGHTED, ratings, reason)
        return Aggregate(
            kind=AggregateKind.CONFIDENCE_WEIGHTED,
            value=100 * score.overall,
            event_mean=100 * score.overall,
            text=f"{100 * score.overall:.0f}% {_shown_yes(ratings)}",
            ratings=score.ratings,
            missing=ratings.missing_count,
            left_out=ratings.rating_count - score.ratings,
        )
    if ratings.definition.scale is Scale.TAXONOMY:
        return _label_shares(ratings)
    return _scale_mean(ratings)


def _scale_mean(ratings: MetricRatings) -> Aggregate:
    is_yes_no = ratings.definition.scale is Scale.YES_NO
    kind = AggregateKind.PERCENT_YES if is_yes_no else AggregateKind.MEAN
    if not ratings.rating_count:
        return _nothing(kind, ratings, NO_RATINGS)
    points = (
        [100.0 * (value == YES) for value in YES_NO_VALUES]
        if is_yes_no
        else [float(value) for value in LIKERT_VALUES]
    )
    sizes = ratings.counts.sum(axis=1)
    sums = ratings.counts @ np.array(points)
    value = float(sums.sum() / sizes.sum())
    is_rated = sizes > 0
    return Aggregate(
        kind=kind,
        value=value,
        event_mean=float((sums[is_rated] / sizes[is_rated]).mean()),
        text=f"{value:.0f}% {_shown_yes(ratings)}" if is_yes_no else f"{value:.2f}",
        ratings=ratings.rating_count,
        missing=ratings.missing_count,
    )


def _label_shares(ratings: MetricRatings) -> Aggregate:
    if not ratings.rating_count:
        return _nothing(AggregateKind.MODAL_SHARE, ratings, NO_RATINGS)
    totals = ratings.counts.sum(axis=0)
    # A stable sort keeps labels of equal frequency in the rubric's order.
    order = [int(column) for column in np.argsort(-totals, kind="stable") if totals[column]]
    names = ratings.definition.values
    shares = tuple((names[column], float(100 * totals[column] / totals.sum())) for column in order)
    labels = tuple(names[column] for column in order if totals[column] == totals.max())
    sizes = ratings.counts.sum(axis=1)
    is_rated = sizes > 0
    modal_counts = ratings.counts[is_rated][:, order[0]]
    return Aggregate(
        kind=AggregateKind.MODAL_SHARE,
        value=shares[0][1],
        event_mean=float(100 * (modal_counts / sizes[is_rated]).mean()),
        text=", ".join(f"{name} ({share:.0f}%)" for name, share in shares),
        ratings=ratings.rating_count,
        missing=ratings.missing_count,
        labels=labels,
        shares=shares,
    )


def _nothing(kind: AggregateKind, ratings: MetricRatings, reason: str) -> Aggregate:
    return Aggregate(kind, ratings.missing_count, reason=reason, left_out=ratings.rating_count)


def _shown_yes(ratings: MetricRatings) -> str:
    return ratings.definition.shown(YES).lower()
