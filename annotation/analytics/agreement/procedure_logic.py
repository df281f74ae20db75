"""Procedure Logic: the confidence-weighted score of PIE-V, and how far raters agree on it.

Letters: N events. The score starts from tallies, (N, 2, 3) int: how many raters gave an event the
answer no (logic intact, 0) or yes (logic broken, 1) with confidence 1, 2 or 3.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement.agreement import printed_alpha
from annotation.engine.rubric.rubric import CONFIDENCE_VALUES, Level

Tallies = npt.NDArray[np.integer]

INTACT, BROKEN = 0, 1
# What the answers weigh in the composite beside the confidences: the default of PIE-V's published
# script (analysis/procedure_logic_score.py); the paper has no composite.
POLARITY_WEIGHT = 0.7
# The published script leaves out a group with fewer confidences.
LEAST_CONFIDENCES = 2
NO_WEIGHTED_RATINGS = "no answer on Procedure Logic has a confidence"


@dataclass(frozen=True, slots=True)
class LogicScore:
    """Confidence-weighted share of "broken" answers, 0 to 1, or the reason why there is none.

    `per_event` has None where nobody answered with a confidence; `overall` is the mean over the
    events where somebody did. `ratings` counts the answers that entered.
    """

    per_event: tuple[float | None, ...]
    overall: float | None
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
    told = iter(scores.tolist())
    return LogicScore(
        per_event=tuple(next(told) if is_known else None for is_known in is_rated),
        overall=float(scores.mean()) if len(scores) else None,
        ratings=int(tallies.sum()),
        reason="" if len(scores) else NO_WEIGHTED_RATINGS,
    )


@dataclass(frozen=True, slots=True)
class LogicAgreement:
    """The published composite with its parts; None where a part cannot be computed.

    `polarity` is the nominal alpha of yes and no over all answers, with a confidence or without.
    `confidence_yes` and `confidence_no` are the ordinal alphas of the confidences among those who
    gave that answer, `n_yes` and `n_no` how many confidences they gave; `confidence` is their mean
    by these numbers. `signed_ordinal` is the ordinal alpha of -3..-1 (intact) and 1..3 (broken),
    which needs no weight.
    """

    polarity: float | None
    confidence_yes: float | None
    n_yes: int
    confidence_no: float | None
    n_no: int
    confidence: float | None
    signed_ordinal: float | None

    @property
    def composite(self) -> float | None:
        """The mean of polarity and confidence, weighted as in the published script."""
        if self.polarity is None or self.confidence is None:
            return None
        return POLARITY_WEIGHT * self.polarity + (1 - POLARITY_WEIGHT) * self.confidence


def logic_agreement(counts: Tallies, tallies: Tallies) -> LogicAgreement:
    """How far raters agree on Procedure Logic: counts (N, 2) of all answers, tallies (N, 2, 3)."""
    sizes = {side: int(tallies[:, side].sum()) for side in (INTACT, BROKEN)}
    alphas = {
        side: printed_alpha(tallies[:, side], Level.ORDINAL).value
        for side, size in sizes.items()
        if size >= LEAST_CONFIDENCES
    }
    known = [(sizes[side], alpha) for side, alpha in alphas.items() if alpha is not None]
    total = sum(size for size, _ in known)
    signed = np.concatenate([tallies[:, INTACT, ::-1], tallies[:, BROKEN]], axis=1)
    return LogicAgreement(
        polarity=printed_alpha(counts, Level.NOMINAL).value,
        confidence_yes=alphas.get(BROKEN),
        n_yes=sizes[BROKEN],
        confidence_no=alphas.get(INTACT),
        n_no=sizes[INTACT],
        confidence=sum(size * alpha for size, alpha in known) / total if known else None,
        signed_ordinal=printed_alpha(signed, Level.ORDINAL).value,
    )
