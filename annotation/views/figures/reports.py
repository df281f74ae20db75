"""The agreement report as a page and as CSV, and the ratings behind it as CSV."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from annotation.analytics.agreement.aggregates import AggregateKind
from annotation.analytics.agreement.comparisons import Comparison
from annotation.analytics.agreement.intervals import Method
from annotation.analytics.agreement.metric_ratings import Basis
from annotation.analytics.agreement.report import ReportRow, report_csv_rows
from annotation.analytics.pictures.canvas import ALPHA_BANDS
from annotation.analytics.tables.strips import Axis, Mark
from annotation.engine.csv_cells import csv_lines
from annotation.engine.rubric.rubric import Metric, MetricDefinition, current_rubric, rubric
from annotation.launch import figures_to_show
from annotation.models import Campaign, Dataset
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.campaigns import get_readable_campaign
from annotation.selectors.corpus.corpus import get_dataset_for_user
from annotation.selectors.figures.figures import (
    Figures,
    FiguresOptions,
    FiguresScope,
    informed_count,
    scope_of_campaign,
    scope_of_dataset,
    viewing_by_name,
)
from annotation.selectors.figures.rating_export import export_lines, exportable_ratings
from annotation.selectors.figures.report import Grouping
from annotation.selectors.ratings.remarks import note_rows, notes_of

# Alphas below 0 stand at its left end.
ALPHAS = Axis(lines=ALPHA_BANDS)
GROUPINGS = (
    (Grouping.ROUND, "one table per round"),
    (Grouping.GUIDELINE, "one table per guideline version"),
    (Grouping.POOLED, "all rounds pooled"),
)


def csv_response(lines: Iterator[str], file_name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response


@dataclass(frozen=True, slots=True)
class ReportRowShown:
    """A report row with its metric's words and its mark."""

    row: ReportRow
    definition: MetricDefinition
    mark: Mark | None

    @property
    def interval_text(self) -> str:
        """How the interval was made, in a few words."""
        interval = self.row.interval
        words = [f"{interval.clusters:,} {self.row.cluster_unit}{'s' * (interval.clusters != 1)}"]
        if interval.method is not Method.NONE:
            words.insert(0, interval.method.value)
        if interval.undefined_share:
            share = 100 * interval.undefined_share
            shown = f"{share:.1f}%" if share >= 0.1 else "under 0.1%"
            words.append(f"{shown} of the resamples undefined")
        return ", ".join(words)

    @property
    def commonest(self) -> str:
        return self.definition.shown(self.row.beside.commonest)

    @property
    def prevalence(self) -> int:
        return round(100 * (self.row.beside.prevalence or 0))


@dataclass(frozen=True, slots=True)
class ReportSection:
    """The report of one data set and round with its headline figures."""

    dataset_name: str
    basis: Basis
    rows: tuple[ReportRowShown, ...]
    rating_count: int
    missing_count: int
    implied_count: int
    highest: ReportRowShown | None
    lowest: ReportRowShown | None
    logic: ReportRow | None

    @property
    def has_kinds(self) -> bool:
        """Whether there are both mistakes and corrections."""
        return any(item.row.kinds for item in self.rows)


@dataclass(frozen=True, slots=True)
class ShownComparison:
    comparison: Comparison
    title: str


@dataclass(frozen=True, slots=True)
class Family:
    """Differences that were corrected together."""

    title: str
    items: list[ShownComparison]


def _mark(row: ReportRow) -> Mark | None:
    if row.alpha is None:
        return None
    low, high = row.interval.low, row.interval.high
    words = f"alpha {row.alpha:.3f}"
    if low is not None and high is not None:
        words += f", 95% interval {low:.3f} to {high:.3f}"
    return ALPHAS.mark(row.alpha, low, high, words)


def _alpha_of(row: ReportRowShown) -> float:
    return row.row.alpha if row.row.alpha is not None else -1.0


def families_of(comparisons: Iterable[Comparison]) -> list[Family]:
    """The comparisons by what they compare, without those that have no difference to show."""
    rows = [
        ShownComparison(item, current_rubric().definition(item.metric).title)
        for item in comparisons
        if item.difference is not None
    ]
    rounds = [shown for shown in rows if shown.comparison.dataset]
    datasets = [shown for shown in rows if not shown.comparison.dataset]
    return [
        Family(title, items)
        for title, items in (
            ("Before and after a change of the guideline", rounds),
            ("Between data sets", datasets),
        )
        if items
    ]


def section_of(dataset_name: str, basis: Basis, rows: Iterable[ReportRow]) -> ReportSection:
    rubric_ = rubric(basis.rubric)
    items = tuple(ReportRowShown(row, rubric_.definition(row.metric), _mark(row)) for row in rows)
    with_alpha = [item for item in items if item.row.alpha is not None]
    logic = next((item.row for item in items if item.row.metric is Metric.PROCEDURE_LOGIC), None)
    return ReportSection(
        dataset_name=dataset_name,
        basis=basis,
        rows=items,
        rating_count=sum(item.row.ratings for item in items),
        missing_count=sum(item.row.missing for item in items),
        implied_count=sum(item.row.implied for item in items),
        highest=max(with_alpha, key=_alpha_of, default=None),
        lowest=min(with_alpha, key=_alpha_of, default=None),
        logic=logic,
    )


def _figures_context(figures: Figures, options: FiguresOptions) -> dict[str, object]:
    """What `_figures.html` shows, one section per data set and round."""
    viewing = viewing_by_name(figures)
    by_round = groupby(figures.rows, key=lambda row: (row.dataset, row.basis))
    return {
        "figures": figures,
        "options": options,
        "groupings": GROUPINGS,
        "sections": [section_of(name, basis, rows) for (name, basis), rows in by_round],
        "families": families_of(figures.comparisons),
        # Left out where nothing is known of any rater.
        "viewing": viewing if any(item.counts.known for item in viewing) else (),
        "kinds": AggregateKind,
    }


def _figures_csv(
    request: HttpRequest, figures: Figures, *, name: str, page: str
) -> HttpResponseBase:
    """Send the figures as a table; before there are any, back to the page."""
    if figures.computed_at is None:
        messages.warning(
            request,
            "The figures are being computed; try the download again when the page shows them.",
        )
        return redirect(page)
    lines = csv_lines(report_csv_rows(figures.rows, freshness=figures.freshness()))
    return csv_response(lines, f"agreement-{slugify(name)}.csv")


def _campaign_figures(
    request: HttpRequest, public_id: str
) -> tuple[Campaign, FiguresScope, Figures]:
    user = signed_in_user(request)
    campaign = get_readable_campaign(user, public_id)
    scope = scope_of_campaign(campaign, chosen_options(request))
    return campaign, scope, figures_to_show(scope=scope, actor=user)


def _dataset_figures(request: HttpRequest, public_id: str) -> tuple[Dataset, FiguresScope, Figures]:
    user = signed_in_user(request)
    dataset = get_dataset_for_user(user, public_id)
    scope = scope_of_dataset(user, dataset, chosen_options(request))
    return dataset, scope, figures_to_show(scope=scope, actor=user)


def chosen_options(request: HttpRequest) -> FiguresOptions:
    """Which ratings the address asks for; unknown options are as published."""
    rows = request.GET.get("rows")
    return FiguresOptions(
        is_submitted_only=request.GET.get("submitted") == "yes",
        has_informed=request.GET.get("informed") == "yes",
        grouping=Grouping(rows) if rows in list(Grouping) else Grouping.ROUND,
    )


@researcher_required
@require_GET
def campaign_report(request: HttpRequest, public_id: str) -> HttpResponse:
    campaign, scope, figures = _campaign_figures(request, public_id)
    context = _figures_context(figures, chosen_options(request))
    context |= {"section": "campaigns", "campaign": campaign, "query": request.GET.urlencode()}
    context["informed_count"] = informed_count(scope)
    return render(request, "annotation/campaign_report.html", context)


@researcher_required
@require_GET
def campaign_report_csv(request: HttpRequest, public_id: str) -> HttpResponseBase:
    campaign, _, figures = _campaign_figures(request, public_id)
    page = reverse("campaign-report", args=[public_id])
    return _figures_csv(request, figures, name=campaign.name, page=page)


@researcher_required
@require_GET
def dataset_report(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the agreement on a data set, round by round of all campaigns the reader may see."""
    dataset, scope, figures = _dataset_figures(request, public_id)
    context = _figures_context(figures, chosen_options(request))
    context |= {"section": "datasets", "dataset": dataset, "query": request.GET.urlencode()}
    context["informed_count"] = informed_count(scope)
    return render(request, "annotation/dataset_report.html", context)


@researcher_required
@require_GET
def dataset_report_csv(request: HttpRequest, public_id: str) -> HttpResponseBase:
    dataset, _, figures = _dataset_figures(request, public_id)
    page = reverse("dataset-report", args=[public_id])
    return _figures_csv(request, figures, name=dataset.name, page=page)


@researcher_required
@require_GET
def campaign_ratings_csv(request: HttpRequest, public_id: str) -> StreamingHttpResponse:
    """Stream every rating of the campaign in the long form that import_ratings reads."""
    user = signed_in_user(request)
    campaign = get_readable_campaign(user, public_id)
    lines = export_lines(exportable_ratings(user, campaign=campaign.name))
    return csv_response(lines, f"ratings-{slugify(campaign.name)}.csv")


@researcher_required
@require_GET
def campaign_remarks_csv(request: HttpRequest, public_id: str) -> StreamingHttpResponse:
    campaign = get_readable_campaign(signed_in_user(request), public_id)
    return csv_response(
        csv_lines(note_rows(notes_of(campaign))), f"remarks-{slugify(campaign.name)}.csv"
    )
