"""What tables and pictures of a paper are filled with: stored figures, and how much was rated."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import QuerySet
from django.http import Http404

from annotation.analytics.agreement.comparisons import Comparison
from annotation.analytics.agreement.metric_ratings import Basis
from annotation.analytics.agreement.report import ReportRow
from annotation.analytics.pictures.canvas import Picture
from annotation.analytics.pictures.paper_pictures import PaperPicture, paper_picture
from annotation.analytics.tables.example_cases import example_table
from annotation.analytics.tables.own_rows import OwnFigures, OwnScale
from annotation.analytics.tables.paper_tables import PaperTable, paper_table
from annotation.analytics.tables.table import Table
from annotation.engine.campaigns.guideline import GuidelineText, built_in_guideline
from annotation.engine.rubric.rubric import Metric, Rubric, current_rubric, rubric
from annotation.models import Campaign, Dataset, Round, User
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.campaigns import get_readable_campaign
from annotation.selectors.campaigns.rounds import guideline_text
from annotation.selectors.corpus.corpus import get_dataset_for_user
from annotation.selectors.figures.example_cases import example_cases
from annotation.selectors.figures.figures import (
    Figures,
    FiguresOptions,
    FiguresScope,
    scope_assignments,
    scope_of_campaign,
    scope_of_dataset,
)
from annotation.selectors.figures.rated_traces import Sample, samples_of, scales_of


class Kind(StrEnum):
    """What tables and pictures can be of."""

    CAMPAIGN = "campaign"
    DATASET = "dataset"


@dataclass(frozen=True, slots=True)
class PaperSubject:
    """A campaign or data set whose tables are asked for; the rest fills Table 2."""

    owner: Campaign | Dataset
    scope: FiguresScope
    rubric: Rubric
    guideline: GuidelineText

    @property
    def name(self) -> str:
        return self.owner.name

    @property
    def campaign(self) -> Campaign | None:
        return self.owner if isinstance(self.owner, Campaign) else None


@dataclass(frozen=True, slots=True)
class Paper:
    """All that tables and pictures are made of, but for example cases, which are of no figures."""

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
        rounds = list(with_texts(campaign.rounds.all()))
        scope = scope_of_campaign(campaign, options, [round_.pk for round_ in rounds])
        return PaperSubject(campaign, scope, *texts_of(rounds[-1] if rounds else None))
    dataset = get_dataset_for_user(user, public_id)
    scope = scope_of_dataset(user, dataset, options)
    rounds_of_scope = with_texts(Round.objects.filter(pk__in=scope.rounds))
    return PaperSubject(dataset, scope, *texts_of(rounds_of_scope.last()))


def with_texts(rounds: QuerySet[Round]) -> QuerySet[Round]:
    """Those of ratings, with what `texts_of` reads, the last one last."""
    of_ratings = rounds.filter(kind=RATINGS).select_related("guideline", "ratings")
    return of_ratings.order_by("number", "pk")


def texts_of(round_: Round | None) -> tuple[Rubric, GuidelineText]:
    """What was asked in a round, and in which words; without one, what is asked now."""
    if round_ is None:
        current = current_rubric()
        return current, built_in_guideline(current.version)
    return rubric(round_.ratings.rubric_version), guideline_text(round_)


def paper_of(subject: PaperSubject, figures: Figures, *, round: int | None = None) -> Paper:
    """The paper of stored figures, or of one round's only; Http404 where there are none of it."""
    rows = [row for row in figures.rows if round is None or round in row.basis.rounds]
    if round is not None and not rows:
        raise Http404(f"there are no figures of round {round}")
    scales = dict(zip(samples_of(figures.rows), figures.scales, strict=False))
    if len(scales) < len(samples_of(figures.rows)):
        # Stored by a version that did not count them.
        scales = scales_of(figures.rows, scope_assignments(subject.scope))
    own = own_figures(rows, scales)
    return Paper(own, figures.comparisons, subject.rubric, subject.guideline)


def example_cases_table(subject: PaperSubject, *, round: int | None = None) -> Table:
    """The cases of the desk that tell most about each metric, of one round or of all.

    Raises Http404 for a round that there is not.
    """
    rounds = Round.objects.filter(pk__in=subject.scope.rounds)
    if round is not None:
        rounds = rounds.filter(number=round)
        if not rounds.exists():
            raise Http404(f"there is no round {round}")
    return example_table(example_cases(subject.scope.datasets, rounds))


def own_figures(
    rows: Iterable[ReportRow], scales: Mapping[Sample, OwnScale]
) -> tuple[OwnFigures, ...]:
    """Figures by data set and round, with how much of it was rated.

    A row is called after its data set, and after campaign and round where there are several.
    """
    groups: dict[tuple[str, Basis], dict[Metric, ReportRow]] = defaultdict(dict)
    for row in rows:
        groups[row.dataset, row.basis][row.metric] = row
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
                scale=scales[dataset, basis],
            )
        )
    return tuple(figures)
