"""Reading the screening of a round's raters: thresholds, what rules found, who is left out."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import OuterRef, Q, QuerySet, Subquery, Sum

from annotation.models import (
    Assignment,
    Round,
    ScreeningPlan,
    ScreeningResult,
    ScreeningState,
    User,
)


def screening_plan(round_: Round) -> ScreeningPlan:
    """What is stored of a round's screening, else the usual thresholds and no run yet."""
    plans = ScreeningPlan.objects.filter(round=round_).select_related("job")
    return plans.first() or ScreeningPlan(round=round_)


def screening_plan_and_newer(round_: Round) -> tuple[ScreeningPlan, int]:
    """As `screening_plan`, and how often ratings were changed since the rules ran (1 query)."""
    own = Assignment.objects.filter(round=OuterRef("round")).order_by().values("round")
    changes = own.annotate(count=Sum("change_count")).values("count")
    plans = ScreeningPlan.objects.filter(round=round_).select_related("job")
    plan = plans.annotate(changes=Subquery(changes)).first()
    if plan is None:
        return ScreeningPlan(round=round_), 0
    return plan, max(0, (plan.changes or 0) - plan.change_count)


def screening_results(round_: Round) -> QuerySet[ScreeningResult]:
    """What is stored about the raters of a round, with names, in the order of raters and rules."""
    rows = round_.screening_results.select_related("rater", "made_by")
    return rows.order_by("rater__username", "pk")


class FoundResult(NamedTuple):
    """What a page shows of a result; there are eleven for each rater, so rows of the model cost."""

    rater_id: int
    rule: str
    state: str
    value: float | None
    threshold: float | None
    reason: str


def results_of(round_: Round, raters: Iterable[int]) -> list[FoundResult]:
    """What is stored about these raters of a round, in the order of raters and rules."""
    rows = screening_results(round_).filter(rater__in=list(raters))
    return [FoundResult(*row) for row in rows.values_list(*FoundResult._fields)]


def notable_results(round_: Round) -> QuerySet[ScreeningResult]:
    """Of them the flags and what people decided."""
    rows = screening_results(round_)
    return rows.filter(Q(state=ScreeningState.FLAGGED) | Q(rule=ScreeningResult.DECISION))


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
