"""Procedure Logic: the confidence-weighted score of PIE-V, and a published composite agreement.

Letters: N events. Both start from tallies, (N, 2, 3) int: how many raters gave an event the answer
no (logic intact, 0) or yes (logic broken, 1) with confidence 1, 2 or 3.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement import Alpha, krippendorff_alpha
from annotation.engine.rubric import CONFIDENCE_VALUES, Level

Tallies = npt.NDArray[np.integer]

INTACT, BROKEN = 0, 1
NO_WEIGHTED_RATINGS = "no answer on Procedure Logic has a confidence"
# Weight of the yes/no part in the composite: default `w` of the method's published analysis script.
POLARITY_WEIGHT = 0.7


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


@dataclass(frozen=True, slots=True)
class PublishedComposite:
    """A weighted sum of two alphas, or the reason why there is none; `confidence` is the second."""

    value: float | None
    reason: str
    polarity: Alpha
    confidence: float | None
    confidence_among_yes: Alpha
    confidence_among_no: Alpha


def score_procedure_logic(tallies: Tallies) -> LogicScore:
    """Return PL(e) = sum of q * y over sum of q for each event, and its mean over events.

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


def published_composite_agreement(
    tallies: Tallies, *, polarity_weight: float = POLARITY_WEIGHT
) -> PublishedComposite:
    """Return w * alpha of the answers + (1 - w) * alpha of the confidences.

    Source: the analysis script published with PIE-V; the paper does not mention this number, and
    it is not what the report calls alpha. The answers' alpha is nominal. The confidences' alpha is
    the mean of the ordinal alphas of confidence among yes and among no answers, weighted by the
    number of answers; a group whose alpha cannot be computed is left out of that mean.
    """
    polarity = krippendorff_alpha(tallies.sum(axis=2), Level.NOMINAL)
    among_yes = krippendorff_alpha(tallies[:, BROKEN], Level.ORDINAL)
    among_no = krippendorff_alpha(tallies[:, INTACT], Level.ORDINAL)
    confidence = _weighted_mean(
        (among_yes, among_no),
        (int(tallies[:, BROKEN].sum()), int(tallies[:, INTACT].sum())),
    )
    reasons = [] if polarity.value is not None else [f"answers: {polarity.reason}"]
    if confidence is None:
        reasons.append(f"confidence of yes answers: {among_yes.reason}")
        reasons.append(f"confidence of no answers: {among_no.reason}")
    value = None
    if polarity.value is not None and confidence is not None:
        value = polarity_weight * polarity.value + (1 - polarity_weight) * confidence
    return PublishedComposite(
        value=value,
        reason="; ".join(reasons),
        polarity=polarity,
        confidence=confidence,
        confidence_among_yes=among_yes,
        confidence_among_no=among_no,
    )


def _weighted_mean(alphas: tuple[Alpha, ...], weights: tuple[int, ...]) -> float | None:
    defined = [
        (alpha.value, weight)
        for alpha, weight in zip(alphas, weights, strict=True)
        if alpha.value is not None
    ]
    if not defined:
        return None
    return sum(value * weight for value, weight in defined) / sum(weight for _, weight in defined)
