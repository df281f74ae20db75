"""Which recordings people should look at first, given a model's answers about their events."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from annotation.engine.rubric.rubric import NO, YES, Metric, Scale
from benchmarks.engine.task import Answered, Item
from benchmarks.engine.tasks.model_as_rater.columns import MetricColumns, columns_of

Floats = npt.NDArray[np.float64]
# The end of each scale that means a problem; the other metrics have none.
WORST = {
    Metric.ERROR_VALIDITY: NO,
    Metric.HUMAN_PLAUSIBILITY: "1",
    Metric.PROCEDURE_LOGIC: YES,
    Metric.SEQUENCE_CONSISTENCY: "1",
    Metric.STATE_CHANGE_COHERENCE: YES,
}


class Verdict(StrEnum):
    """What a model may be used for."""

    PASSES = "passes"
    MAY_SCREEN = "may screen"
    NOT_USABLE = "not usable"


class SortingRule(StrEnum):
    """What comes first: where the model is least sure, or where it expects a problem."""

    UNCERTAINTY = "uncertainty"
    PROBLEM = "expected problem"


def first_to_look_at(
    items: Sequence[Item],
    answers: Sequence[Answered],
    metrics: Collection[Metric],
    rule: SortingRule,
) -> dict[str, float]:
    """How soon each recording should be looked at, 0 (last) to 1, by the answers to some metrics.

    An event has the mean over its metrics, a recording the highest of its events. Recordings
    without such answers are left out.
    """
    events: dict[tuple[str, str], list[float]] = defaultdict(list)
    for metric, columns in columns_of(items, answers).items():
        if metric in metrics:
            values = _uncertainty(columns) if rule is SortingRule.UNCERTAINTY else _problem(columns)
            for item, value in zip(columns.items, values, strict=True):
                if not np.isnan(value):
                    events[item.recording, item.truth["event"]].append(float(value))
    urgency: dict[str, float] = {}
    for (recording, _), event in events.items():
        urgency[recording] = max(urgency.get(recording, 0.0), float(np.mean(event)))
    return urgency


def _problem(columns: MetricColumns) -> Floats:
    """How near the answer is to the end of the scale that means a problem, (N,); nan for none."""
    metric, values = columns.definition.metric, columns.definition.values
    if metric not in WORST:
        return np.full(len(columns), np.nan)
    share = columns.scores / (len(values) - 1)
    return share if values.index(WORST[metric]) else 1 - share


def _uncertainty(columns: MetricColumns) -> Floats:
    """From 0 (sure) to 1, (N,); an answer that could not be read is 1.

    For yes or no it is how near the score is to the middle; for a scale how far repeats lie apart,
    or a score lies between two values; for labels the share of repeats that are not the commonest.
    """
    repeats, scores = columns.repeats, columns.scores
    highest = len(columns.definition.values) - 1
    unread = (~np.isnan(repeats)).sum(axis=1) == 0
    uncertainty = np.ones(len(columns))
    if columns.definition.scale is Scale.YES_NO:
        uncertainty = 1 - np.abs(2 * scores - 1)
    elif columns.definition.scale is Scale.LIKERT:
        spread = np.nanstd(np.where(unread.reshape(-1, 1), 0.0, repeats), axis=1) / (highest / 2)
        uncertainty = np.maximum(spread, 2 * np.abs(scores - np.rint(scores)))
    else:
        for row in np.flatnonzero(~unread):
            _, counts = np.unique(repeats[row][~np.isnan(repeats[row])], return_counts=True)
            uncertainty[row] = 1 - counts.max() / counts.sum()
    return np.where(unread, 1.0, uncertainty)
