"""Reading the screening of a round's raters: thresholds, what rules found, who is left out."""

from collections.abc import Sequence

from django.db.models import QuerySet

from annotation.models import Round, ScreeningPlan, ScreeningResult, ScreeningState, User


def screening_plan(round_: Round) -> ScreeningPlan:
    """What is stored of a round's screening, else the usual thresholds and no run yet."""
    return ScreeningPlan.objects.filter(round=round_).first() or ScreeningPlan(round=round_)


def screening_results(round_: Round) -> QuerySet[ScreeningResult]:
    """What is stored about the raters of a round, with names, in the order of raters and rules."""
    rows = round_.screening_results.select_related("rater", "made_by")
    return rows.order_by("rater__username", "pk")


def left_out(results: Sequence[ScreeningResult]) -> set[int]:
    """The raters who are not accepted: excluded, or flagged and not yet decided upon."""
    decided = {
        item.rater_id: item.state for item in results if item.rule == ScreeningResult.DECISION
    }
    flagged = {item.rater_id for item in results if item.state == ScreeningState.FLAGGED}
    excluded = {rater for rater, state in decided.items() if state == ScreeningState.EXCLUDED}
    return (flagged - decided.keys()) | excluded


def raters_of_round(round_: Round) -> QuerySet[User]:
    """The people who have or had a trace in the round."""
    return User.objects.filter(assignments__round=round_).distinct()
