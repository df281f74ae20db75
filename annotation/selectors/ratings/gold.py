"""Reading gold and checks: which there are, how raters did with them, what could become gold.

Raters get nothing from here: everything that tells what is gold takes a campaign that came from
`get_gold_campaign`, which annotators and who rates in it do not get.
"""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, F, Max, Min, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.engine.ratings.gold import CheckKind, accepted_values
from annotation.engine.rubric.rubric import Metric, Rubric, rubric
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    GoldItem,
    GoldSource,
    Purpose,
    Rating,
    Round,
    RoundChecks,
    Trace,
    User,
)
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.campaigns import (
    changeable_campaigns,
    get_changeable_campaign,
    get_readable_campaign,
    visible_campaigns,
)
from annotation.selectors.campaigns.rounds import rubric_version_of
from annotation.selectors.corpus.blinding import refuse_while_rating
from annotation.selectors.corpus.corpus import event_names

LEAST_RATERS = 3


@dataclass(frozen=True, slots=True)
class CheckAnswers:
    """How one rater did with the checks of a round; each entry is one answer.

    `gold` and `traps` say whether it is accepted, `repeats` whether the second answer is the first
    again. `early_repeats` were answered after fewer other traces than the round asks for, because
    the first was skipped or reopened; they count nowhere.
    """

    gold: tuple[bool, ...] = ()
    traps: tuple[bool, ...] = ()
    repeats: tuple[bool, ...] = ()
    early_repeats: int = 0


@dataclass(frozen=True, slots=True)
class RepeatedAnswer:
    """One question that a rater answered twice."""

    rater: int
    trace: int
    event: int | None
    metric: Metric
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class ChecksOfRater:
    """How many checks of each kind a rater has in a round, beside the ordinary traces."""

    username: str
    ordinary: int
    gold: int
    traps: int
    repeats: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question that all raters of a closed round answered alike."""

    trace: Trace
    event_index: int | None
    event_name: str
    metric: Metric
    title: str
    value: str
    shown: str
    raters: int

    @property
    def key(self) -> str:
        place = "" if self.event_index is None else self.event_index
        return f"{self.trace.public_id}:{place}:{self.metric.value}"


def get_gold_campaign(user: User, public_id: str) -> Campaign:
    """A campaign whose gold the user may see; raises Http404 or HiddenWhileRatingError."""
    return get_readable_campaign(user, public_id)


def get_gold_campaign_to_change(user: User, public_id: str) -> Campaign:
    campaign = get_changeable_campaign(user, public_id)
    refuse_while_rating(user, campaign)
    return campaign


def gold_of(campaign: Campaign) -> QuerySet[GoldItem]:
    """All gold of a campaign, the retired last."""
    return (
        GoldItem.objects.filter(campaign=campaign)
        .select_related("trace", "event", "round", "made_by")
        .order_by(
            F("retired_at").asc(nulls_first=True),
            "trace__name",
            F("event__index").asc(nulls_last=True),
            "pk",
        )
    )


def get_gold_item(user: User, public_id: str, *, to_change: bool = False) -> GoldItem:
    """One item of a campaign that the user may see; raises Http404."""
    # One query for both: the words of a campaign's 404 would tell that there is such an item.
    campaigns = changeable_campaigns(user) if to_change else visible_campaigns(user)
    items = GoldItem.objects.select_related("campaign", "trace", "event", "round", "made_by")
    item = get_object_or_404(items, public_id=public_id, campaign__in=campaigns)
    if to_change:
        get_gold_campaign_to_change(user, item.campaign.public_id)
    else:
        get_gold_campaign(user, item.campaign.public_id)
    return item


def get_trace_of_campaign(campaign: Campaign, public_id: str) -> Trace:
    """A trace of the campaign's data sets; raises Http404."""
    return get_object_or_404(traces_of(campaign), public_id=public_id)


def traces_of(campaign: Campaign) -> QuerySet[Trace]:
    traces = Trace.objects.filter(dataset__campaigns=campaign)
    return traces.select_related("take__dataset", "take__video", "video", "dataset")


def changeable_campaigns_of(user: User, trace: Trace) -> QuerySet[Campaign]:
    """The campaigns in which the user can mark gold on a trace."""
    campaigns = changeable_campaigns(user).filter(kind=RATINGS, datasets=trace.dataset_id)
    return campaigns.order_by("name")


def active_gold(campaign: Campaign | int) -> QuerySet[GoldItem]:
    """The gold of a campaign that counts."""
    return GoldItem.objects.filter(campaign=campaign, retired_at__isnull=True)


def gold_traces(campaign: Campaign) -> QuerySet[Trace]:
    """The traces of the campaign's data sets with gold that counts."""
    items = active_gold(campaign).values("trace")
    return Trace.objects.filter(dataset__campaigns=campaign, pk__in=items)


def checks_of(round_: Round) -> RoundChecks:
    """What a round asks for beside ordinary traces; nothing unless somebody planned it."""
    checks: RoundChecks | None = getattr(round_, "checks", None)
    return checks or RoundChecks(round=round_)


def ordinary_per_rater(round_: Round) -> int | None:
    """About how many ordinary traces each rater gets, None while nobody takes part."""
    raters = round_.raters.count()
    if not raters:
        return None
    return round_.ratings.traces.count() * min(round_.overlap, raters) // raters


def rubric_of(campaign: Campaign) -> Rubric:
    return rubric(rubric_version_of(campaign))


def check_answers(round_: Round) -> dict[int, CheckAnswers]:
    """How every rater did with the checks of a round, by the id of the rater (four queries)."""
    rubric_ = rubric(round_.ratings.rubric_version)
    gold: dict[int, list[bool]] = defaultdict(list)
    traps: dict[int, list[bool]] = defaultdict(list)
    accepted = {
        (item.trace_id, item.event_id, item.metric): (
            accepted_values(rubric_.definition(Metric(item.metric)), item.accepted, item.band),
            item.source == GoldSource.TRAP,
        )
        for item in active_gold(round_.campaign_id)
    }
    answers = Rating.objects.filter(
        assignment__round=round_,
        assignment__purpose=Purpose.GOLD,
        assignment__status=AssignmentStatus.SUBMITTED,
    ).exclude(value="")
    fields = ("assignment__rater_id", "assignment__trace_id", "event_id", "metric", "value")
    for rater, trace, event, metric, value in answers.order_by("pk").values_list(*fields):
        if (trace, event, metric) in accepted:
            values, is_trap = accepted[trace, event, metric]
            (traps if is_trap else gold)[rater].append(value in values)
    repeated, early = _repeated(round_)
    repeats: dict[int, list[bool]] = defaultdict(list)
    for item in repeated:
        repeats[item.rater].append(item.first == item.second)
    return {
        rater: CheckAnswers(
            tuple(gold[rater]), tuple(traps[rater]), tuple(repeats[rater]), early.get(rater, 0)
        )
        for rater in sorted({*gold, *traps, *repeats, *early})
    }


def _repeated(round_: Round) -> tuple[list[RepeatedAnswer], dict[int, int]]:
    """What was answered twice, and by rater how many traces came again too early."""
    submitted = Assignment.objects.filter(round=round_, submitted_at__isnull=False).order_by()
    rows = submitted.values_list("pk", "rater_id", "trace_id", "purpose", "submitted_at")
    submitted_by_rater: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for pk, rater, trace, purpose, _ in sorted(rows, key=lambda row: (row[4], row[0])):
        submitted_by_rater[rater].append((pk, trace, purpose))
    gap = checks_of(round_).repeat_gap
    pairs: dict[int, tuple[int, int, int]] = {}
    early: dict[int, int] = {}
    for rater, order in submitted_by_rater.items():
        places = {
            trace: at for at, (_, trace, kind) in enumerate(order) if kind == Purpose.ORDINARY
        }
        for at, (pk, trace, kind) in enumerate(order):
            if kind != Purpose.REPEAT or trace not in places:
                continue
            if at - places[trace] <= gap:
                early[rater] = early.get(rater, 0) + 1
            else:
                pairs[pk] = (order[places[trace]][0], rater, trace)
    ids = {pk for second, (first, *_) in pairs.items() for pk in (first, second)}
    values: dict[tuple[int, int | None, str], str] = {
        (assignment, event, metric): value
        for assignment, event, metric, value in Rating.objects.filter(assignment__in=ids)
        .exclude(value="")
        .order_by("pk")
        .values_list("assignment_id", "event_id", "metric", "value")
    }
    repeated = [
        RepeatedAnswer(rater, trace, event, Metric(metric), values[first, event, metric], again)
        for (second, event, metric), again in values.items()
        if second in pairs
        for first, rater, trace in [pairs[second]]
        if (first, event, metric) in values
    ]
    return repeated, early


def check_counts(round_: Round) -> list[ChecksOfRater]:
    """The checks that each rater of a round has, by name (two queries)."""
    trapped = active_gold(round_.campaign_id).filter(source=GoldSource.TRAP)
    traps = set(trapped.values_list("trace_id", flat=True))
    counts: dict[str, dict[str, int]] = {}
    rows = Assignment.objects.filter(round=round_).order_by("rater__username")
    for name, purpose, trace in rows.values_list("rater__username", "purpose", "trace_id"):
        kinds = counts.setdefault(
            name, {"ordinary": 0, CheckKind.GOLD: 0, CheckKind.TRAP: 0, CheckKind.REPEAT: 0}
        )
        kind = CheckKind.TRAP if purpose == Purpose.GOLD and trace in traps else purpose
        kinds[kind] += 1
    return [ChecksOfRater(name, *kinds.values()) for name, kinds in counts.items()]


def proposals(round_: Round, *, least_raters: int = LEAST_RATERS) -> list[Proposal]:
    """What at least so many raters of a closed round typed alike and nobody otherwise (4 queries).

    Questions that ask for an opinion or have gold already are left out. Raises Http404 for a round
    that is not closed: until then nobody may know what others answered.
    """
    if not round_.is_closed:
        raise Http404
    rubric_ = rubric(round_.ratings.rubric_version)
    definitions = {item.metric.value: item for item in rubric_.metrics if not item.is_subjective}
    with_gold = set(active_gold(round_.campaign_id).values_list("trace_id", "event_id", "metric"))
    submitted = round_.assignments.filter(
        purpose=Purpose.ORDINARY, status=AssignmentStatus.SUBMITTED
    )
    agreed = (
        Rating.objects.filter(assignment__in=submitted, metric__in=list(definitions))
        .exclude(value="")
        .order_by()
        .values("assignment__trace_id", "event_id", "event__index", "metric")
        .annotate(
            typed=Count("pk", filter=Q(is_implied=False)), least=Min("value"), most=Max("value")
        )
        .filter(typed__gte=least_raters, least=F("most"))
    )
    traces = Trace.objects.in_bulk({row["assignment__trace_id"] for row in agreed})
    names = event_names(traces)
    items = [
        Proposal(
            trace=traces[row["assignment__trace_id"]],
            event_index=row["event__index"],
            event_name=names.get(row["event_id"], ""),
            metric=definition.metric,
            title=definition.title,
            value=row["least"],
            shown=definition.shown(row["least"]),
            raters=row["typed"],
        )
        for row in agreed
        if (row["assignment__trace_id"], row["event_id"], row["metric"]) not in with_gold
        for definition in [definitions[row["metric"]]]
    ]
    order = list(definitions)

    def place(item: Proposal) -> tuple[str, bool, int, int]:
        # What is asked of the whole trace comes last.
        index = item.event_index
        return item.trace.name, index is None, index or 0, order.index(item.metric)

    return sorted(items, key=place)
