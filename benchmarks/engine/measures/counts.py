"""Figures of yes and no as functions of counts, for as many draws as there are rows of sums.

Letters: N answers, G recordings (or takes, where several recordings share one), D draws. Answers
are columns, (N,) each: `truth`, 1 for yes; `predicted`, 1 for yes, 0 for no, nan for an answer that
was not read; `score`, higher for a surer yes, nan where there is none.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from benchmarks.engine.measures.decisions import AreaByRecording, curve
from benchmarks.engine.measures.ratios import ratio
from benchmarks.engine.task import Answered, Curve, Figure, Item, Measure, Tally

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# In draws, average precision sorts scores into this many bins at most; over all items it is exact,
# and the area under the curve always is.
SCORE_PLACES = 256
CURVE_POINTS = 101

UNREAD_IS_WRONG = "What could not be read counts as wrong."
RANKED_WORST = "What has no score is ranked worst."
YES_NO_MEASURES = (
    Measure("f1", "F1"),
    Measure("precision", "Precision"),
    Measure("recall", "Recall"),
    Measure("specificity", "Specificity"),
    Measure("accuracy", "Accuracy", note="Of the answers that could be read."),
    Measure("accuracy_of_all", "Accuracy of all", note=UNREAD_IS_WRONG),
    Measure("f1_of_all", "F1 of all", note=UNREAD_IS_WRONG),
    Measure("precision_of_all", "Precision of all", note=UNREAD_IS_WRONG),
    Measure("recall_of_all", "Recall of all", note=UNREAD_IS_WRONG),
    Measure("specificity_of_all", "Specificity of all", note=UNREAD_IS_WRONG),
    Measure("auc", "AUC", needs_scores=True),
    Measure("auc_of_all", "AUC of all", needs_scores=True, note=RANKED_WORST),
    Measure("average_precision", "Average precision", needs_scores=True),
    Measure(
        "average_precision_of_all",
        "Average precision of all",
        needs_scores=True,
        note=RANKED_WORST,
    ),
)


def cluster_names(items: Sequence[Item]) -> tuple[tuple[str, ...], Ints]:
    """The clusters that resampling draws (takes, else recordings), and the cluster of each item."""
    owners = [item.take or item.recording for item in items]
    # np.unique would sort all names, up to a million; only a few hundred differ.
    place = {name: number for number, name in enumerate(sorted(set(owners)))}
    return tuple(place), np.fromiter(map(place.__getitem__, owners), np.int64, len(owners))


def summed(rows: Floats, places: Ints, cluster_count: int) -> Floats:
    """Rows, (N, K), added up by cluster, (G, K)."""
    columns = [np.bincount(places, weights=column, minlength=cluster_count) for column in rows.T]
    return np.column_stack(columns)


def computed_once(figures: Figure) -> Figure:
    """The same function, which remembers its last result: measures ask in turn about one draw."""
    last: list[tuple[Floats, Floats]] = []

    def of(sums: Floats) -> Floats:
        if not last or last[0][0] is not sums:
            last[:] = [(sums, figures(sums))]
        return last[0][1]

    return of


def by_column(figures: Figure, names: Iterable[str]) -> dict[str, Figure]:
    """One figure per name from figures that are computed together, (D, number of names)."""

    def column(place: int) -> Figure:
        return lambda sums: figures(sums)[:, place]

    return {name: column(place) for place, name in enumerate(names)}


@dataclass(frozen=True, slots=True)
class YesNo:
    """Answers to yes/no items as columns, (N,) each."""

    truth: Floats
    predicted: Floats
    score: Floats

    @classmethod
    def of(cls, items: Sequence[Item], answers: Sequence[Answered], yes: str) -> "YesNo":
        """Columns of answers; everything but `yes` is a no."""
        # One pass without a list: the answers of a large set may be read as they are asked for, and
        # most baselines give the same again and again.
        predicted, scores = array("d"), array("d")
        last, is_yes, score = None, np.nan, np.nan
        for answer in answers:
            value = answer.value
            if value is not last:
                last = value
                is_yes = np.nan if value is None else value["answer"] == yes
                given = None if value is None else value.get("score")
                score = np.nan if given is None else given
            predicted.append(is_yes)
            scores.append(score)
        return cls(
            truth=np.array([item.truth["answer"] == yes for item in items], dtype=np.float64),
            predicted=np.array(predicted),
            score=np.array(scores),
        )

    def tally(self, names: tuple[str, ...], places: Ints) -> Tally:
        """The measures of `YES_NO_MEASURES`; zero denominators of precision, recall, F1 give 0."""
        truth, predicted = self.truth == 1, self.predicted
        read = ~np.isnan(predicted)
        kinds = [
            read & truth & (predicted == 1), read & ~truth & (predicted == 1),
            read & truth & (predicted == 0), read & ~truth & (predicted == 0), ~read, ~truth,
            ~read & truth,
        ]  # fmt: skip
        counts = summed(np.column_stack(kinds).astype(np.float64), places, len(names))
        figures = yes_no_figures()
        if np.isnan(self.score).all():
            return Tally(names, counts, figures)
        scored = ~np.isnan(self.score)
        every = self if scored.all() else replace(self, score=self._with_worst_scores())
        ranked = [self] if every is self else [self, every]
        binned = [columns._by_place(places, len(names)) for columns in ranked]
        # Bins that hold one score each say all; else figures also ask which clusters were drawn.
        is_whole = all(bins.shape[1] < 2 * SCORE_PLACES for bins in binned)
        parts = [counts, np.empty((len(names), 0)) if is_whole else np.eye(len(names)), *binned]
        ends = np.cumsum([part.shape[1] for part in parts])
        drawn, *bins = map(slice, ends[:-1], ends[1:])
        of_each = [
            _figures_of_bins(own) if is_whole else columns._figures_of_ranks(places, drawn, own)
            for columns, own in zip(ranked, bins, strict=True)
        ]
        (auc, precision), (auc_of_all, precision_of_all) = of_each[0], of_each[-1]
        of_scores: dict[str, Figure] = {
            "auc": auc,
            "auc_of_all": auc_of_all,
            "average_precision": precision,
            "average_precision_of_all": precision_of_all,
        }
        return Tally(names, np.hstack(parts), {**figures, **of_scores})

    def _figures_of_ranks(self, places: Ints, drawn: slice, bins: slice) -> tuple[Figure, Figure]:
        """Area under the curve and average precision of sums that say how often each was drawn.

        `drawn` are these columns of the sums, `bins` those of `_by_place`.
        """
        scored = ~np.isnan(self.score)
        truth, scores = self.truth[scored] == 1, self.score[scored]
        area, whole = AreaByRecording.of(truth, scores, places[scored]), curve(truth, scores)

        def average_precision(sums: Floats) -> Floats:
            precision = _average_precision(sums[:, bins])
            if whole is not None:
                precision[(sums[:, drawn] == 1).all(axis=1)] = whole.average_precision
            return precision

        def auc(sums: Floats) -> Floats:
            # `area` knows no clusters after the last one with a score.
            return area.areas(sums[:, drawn][:, : len(area.positives)])

        return computed_once(auc), computed_once(average_precision)

    def _with_worst_scores(self) -> Floats:
        """The scores; where there is none, below all for a yes, above all for a no, but finite."""
        worst = np.where(self.truth == 1, np.nanmin(self.score) - 1, np.nanmax(self.score) + 1)
        return np.where(np.isnan(self.score), worst, self.score)

    def _by_place(self, places: Ints, cluster_count: int) -> Floats:
        """How many yes and no each cluster has in each bin of the score, highest first."""
        has_score = ~np.isnan(self.score)
        scores, is_no = self.score[has_score], (self.truth[has_score] == 0).astype(np.int64)
        distinct, ranks = np.unique(scores, return_inverse=True)
        if len(distinct) > SCORE_PLACES:
            edges = np.quantile(scores, np.linspace(0, 1, SCORE_PLACES + 1)[1:-1])
            ranks = np.searchsorted(edges, scores, side="right")
        # Most baselines have two different scores, and no more columns for them.
        width = min(len(distinct), SCORE_PLACES)
        cells = (places[has_score] * 2 + is_no) * width + (width - 1 - ranks)
        counted = np.bincount(cells, minlength=cluster_count * 2 * width)
        return counted.reshape(cluster_count, -1).astype(np.float64)

    def curve(self) -> Curve | None:
        """Figures of saying yes above a threshold, at `CURVE_POINTS` thresholds at most."""
        has_score = ~np.isnan(self.score)
        truth = self.truth[has_score] == 1
        roc = curve(truth, self.score[has_score])
        if roc is None:
            return None
        steps = np.unique(np.linspace(0, len(roc.thresholds) - 1, CURVE_POINTS).round())
        at = steps.astype(np.int64)[1:]
        recall, false = roc.true_positive_rates[at], roc.false_positive_rates[at]
        hits, alarms = recall * truth.sum(), false * (~truth).sum()
        lines: Mapping[str, Floats] = {
            "precision": roc.precisions[at],
            "recall": recall,
            "f1": 2 * hits / (hits + alarms + truth.sum()),
            "accuracy": (hits + (~truth).sum() - alarms) / len(truth),
        }
        return Curve(
            thresholds=tuple(map(float, roc.thresholds[at])),
            lines={name: tuple(map(float, line)) for name, line in lines.items()},
        )


def yes_no_figures() -> dict[str, Figure]:
    """Figures from sums (D, 7 or more).

    The columns: true yes, false yes, false no, true no, unread, true "no", unread that are a "yes".
    Where no item is a "no", as among the mistakes of one type, precision and F1 are undefined.
    """

    def or_zero(above: Floats, below: Floats, is_defined: Floats) -> Floats:
        # Without answers there is no figure: a 0 would say that answers were wrong.
        return np.where(is_defined > 0, ratio(above, below, 0.0), np.nan)

    def answered(sums: Floats) -> Floats:
        total: Floats = sums[:, :4].sum(axis=1)
        return total

    return {
        "f1": lambda s: or_zero(
            2 * s[:, 0], 2 * s[:, 0] + s[:, 1] + s[:, 2], answered(s) * s[:, 5]
        ),
        "precision": lambda s: or_zero(s[:, 0], s[:, 0] + s[:, 1], answered(s) * s[:, 5]),
        "recall": lambda s: or_zero(s[:, 0], s[:, 0] + s[:, 2], answered(s)),
        "specificity": lambda s: ratio(s[:, 3], s[:, 1] + s[:, 3]),
        "accuracy": lambda s: ratio(s[:, 0] + s[:, 3], s[:, :4].sum(axis=1)),
        "accuracy_of_all": lambda s: ratio(s[:, 0] + s[:, 3], s[:, :5].sum(axis=1)),
        "f1_of_all": lambda s: or_zero(
            2 * s[:, 0], 2 * s[:, 0] + s[:, 1] + s[:, 2] + s[:, 4], s[:, :5].sum(axis=1) * s[:, 5]
        ),
        "precision_of_all": lambda s: or_zero(
            s[:, 0], s[:, 0] + s[:, 1] + s[:, 4] - s[:, 6], s[:, :5].sum(axis=1) * s[:, 5]
        ),
        "recall_of_all": lambda s: or_zero(
            s[:, 0], s[:, 0] + s[:, 2] + s[:, 6], s[:, :5].sum(axis=1)
        ),
        "specificity_of_all": lambda s: ratio(s[:, 3], s[:, 5]),
    }


def _figures_of_bins(bins: slice) -> tuple[Figure, Figure]:
    """Area under the curve and average precision of sums with such bins, each of one score."""
    return (
        computed_once(lambda sums: _area(sums[:, bins])),
        computed_once(lambda sums: _average_precision(sums[:, bins])),
    )


def _area(sums: Floats) -> Floats:
    """The chance that a yes has a higher score than a no, ties one half, of (D, 2 * bins)."""
    yes, no = np.split(sums, 2, axis=1)
    all_no = no.sum(axis=1)
    below = all_no[:, np.newaxis] - np.cumsum(no, axis=1)
    return ratio((yes * (below + no / 2)).sum(axis=1), yes.sum(axis=1) * all_no)


def _average_precision(sums: Floats) -> Floats:
    """The sum of recall step times precision over falling scores, of (D, 2 * bins)."""
    yes, no = np.split(sums, 2, axis=1)
    hits = np.cumsum(yes, axis=1)
    precision = ratio(hits, hits + np.cumsum(no, axis=1), 0.0)
    all_yes = yes.sum(axis=1)
    return ratio((precision * yes).sum(axis=1), np.where(no.sum(axis=1) > 0, all_yes, 0.0))
