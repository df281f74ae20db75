"""Who sees which cases of the disagreement desk, and what of them: answers by letter, no names.

Researchers see all cases of their campaigns, unless they rate in an open round of the same data;
raters see those whose trace they submitted themselves. A case whose trace somebody rates again in
an open round is hidden from them until that round closes.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.http import Http404

from annotation.engine.ratings.adjudication import SHOWN_CAUSES, Cause
from annotation.engine.rubric.rubric import current_rubric
from annotation.models import (
    Assignment,
    Campaign,
    Case,
    CaseComment,
    CaseRater,
    CaseState,
    Purpose,
    Rating,
    Round,
    User,
)
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.campaigns import may_change_campaign, visible_campaigns
from annotation.selectors.campaigns.rounds import rounds_of_rater
from annotation.selectors.corpus.blinding import (
    HiddenWhileRatingError,
    hidden_because,
    why_figures_are_hidden,
)

# A metric of the whole trace has no event, neither here nor there, and nothing equals it in SQL.
_SAME_UNIT = Q(event=OuterRef("event")) | Q(event__isnull=True)
TITLES = current_rubric().titles
# The heading of a case without a metric.
REMARKED = "What raters said"


@dataclass(frozen=True, slots=True)
class Desk:
    """A campaign as one person sees its desk; a rater sees own cases and decides nothing.

    Names of data sets and traces are shown only to those who see them elsewhere.
    """

    campaign: Campaign
    is_researcher: bool = False
    may_decide: bool = False
    shows_sources: bool = False


def open_rounds_of(user: User) -> QuerySet[Round]:
    return rounds_of_rater(user).filter(closed_at__isnull=True)


def _researched_campaigns(user: User) -> QuerySet[Campaign]:
    # The campaigns that share data with an open round in which the user rates.
    rated = open_rounds_of(user).values("campaign")
    same = Campaign.objects.filter(pk__in=rated).values("datasets")
    return visible_campaigns(user).exclude(
        pk__in=Campaign.objects.filter(Q(pk__in=rated) | Q(datasets__in=same)).values("pk")
    )


def own_cases(user: User) -> QuerySet[Case]:
    """What the user can discuss as a rater: cases of traces submitted and not being rated again."""
    joined = Campaign.objects.filter(raters__rater=user).values("pk")
    rated_again = Assignment.objects.filter(rater=user, round__closed_at__isnull=True)
    return Case.objects.filter(
        raters__rater=user, round__campaign__in=joined, round__closed_at__isnull=False
    ).exclude(trace__in=rated_again.values("trace"))


def get_desk(user: User, public_id: str) -> Desk:
    """The desk of a campaign for those who run it or rate in it.

    Raises Http404, or HiddenWhileRatingError for a researcher who rates the same data elsewhere.
    """
    campaign = Campaign.objects.filter(public_id=public_id, kind=RATINGS).first()
    if campaign is None:
        raise Http404
    return _desk_of(user, campaign)


def _desk_of(user: User, campaign: Campaign) -> Desk:
    if _researched_campaigns(user).filter(pk=campaign.pk).exists():
        return Desk(
            campaign,
            is_researcher=True,
            may_decide=may_change_campaign(user, campaign),
            shows_sources=not why_figures_are_hidden(user, campaign),
        )
    if campaign.raters.filter(rater=user).exists():
        return Desk(campaign)
    if visible_campaigns(user).filter(pk=campaign.pk).exists():
        names = open_rounds_of(user).values_list("campaign__name", flat=True)
        raise HiddenWhileRatingError(hidden_because(sorted(set(names))))
    raise Http404


def get_case(user: User, public_id: str) -> tuple[Case, Desk]:
    """A case with everything that its page shows in one row; raises Http404."""
    related = (
        "round__campaign", "round__guideline", "round__ratings", "event__target", "decided_by",
        "adjudicated", "trace__dataset", "trace__video__ingest", "trace__take__dataset",
        "trace__take__video__ingest",
    )  # fmt: skip
    closed = Case.objects.filter(public_id=public_id, round__closed_at__isnull=False)
    case = closed.select_related(*related).first()
    if case is None:
        raise Http404
    desk = _desk_of(user, case.round.campaign)
    if not desk.is_researcher and not own_cases(user).filter(pk=case.pk).exists():
        raise Http404
    return case, desk


def get_decidable_case(user: User, public_id: str) -> Case:
    """A case of a campaign that the user may change; raises Http404."""
    case, desk = get_case(user, public_id)
    if not desk.may_decide:
        raise Http404
    return case


def cases_of(user: User, desk: Desk) -> QuerySet[Case]:
    """The cases of a desk, the widest disagreement first."""
    cases = Case.objects.filter(round__closed_at__isnull=False)
    if not desk.is_researcher:
        cases = own_cases(user)
    return (
        cases.filter(round__campaign=desk.campaign)
        .select_related("round", "trace__dataset", "trace__take", "event")
        .order_by(F("score").desc(nulls_last=True), "round__number", "pk")
    )


def comment_counts(cases: Iterable[Case]) -> dict[int, int]:
    """How many comments each case (row id) has; cases without any are left out."""
    comments = CaseComment.objects.filter(case__in=[case.pk for case in cases]).order_by()
    return dict(comments.values_list("case").annotate(count=Count("pk")))


def differing_pair(first: int, second: int) -> Q:
    """The cases to which two raters (row ids) gave different answers."""
    of_first = (
        Rating.objects.filter(
            _SAME_UNIT,
            assignment__rater=first,
            assignment__purpose=Purpose.ORDINARY,
            assignment__round=OuterRef("assignment__round"),
            assignment__trace=OuterRef("assignment__trace"),
            metric=OuterRef("metric"),
        )
        .exclude(value="")
        .exclude(value=OuterRef("value"))
    )
    differing = Rating.objects.filter(
        _SAME_UNIT,
        Exists(of_first),
        assignment__rater=second,
        assignment__purpose=Purpose.ORDINARY,
        assignment__round=OuterRef("round"),
        assignment__trace=OuterRef("trace"),
        metric=OuterRef("metric"),
    ).exclude(value="")
    return Q(Exists(differing))


@dataclass(frozen=True, slots=True)
class StateCounts:
    """How many cases there are, by state and, of the decided ones, by cause in words."""

    total: int
    open: int
    discussed: int
    decided: int
    by_cause: tuple[tuple[str, int], ...]


def count_cases(cases: QuerySet[Case]) -> StateCounts:
    rows = list(cases.order_by().values_list("state", "cause").annotate(count=Count("pk")))
    states: dict[str, int] = defaultdict(int)
    for state, _, count in rows:
        states[state] += count
    causes = {cause: count for _, cause, count in rows if cause}
    return StateCounts(
        total=sum(states.values()),
        open=states[CaseState.OPEN],
        discussed=states[CaseState.DISCUSSED],
        decided=states[CaseState.DECIDED],
        by_cause=tuple((SHOWN_CAUSES[cause], causes[cause]) for cause in Cause if cause in causes),
    )


def cases_to_discuss(user: User) -> dict[int, int]:
    """By round (row id), how many cases the user can discuss as a rater and are undecided."""
    undecided = own_cases(user).exclude(state=CaseState.DECIDED).order_by()
    counted = undecided.values_list("round").annotate(count=Count("pk"))
    return dict(counted)


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """A choice above the queue: value -> (words, the cases that it keeps)."""

    key: str
    label: str
    choices: dict[str, tuple[str, Q]]


def case_filters(user: User, desk: Desk) -> list[CaseFilter]:
    """What the queue can be narrowed to; data sets and raters only where they may be known."""
    cases = cases_of(user, desk).select_related(None).order_by()
    of_round = ("round__number", "round__phase", "round__public_id")
    of_dataset = ("trace__dataset__name", "trace__dataset__public_id")
    rows = list(cases.values_list("metric", *of_round, *of_dataset).distinct())
    by_round = {
        public_id: (f"{number}, {phase}", Q(round__public_id=public_id))
        for number, phase, public_id in sorted({row[1:4] for row in rows})
    }
    present = {metric for metric, *_ in rows}
    by_metric = {
        metric: (TITLES[metric], Q(metric=metric)) for metric in TITLES if metric in present
    }
    if "" in present:
        by_metric["none"] = (REMARKED, Q(metric=""))
    filters = [CaseFilter("round", "Round", by_round), CaseFilter("metric", "Question", by_metric)]
    if desk.shows_sources:
        by_dataset = {
            public_id: (name, Q(trace__dataset__public_id=public_id))
            for name, public_id in sorted({row[4:] for row in rows})
        }
        filters.append(CaseFilter("dataset", "Data set", by_dataset))
    if desk.is_researcher:
        filters.append(CaseFilter("pair", "Raters who differ", _pairs(desk)))
    by_state = {state.value: (state.label, Q(state=state)) for state in CaseState}
    by_cause = {cause.value: (SHOWN_CAUSES[cause], Q(cause=cause)) for cause in Cause}
    flagged = {"yes": ("flagged by a rater", Q(is_flagged=True))}
    return [
        *filters,
        CaseFilter("state", "State", by_state),
        CaseFilter("cause", "Cause", by_cause),
        CaseFilter("flagged", "Flagged", flagged | {"no": ("not flagged", Q(is_flagged=False))}),
    ]


def _pairs(desk: Desk) -> dict[str, tuple[str, Q]]:
    """Every two raters who submitted one trace with a case, by their names."""
    rows = CaseRater.objects.filter(case__round__campaign=desk.campaign).order_by()
    together = defaultdict(set)
    for trace, round_id, rater, name in rows.values_list(
        "case__trace", "case__round", "rater", "rater__username"
    ).distinct():
        together[trace, round_id].add((name, rater))
    pairs = {pair for people in together.values() for pair in combinations(sorted(people), 2)}
    return {
        f"{first},{second}": (f"{first} and {second}", differing_pair(first_id, second_id))
        for (first, first_id), (second, second_id) in sorted(pairs)
    }
