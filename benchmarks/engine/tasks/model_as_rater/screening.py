"""Which recordings people should look at first, by what a model answered about their events."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from annotation.engine.rubric import NO, YES, Metric, Scale
from benchmarks.engine.task import Answered, Item
from benchmarks.engine.tasks.model_as_rater.columns import MetricColumns, columns_of

Floats = npt.NDArray[np.float64]
# The end of each scale that finds fault; confusable and of which type is no fault.
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
    """What comes first: where the model is least sure, or where it expects people to find fault."""

    UNCERTAINTY = "uncertainty"
    PROBLEM = "expected problem"


def first_to_look_at(
    items: Sequence[Item],
    answers: Sequence[Answered],
    metrics: Collection[Metric],
    rule: SortingRule,
) -> dict[str, float]:
    """How soon each recording should be looked at, 0 (last) to 1, by the answers to some metrics.

    The value of an event is the mean over its metrics, of a recording that of its highest event.
    Recordings that the answers say nothing of are not in it.
    """
    events: dict[tuple[str, str], list[float]] = defaultdict(list)
    for metric, columns in columns_of(items, answers).items():
        if metric in metrics:
            values = _uncertainty(columns) if rule is SortingRule.UNCERTAINTY else _problem(columns)
            for item, value in zip(columns.items, values, strict=True):
                if not np.isnan(value):
                    events[item.recording, item.truth["event"]].append(float(value))
    found: dict[str, float] = {}
    for (recording, _), event in events.items():
        found[recording] = max(found.get(recording, 0.0), float(np.mean(event)))
    return found


def _problem(columns: MetricColumns) -> Floats:
    """(N,) how far towards the end of the scale that finds fault; nan where nothing was read."""
    metric, values = columns.definition.metric, columns.definition.values
    if metric not in WORST:
        return np.full(len(columns), np.nan)
    share = columns.scores / (len(values) - 1)
    return share if values.index(WORST[metric]) else 1 - share


def _uncertainty(columns: MetricColumns) -> Floats:
    """(N,) from 0, sure, to 1; what could not be read is 1.

    Of yes or no it is how near the score is to the middle; of a scale how far repeats lie apart, or
    a score between two places; of labels the share of repeats that are not the commonest.
    """
    repeats, scores = columns.repeats, columns.scores
    highest = len(columns.definition.values) - 1
    unread = (~np.isnan(repeats)).sum(axis=1) == 0
    found = np.ones(len(columns))
    if columns.definition.scale is Scale.YES_NO:
        found = 1 - np.abs(2 * scores - 1)
    elif columns.definition.scale is Scale.LIKERT:
        spread = np.nanstd(np.where(unread.reshape(-1, 1), 0.0, repeats), axis=1) / (highest / 2)
        found = np.maximum(spread, 2 * np.abs(scores - np.rint(scores)))
    else:
        for row in np.flatnonzero(~unread):
            _, counts = np.unique(repeats[row][~np.isnan(repeats[row])], return_counts=True)
            found[row] = 1 - counts.max() / counts.sum()
    return np.where(unread, 1.0, found)
