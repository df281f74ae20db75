"""Figures of agreement as they are stored, and whether ratings have come in since."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, FilteredRelation, Max, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.analytics.agreement.comparisons import Comparison
from annotation.analytics.agreement.metric_ratings import Basis, MetricRatings
from annotation.analytics.agreement.planned import mark_comparisons, mark_rows
from annotation.analytics.agreement.report import COLUMNS, RESAMPLES, ReportRow
from annotation.analytics.tables.own_rows import OwnScale
from annotation.engine.ratings.viewing import ViewingCounts
from annotation.engine.stored import from_stored
from annotation.models import (
    AgreementFigures,
    Assignment,
    Campaign,
    Dataset,
    Event,
    Phase,
    Rating,
    Round,
    Trace,
    User,
)
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.protocol import filed_plans
from annotation.selectors.figures.report import (
    Grouping,
    ReportScope,
    counted_assignments,
    report_rounds,
)

# Raise it when the same ratings give other figures: all are then computed anew.
FIGURES_VERSION = 5


@dataclass(frozen=True, slots=True)
class FiguresScope:
    """The ratings that figures are of, by the keys of data sets and rounds, and the options.

    `campaign` is the key of the one that the figures are of; None for those of a data set. `seed`
    None takes that of each round.
    """

    datasets: tuple[int, ...]
    rounds: tuple[int, ...]
    campaign: int | None
    seed: int | None = None
    is_submitted_only: bool = False
    has_informed: bool = False
    grouping: Grouping = Grouping.ROUND
    resamples: int = RESAMPLES

    @property
    def key(self) -> str:
        """What no other scope, set of options or version of the computation has."""
        made_by = [FIGURES_VERSION, list(COLUMNS)]
        return hashlib.sha256(json.dumps([self.to_dict(), made_by]).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "FiguresScope":
        return from_stored(cls, stored)

    def of_dataset(self, dataset: Dataset) -> ReportScope:
        return ReportScope(
            dataset=dataset,
            rounds=Round.objects.filter(pk__in=self.rounds),
            grouping=self.grouping,
            is_submitted_only=self.is_submitted_only,
            has_informed=self.has_informed,
        )


@dataclass(frozen=True, slots=True)
class FiguresOptions:
    """What a reader may choose on page and API; the command has the same."""

    is_submitted_only: bool = False
    has_informed: bool = False
    grouping: Grouping = Grouping.ROUND


AS_PUBLISHED = FiguresOptions()


@dataclass(frozen=True, slots=True)
class RatingCounts:
    """How far ratings are, by counts: equal exactly when figures would be of the same ratings.

    `change_count` grows with every change of a rating. `others` covers all else that figures come
    from: which assignments, traces, videos and events there are, what the data sets are called, and
    what raters have watched.
    """

    change_count: int
    others: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RaterViewing:
    """One rater's viewing, as far as it is known; `to_dict` is the object of the API."""

    rater: str
    counts: ViewingCounts

    def to_dict(self) -> dict[str, str | int]:
        return {"rater": self.rater, **self.counts._asdict()}


@dataclass(frozen=True, slots=True)
class InterimFigures:
    """Figures of a main round that is open, so that whoever reads them looks before the end.

    `figures` are pairs of the name of a data set and a metric with an alpha. `is_noted` says
    whether the reader's look at them is stored for today.
    """

    round: Round
    figures: tuple[tuple[str, str], ...]
    is_noted: bool


@dataclass(frozen=True, slots=True)
class Figures:
    """Stored figures and how old they are; `computed_at` None means that there are none yet.

    `newer_count` is how many changes of ratings they do not know of. `is_outdated` is true also
    when it is 0: then traces, videos or assignments have changed. `error` is why the last attempt
    to compute them failed. `viewing` is by the keys of raters.
    """

    rows: tuple[ReportRow, ...]
    comparisons: tuple[Comparison, ...]
    viewing: Mapping[int, ViewingCounts]
    scales: tuple[OwnScale, ...]
    ratings_hash: str
    computed_at: datetime | None
    newer_count: int
    is_outdated: bool
    is_being_computed: bool
    error: str
    # What the reader has seen is no part of the figures.
    interim: tuple[InterimFigures, ...] = field(default=(), compare=False)

    @property
    def is_final(self) -> bool:
        """Whether nothing is to come: they are of all ratings that there are."""
        return not self.is_outdated and not self.is_being_computed

    def freshness(self) -> dict[str, str | int | None]:
        """What a table says of its age in every row."""
        at = self.computed_at
        return {
            "computed_at": None if at is None else at.isoformat(timespec="seconds"),
            "newer_ratings": self.newer_count,
        }


def scope_of_campaign(
    campaign: Campaign,
    options: FiguresOptions = AS_PUBLISHED,
    rounds: Iterable[int] | None = None,
) -> FiguresScope:
    """The scope of a campaign's figures; `rounds` are the keys of its rounds if known."""
    if rounds is None:
        of_ratings = Round.objects.filter(campaign=campaign, kind=RATINGS)
        rounds = of_ratings.order_by().values_list("pk", flat=True)
    return FiguresScope(
        datasets=tuple(campaign.datasets.order_by("name").values_list("pk", flat=True)),
        rounds=tuple(sorted(rounds)),
        campaign=campaign.pk,
        **asdict(options),
    )


def scope_of_dataset(
    user: User, dataset: Dataset, options: FiguresOptions = AS_PUBLISHED
) -> FiguresScope:
    """The scope of a data set's figures: of all rounds that the user may look into."""
    given_out = Assignment.objects.filter(round=OuterRef("pk"), trace__dataset=dataset)
    rounds = report_rounds(user).filter(Exists(given_out)).order_by("pk")
    return FiguresScope(
        datasets=(dataset.pk,),
        rounds=tuple(rounds.values_list("pk", flat=True)),
        campaign=None,
        **asdict(options),
    )


def rating_state(scope: FiguresScope, rounds: list[Round] | None = None) -> RatingCounts:
    """How far the ratings of a scope are (5 queries, none of which reads a rating).

    `rounds` are those of `scope_rounds` where they are known already.
    """
    watched = {"viewings": Count("viewing"), "last": Max("viewing__updated_at")}
    assignments = scope_assignments(scope).aggregate(
        changes=Coalesce(Sum("change_count"), 0),
        count=Count("pk"),
        keys=Sum("pk"),
        **(watched if scope.campaign is not None else {}),
    )
    traces = Trace.objects.filter(dataset__in=scope.datasets)
    events = Event.objects.filter(trace__dataset__in=scope.datasets)
    has_video = Q(video__isnull=False)
    last_viewing = None
    if scope.campaign is not None:
        last = assignments["last"]
        last_viewing = [assignments["viewings"], last and last.isoformat()]
    rest = [
        assignments["count"],
        assignments["keys"],
        traces.aggregate(
            count=Count("pk"), keys=Sum("pk"),
            videos=Count("pk", filter=has_video), video_keys=Sum("pk", filter=has_video),
            placeholders=Sum("pk", filter=Q(has_placeholders=True)),
        ),
        events.aggregate(count=Count("pk"), keys=Sum("pk")),
        list(dataset_names(scope)),
        _round_names(scope_rounds(scope) if rounds is None else rounds),
        last_viewing,
    ]  # fmt: skip
    # PostgreSQL adds keys up to decimals.
    marker = hashlib.sha256(json.dumps(rest, default=int).encode()).hexdigest()
    return RatingCounts(change_count=assignments["changes"], others=marker)


def scope_assignments(scope: FiguresScope) -> QuerySet[Assignment]:
    counted = counted_assignments(
        is_submitted_only=scope.is_submitted_only, has_informed=scope.has_informed
    )
    of_rounds = counted.filter(round__in=scope.rounds)
    return of_rounds if scope.campaign else of_rounds.filter(trace__dataset__in=scope.datasets)


def informed_count(scope: FiguresScope) -> int:
    """How many traces of the scope were given to people who could see their sources."""
    assignments = scope_assignments(replace(scope, has_informed=True, is_submitted_only=False))
    return assignments.filter(is_informed=True).count()


def dataset_names(scope: FiguresScope) -> QuerySet[Dataset, str]:
    datasets = Dataset.objects.filter(pk__in=scope.datasets)
    return datasets.order_by("name").values_list("name", flat=True)


def scope_rounds(scope: FiguresScope, reader: User | None = None) -> list[Round]:
    """The rounds, each with what a reader has seen of it today as `seen` (1 query)."""
    rounds = Round.objects.filter(pk__in=scope.rounds).order_by("pk")
    today = timezone.now().date()
    of_reader = Q(interim_looks__person=reader, interim_looks__day=today)
    looked = FilteredRelation("interim_looks", condition=of_reader)
    with_looks = rounds.annotate(looked=looked, seen=F("looked__figures"))
    return list(with_looks.select_related("guideline", "campaign", "ratings"))


def _round_names(rounds: list[Round]) -> list[list[object]]:
    """What rows say of their rounds, which may change while the ratings stay."""
    return [
        [item.number, item.phase, item.seed, item.guideline.name, item.campaign.name]
        for item in rounds
    ]


def interim_figures(
    rounds: Iterable[Round], shown: Iterable[ReportRow | MetricRatings]
) -> Iterator[InterimFigures]:
    """What there is to see of each main round that is open: `shown` is what has an alpha."""
    shown = list(shown)
    for round_ in rounds:
        if round_.phase != Phase.MAIN or not round_.is_open:
            continue
        figures = {
            (item.dataset, item.metric.value) for item in shown if _is_of(item.basis, round_)
        }
        if figures:
            seen = {(dataset, metric) for dataset, metric in getattr(round_, "seen", None) or ()}
            yield InterimFigures(round_, tuple(sorted(figures)), figures <= seen)


def with_alpha(rows: Iterable[ReportRow]) -> list[ReportRow]:
    return [row for row in rows if row.alpha is not None]


def _is_of(basis: Basis, round_: Round) -> bool:
    # Of pooled rounds the names of their campaigns stand in one text.
    name = round_.campaign.name
    is_campaign = name in basis.campaign if basis.is_pooled else name == basis.campaign
    return is_campaign and round_.number in basis.rounds


def has_more_ratings_than(scope: FiguresScope, count: int) -> bool:
    """Whether a scope has more than so many ratings; what lies beyond is not counted."""
    rated = Rating.objects.filter(assignment__in=scope_assignments(scope)).order_by()
    return rated.values("pk")[: count + 1].count() > count


def stored_figures(scope: FiguresScope, reader: User | None = None) -> Figures:
    """What is stored for a scope, with its age as of now (7 queries)."""
    stored = AgreementFigures.objects.select_related("job").filter(key=scope.key).first()
    if stored is None:
        stored = AgreementFigures()
    rounds = scope_rounds(scope, reader)
    state = rating_state(scope, rounds)
    is_computed = stored.computed_at is not None
    plans = filed_plans(scope.rounds)
    comparisons = (from_stored(Comparison, item) for item in stored.comparisons)
    plan = next(iter(plans.values()), None) if scope.campaign is not None else None
    rows = mark_rows((from_stored(ReportRow, row) for row in stored.rows), plans)
    return Figures(
        rows=rows,
        comparisons=mark_comparisons(comparisons, plan),
        viewing={rater: ViewingCounts(*counts) for rater, *counts in stored.viewing},
        scales=tuple(from_stored(OwnScale, item) for item in stored.scales),
        ratings_hash=stored.ratings_hash,
        computed_at=stored.computed_at,
        newer_count=max(0, state.change_count - stored.state["change_count"]) if is_computed else 0,
        is_outdated=not is_computed or stored.state != state.to_dict(),
        is_being_computed=stored.is_being_computed,
        error=stored.error,
        interim=tuple(interim_figures(rounds, with_alpha(rows))),
    )


def viewing_by_name(figures: Figures) -> list[RaterViewing]:
    """What raters have watched, by the names that they have today (1 query)."""
    raters = User.objects.filter(pk__in=figures.viewing).order_by("username")
    names = raters.values_list("pk", "username")
    return [RaterViewing(name, figures.viewing[pk]) for pk, name in names]
