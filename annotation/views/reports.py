"""The agreement report as a page and as CSV, and the ratings behind it as CSV."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from annotation.analytics.aggregates import AggregateKind
from annotation.analytics.report import ReportRow, build_report, report_csv_rows
from annotation.engine.rubric import Metric, MetricDefinition, rubric
from annotation.engine.viewing import RaterViewing
from annotation.models import Campaign
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns import get_campaign_for_user
from annotation.selectors.rating_export import export_lines, exportable_ratings
from annotation.selectors.report import ReportScope, report_inputs
from annotation.selectors.viewing import viewing_of_campaign

# The strip of the intervals shows alpha from 0 to 1, as a share of these SVG units.
STRIP_WIDTH = 240
STRIP_MARGIN = 6


class _Echo:
    """What csv.writer needs of a file; hands back the line instead of keeping it."""

    def write(self, line: str) -> str:
        return line


def csv_lines(rows: Iterable[list[str]]) -> Iterator[str]:
    writer = csv.writer(_Echo(), lineterminator="\n")
    return (writer.writerow(row) for row in rows)


def csv_response(lines: Iterator[str], file_name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response


def strip_x(alpha: float) -> float:
    """Return where an alpha stands on the strip; what is below 0 stands at its left end."""
    inside = min(max(alpha, 0.0), 1.0)
    return round(STRIP_MARGIN + inside * (STRIP_WIDTH - 2 * STRIP_MARGIN), 2)


@dataclass(frozen=True, slots=True)
class IntervalMark:
    """The places of a row's alpha and its interval on the strip."""

    alpha_x: float
    low_x: float | None
    high_x: float | None
    width: float | None


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A report row with its metric's words and its mark."""

    row: ReportRow
    definition: MetricDefinition
    mark: IntervalMark | None


@dataclass(frozen=True, slots=True)
class Section:
    """The report of one data set with its headline figures."""

    dataset_name: str
    rows: tuple[ShownRow, ...]
    rating_count: int
    missing_count: int
    implied_count: int
    highest: ShownRow | None
    lowest: ShownRow | None
    logic: ReportRow | None


def _mark(row: ReportRow) -> IntervalMark | None:
    if row.alpha is None:
        return None
    if row.interval.low is None or row.interval.high is None:
        return IntervalMark(strip_x(row.alpha), None, None, None)
    low_x, high_x = strip_x(row.interval.low), strip_x(row.interval.high)
    return IntervalMark(strip_x(row.alpha), low_x, high_x, max(high_x - low_x, 0.5))


def _alpha_of(shown: ShownRow) -> float:
    return shown.row.alpha if shown.row.alpha is not None else -1.0


def section_of(dataset_name: str, rows: Iterable[ReportRow], rubric_version: str) -> Section:
    """Return what the page shows of one data set."""
    edition = rubric(rubric_version)
    shown = tuple(ShownRow(row, edition.definition(row.metric), _mark(row)) for row in rows)
    known = [item for item in shown if item.row.alpha is not None]
    logic = next((item.row for item in shown if item.row.metric is Metric.PROCEDURE_LOGIC), None)
    return Section(
        dataset_name=dataset_name,
        rows=shown,
        rating_count=sum(item.row.ratings for item in shown),
        missing_count=sum(item.row.missing for item in shown),
        implied_count=sum(item.row.implied for item in shown),
        highest=max(known, key=_alpha_of, default=None),
        lowest=min(known, key=_alpha_of, default=None),
        logic=logic,
    )


def _rows_by_dataset(campaign: Campaign) -> dict[str, tuple[ReportRow, ...]]:
    return {
        dataset.name: build_report(
            report_inputs(ReportScope(dataset, Campaign.objects.filter(pk=campaign.pk))),
            seed=campaign.seed,
        )
        for dataset in campaign.datasets.order_by("name")
    }


def _known_viewing(campaign: Campaign) -> tuple[RaterViewing, ...]:
    """Return what is known of the raters' viewing, nothing where that is nothing at all."""
    found = viewing_of_campaign(campaign)
    return found if any(item.known for item in found) else ()


@researcher_required
@require_GET
def campaign_report(request: HttpRequest, public_id: str) -> HttpResponse:
    campaign = get_campaign_for_user(signed_in_user(request), public_id)
    context = {
        "section": "campaigns",
        "campaign": campaign,
        "sections": [
            section_of(name, rows, campaign.rubric_version)
            for name, rows in _rows_by_dataset(campaign).items()
        ],
        "viewing": _known_viewing(campaign),
        "kinds": AggregateKind,
        "bands": [(strip_x(0.667), ".667"), (strip_x(0.8), ".8")],
        "strip_ends": (strip_x(0), strip_x(1)),
        "strip_width": STRIP_WIDTH,
    }
    return render(request, "annotation/campaign_report.html", context)


@researcher_required
@require_GET
def campaign_report_csv(request: HttpRequest, public_id: str) -> StreamingHttpResponse:
    campaign = get_campaign_for_user(signed_in_user(request), public_id)
    rows = [row for group in _rows_by_dataset(campaign).values() for row in group]
    name = f"agreement-{slugify(campaign.name)}.csv"
    return csv_response(csv_lines(report_csv_rows(rows)), name)


@researcher_required
@require_GET
def campaign_ratings_csv(request: HttpRequest, public_id: str) -> StreamingHttpResponse:
    """Stream every rating of the campaign in the long form that import_ratings reads."""
    user = signed_in_user(request)
    campaign = get_campaign_for_user(user, public_id)
    lines = export_lines(exportable_ratings(user, campaign=campaign.name))
    return csv_response(lines, f"ratings-{slugify(campaign.name)}.csv")
