"""The pictures of a paper, from the same figures as its tables."""

from collections.abc import Sequence
from enum import StrEnum

from annotation.analytics.agreement.comparisons import Comparison
from annotation.analytics.pictures.canvas import Picture
from annotation.analytics.pictures.distribution import AnswerCounts, Distribution
from annotation.analytics.pictures.dumbbell import Change, Dumbbell
from annotation.analytics.pictures.forest import ForestMark, ForestPlot
from annotation.analytics.raters.raters import Estimate
from annotation.analytics.tables.own_rows import OwnFigures
from annotation.analytics.tables.published import published_datasets
from annotation.engine.corpus.step_words import what_raters_saw
from annotation.engine.rubric.rubric import Metric, Rubric, Scale


class PaperPicture(StrEnum):
    """A picture of one's own figures, by its name in addresses and files."""

    FOREST = "forest"
    BEFORE_AFTER = "before-after"
    DISTRIBUTION = "distribution"


def paper_picture(
    which: PaperPicture,
    figures: Sequence[OwnFigures],
    comparisons: Sequence[Comparison] = (),
    *,
    rubric_: Rubric,
    has_published: bool = False,
) -> Picture:
    """A picture of one's own figures; `has_published` puts the paper's alphas below them."""
    if which is PaperPicture.FOREST:
        return _forest(figures, rubric_, has_published)
    if which is PaperPicture.BEFORE_AFTER:
        return _before_after(comparisons, rubric_)
    return _distribution(figures, rubric_)


def _forest(figures: Sequence[OwnFigures], rubric_: Rubric, has_published: bool) -> ForestPlot:
    marks = []
    for definition in rubric_.metrics:
        metric = definition.metric
        for item in figures:
            if (row := item.rows.get(metric)) is None:
                continue
            reason = row.reason if row.alpha is None else row.interval.reason
            alpha = Estimate(row.alpha, low=row.interval.low, high=row.interval.high, reason=reason)
            marks.append(ForestMark(definition.title, item.name, alpha, row.paired_units))
        for published in published_datasets() if has_published else ():
            if metric in published.alpha:
                alpha = Estimate(published.alpha[metric])
                marks.append(ForestMark(definition.title, f"{published.name}*", alpha))
    note = "* as published in the PIE-V paper" if has_published else ""
    fits = [row for item in figures if (row := item.rows.get(Metric.TAXONOMY_FIT)) is not None]
    told = what_raters_saw(words for row in fits for words in row.basis.step_words)
    return ForestPlot("Agreement on each metric", marks, note, told)


def _before_after(comparisons: Sequence[Comparison], rubric_: Rubric) -> Dumbbell:
    """The last two rounds that were compared; each data set has its rows."""
    of_rounds = [item for item in comparisons if item.dataset]
    if not of_rounds:
        return Dumbbell("Before and after", "before", "after", ())
    last = of_rounds[-1]
    shown = [item for item in of_rounds if (item.first, item.second) == (last.first, last.second)]
    datasets = {item.dataset for item in shown}
    return Dumbbell(
        title="Agreement before and after",
        before_title=last.first,
        after_title=last.second,
        changes=[
            Change(
                rubric_.definition(item.metric).title
                + (f", {item.dataset}" if len(datasets) > 1 else ""),
                item.first_alpha,
                item.second_alpha,
                _change(item),
            )
            for item in shown
        ],
        note="; ".join(dict.fromkeys(item.basis for item in shown)) + ".",
    )


def _change(item: Comparison) -> Estimate:
    """From first to second; the comparison is of first minus second."""
    if item.difference is None:
        return Estimate(None, reason=item.reason)
    low, high = item.interval.low, item.interval.high
    if low is None or high is None:
        return Estimate(-item.difference, reason=item.interval.reason)
    return Estimate(-item.difference, low=-high, high=-low)


def _distribution(figures: Sequence[OwnFigures], rubric_: Rubric) -> Distribution:
    """Of metrics with answers; labels stand as their letters, which alone have room in a bar."""
    items = []
    for definition in rubric_.metrics:
        is_label = definition.scale is Scale.TAXONOMY
        values = [value if is_label else definition.shown(value) for value in definition.values]
        items += [
            AnswerCounts(definition.title, item.name, values, row.value_counts)
            for item in figures
            if (row := item.rows.get(definition.metric)) is not None
        ]
    answered = {item.metric for item in items if item.total}
    shown = [item for item in items if item.metric in answered]
    return Distribution("Answers to each metric", shown)
