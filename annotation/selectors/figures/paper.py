"""What tables and pictures of a paper are filled with: stored figures, and how much was rated."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Count, Q, QuerySet
from django.http import Http404

from annotation.analytics.agreement.comparisons import Comparison
from annotation.analytics.agreement.metric_ratings import Basis
from annotation.analytics.agreement.report import ReportRow
from annotation.analytics.pictures.canvas import Picture
from annotation.analytics.pictures.paper_pictures import PaperPicture, paper_picture
from annotation.analytics.tables.own_rows import OwnFigures, OwnScale
from annotation.analytics.tables.paper_tables import PaperTable, paper_table
from annotation.analytics.tables.table import Table
from annotation.engine.campaigns.guideline import GuidelineText, built_in_guideline
from annotation.engine.rubric.rubric import Metric, Rubric, current_rubric, rubric
from annotation.engine.taxonomy import MODS_WITH_EVENT, EventKind
from annotation.models import Assignment, Campaign, Event, Round, TraceStep, User
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.campaigns import get_readable_campaign
from annotation.selectors.campaigns.rounds import guideline_text
from annotation.selectors.corpus.corpus import get_dataset_for_user
from annotation.selectors.figures.figures import (
    Figures,
    FiguresOptions,
    FiguresScope,
    scope_assignments,
    scope_of_campaign,
    scope_of_dataset,
)

# A data set in one round, by the names that figures are stored under.
Sample = tuple[str, str, int]


class Kind(StrEnum):
    """What tables and pictures can be of."""

    CAMPAIGN = "campaign"
    DATASET = "dataset"


@dataclass(frozen=True, slots=True)
class PaperSubject:
    """A campaign or data set whose tables are asked for; the rest fills Table 2."""

    name: str
    scope: FiguresScope
    rubric: Rubric
    guideline: GuidelineText
    campaign: Campaign | None = None


@dataclass(frozen=True, slots=True)
class Paper:
    """All that tables and pictures are made of."""

    own: tuple[OwnFigures, ...]
    comparisons: tuple[Comparison, ...]
    rubric: Rubric
    guideline: GuidelineText

    def table(
        self, kind: PaperTable, *, shows_intervals: bool = False, has_incomplete: bool = False
    ) -> Table:
        """A table; figures of too few answers or raters are in it with `has_incomplete` only."""
        return paper_table(
            kind,
            self.own,
            rubric_=self.rubric,
            guideline=self.guideline,
            shows_intervals=shows_intervals,
            has_incomplete=has_incomplete,
        )

    def picture(
        self, kind: PaperPicture, *, has_published: bool = False, has_incomplete: bool = False
    ) -> Picture:
        """A picture; figures of too few answers or raters are in it with `has_incomplete` only."""
        own, comparisons = self.own, self.comparisons
        if not has_incomplete:
            own = tuple(item.complete_part for item in own if not item.is_incomplete)
            few = {
                (row.dataset, row.basis.text, row.metric)
                for item in self.own
                for row in item.rows.values()
                if row.is_incomplete
            }
            comparisons = tuple(
                item
                for item in comparisons
                if (item.dataset, item.first, item.metric) not in few
                and (item.dataset, item.second, item.metric) not in few
            )
        return paper_picture(
            kind,
            own,
            comparisons,
            rubric_=self.rubric,
            has_published=has_published,
        )


def paper_subject(
    user: User, kind: Kind, public_id: str, *, has_informed: bool = False
) -> PaperSubject:
    """The campaign or data set if the user may look into it, else Http404."""
    options = FiguresOptions(has_informed=has_informed)
    if kind is Kind.CAMPAIGN:
        campaign = get_readable_campaign(user, public_id)
        scope = scope_of_campaign(campaign, options)
        return PaperSubject(campaign.name, scope, *texts_of(campaign.rounds.all()), campaign)
    dataset = get_dataset_for_user(user, public_id)
    scope = scope_of_dataset(user, dataset, options)
    return PaperSubject(dataset.name, scope, *texts_of(Round.objects.filter(pk__in=scope.rounds)))


def texts_of(rounds: QuerySet[Round]) -> tuple[Rubric, GuidelineText]:
    """What was asked, and in which words, in the last of these rounds of ratings (1 query)."""
    last = (
        rounds.filter(kind=RATINGS)
        .select_related("guideline", "ratings")
        .order_by("number", "pk")
        .last()
    )
    if last is None:
        current = current_rubric()
        return current, built_in_guideline(current.version)
    return rubric(last.ratings.rubric_version), guideline_text(last)


def paper_of(subject: PaperSubject, figures: Figures, *, round: int | None = None) -> Paper:
    """The paper of stored figures, or of one round's only; Http404 where there are none of it."""
    rows = [row for row in figures.rows if round is None or round in row.basis.rounds]
    if round is not None and not rows:
        raise Http404(f"there are no figures of round {round}")
    own = own_figures(rows, scope_assignments(subject.scope))
    return Paper(own, figures.comparisons, subject.rubric, subject.guideline)


def own_figures(
    rows: Iterable[ReportRow], assignments: QuerySet[Assignment]
) -> tuple[OwnFigures, ...]:
    """Figures by data set and round, with how much of it was rated (3 queries).

    A row is called after its data set, and after campaign and round where there are several.
    """
    groups: dict[tuple[str, Basis], dict[Metric, ReportRow]] = defaultdict(dict)
    for row in rows:
        groups[row.dataset, row.basis][row.metric] = row
    sizes = _RatedTraces.read(assignments)
    campaigns = {basis.campaign for _, basis in groups}
    rounds = {(basis.campaign, basis.rounds) for _, basis in groups}
    figures = []
    for (dataset, basis), by_metric in groups.items():
        words = [basis.campaign] if len(campaigns) > 1 else []
        if len(rounds) > len(campaigns) and basis.rounds:
            words.append("all rounds" if basis.is_pooled else f"round {basis.round}")
        figures.append(
            OwnFigures(
                name=f"{dataset} ({', '.join(words)})" if words else dataset,
                basis=", ".join(filter(None, (basis.campaign, basis.text))),
                rows=by_metric,
                scale=sizes.of(dataset, basis),
            )
        )
    return tuple(figures)


@dataclass(frozen=True, slots=True)
class _RatedTraces:
    """The traces that raters were given, and what is in each of them.

    `counts` are steps, steps of mistakes and corrections, mistakes, corrections by trace.
    """

    traces: dict[Sample, set[int]]
    counts: dict[int, list[int]]

    @classmethod
    def read(cls, assignments: QuerySet[Assignment]) -> "_RatedTraces":
        traces: dict[Sample, set[int]] = defaultdict(set)
        places = assignments.order_by().values_list(
            "trace__dataset__name", "round__campaign__name", "round__number", "trace_id"
        )
        for dataset, campaign, number, trace in places.distinct():
            traces[dataset, campaign, number].add(trace)
        counts: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        steps = TraceStep.objects.filter(trace__in=assignments.values("trace")).order_by()
        for trace, total, marked in steps.values_list("trace").annotate(
            total=Count("pk"), marked=Count("pk", filter=Q(mod__in=MODS_WITH_EVENT))
        ):
            counts[trace][:2] = total, marked
        events = Event.objects.filter(trace__in=assignments.values("trace")).order_by()
        for trace, kind, count in events.values_list("trace", "kind").annotate(Count("pk")):
            counts[trace][2 if kind == EventKind.MISTAKE else 3] += count
        return cls(traces, counts)

    def of(self, dataset: str, basis: Basis) -> OwnScale:
        traces = set[int]().union(
            *(self.traces.get((dataset, basis.campaign, number), ()) for number in basis.rounds)
        )
        steps, marked, mistakes, corrections = (
            sum(self.counts[trace][place] for trace in traces) for place in range(4)
        )
        return OwnScale(
            videos=len(traces),
            total_steps=steps,
            mistake_steps=marked,
            mistakes=mistakes,
            corrections=corrections,
        )
