"""Procedure Logic: the confidence-weighted score of PIE-V.

Letters: N events. It starts from tallies, (N, 2, 3) int: how many raters gave an event the answer
no (logic intact, 0) or yes (logic broken, 1) with confidence 1, 2 or 3.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.engine.rubric import CONFIDENCE_VALUES

Tallies = npt.NDArray[np.integer]

BROKEN = 1
NO_WEIGHTED_RATINGS = "no answer on Procedure Logic has a confidence"


@dataclass(frozen=True, slots=True)
class LogicScore:
    """Confidence-weighted share of "broken" answers, 0 to 1, or the reason why there is none.

    `per_event` has None where nobody answered with a confidence; `overall` is the mean over the
    `rated_events` that somebody did. `ratings` counts the answers that entered.
    """

    per_event: tuple[float | None, ...]
    overall: float | None
    rated_events: int
    ratings: int
    reason: str


def score_procedure_logic(tallies: Tallies) -> LogicScore:
    """PL(e) = sum of q * y over sum of q for each event, and its mean over events.

    Source: PIE-V, eq. 1. Its example has two raters who say broken with confidence 3 and one who
    says intact with confidence 2:

    >>> score_procedure_logic(np.array([[[0, 1, 0], [0, 0, 2]]])).per_event
    (0.75,)
    """
    weights = tallies @ np.array(CONFIDENCE_VALUES)
    totals = weights.sum(axis=1)
    is_rated = totals > 0
    scores = weights[is_rated, BROKEN] / totals[is_rated]
    per_event: list[float | None] = [None] * len(totals)
    for index, score in zip(np.flatnonzero(is_rated), scores, strict=True):
        per_event[index] = float(score)
    return LogicScore(
        per_event=tuple(per_event),
        overall=float(scores.mean()) if len(scores) else None,
        rated_events=len(scores),
        ratings=int(tallies.sum()),
        reason="" if len(scores) else NO_WEIGHTED_RATINGS,
    )
