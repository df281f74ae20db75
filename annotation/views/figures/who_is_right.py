"""The page of who is right: the likeliest answer to each event, and each rater's confusions."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import chain

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from annotation.engine.csv_cells import csv_lines
from annotation.engine.rubric.rubric import Level, Metric, current_rubric
from annotation.launch import who_is_right_to_show
from annotation.models import LikelyValue
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.campaigns import get_readable_campaign
from annotation.selectors.figures.who_is_right import LikelyAnswer, RaterHabit
from annotation.tables import Filter, ListColumn, TableKind, read_table
from annotation.views.figures.reports import csv_response

ANSWERS = TableKind(
    "answers",
    (
        ListColumn("Trace", "trace"),
        ListColumn("Event", "event"),
        ListColumn("Metric", "metric"),
        ListColumn("Likeliest answer", "value"),
        ListColumn("Probability", "posterior", is_number=True),
        ListColumn("95% interval"),
        ListColumn("Given by", "given", is_number=True),
    ),
    searched=("trace", "event", "dataset"),
    filters=(
        Filter(
            "metric",
            "Metric",
            {
                item.metric.value: (item.title, Q(metric=item.metric.value))
                for item in current_rubric().metrics
                if item.level is Level.NOMINAL
            },
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often each rater gives which value (columns) where another is true (rows).

    Shares are words already: a filter for each of thousands would take most of the page's time.
    """

    title: str
    values: tuple[str, ...]
    rows: tuple[tuple[int, str, tuple[str, ...]], ...]


@researcher_required
@require_GET
def who_is_right(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_readable_campaign(user, public_id)
    figures = who_is_right_to_show(campaign=campaign, actor=user)
    # SQLite finds rows by an index where a column equals something, not where it is true.
    likeliest = LikelyValue.objects.filter(figures=figures.figures.pk, is_likeliest__in=[True])
    definitions = {item.metric.value: item for item in current_rubric().metrics}
    table = read_table(request, ANSWERS, likeliest.order_by("posterior", "pk"))
    context = {
        "section": "campaigns",
        "campaign": campaign,
        "figures": figures,
        "table": table,
        "words_told": figures.words_told,
        "shown": [
            (row, definitions[row.metric].title, definitions[row.metric].shown(row.value))
            for row in table.page
        ],
        "confusions": confusions_of(figures.habits),
    }
    return render(request, "annotation/who_is_right.html", context)


@researcher_required
@require_GET
def who_is_right_csv(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Send every value of every event; before there are figures, back to the page."""
    user = signed_in_user(request)
    campaign = get_readable_campaign(user, public_id)
    figures = who_is_right_to_show(campaign=campaign, actor=user)
    if figures.computed_at is None:
        messages.warning(
            request,
            "The figures are being computed; try the download again when the page shows them.",
        )
        return redirect("who-is-right", public_id)
    header = [item.name for item in fields(LikelyAnswer)]
    rows = LikelyValue.objects.filter(figures=figures.figures).order_by("pk")
    lines = csv_lines(chain([header], rows.values_list(*header).iterator()))
    return csv_response(lines, f"who-is-right-{slugify(campaign.name)}.csv")


def confusions_of(habits: Iterable[RaterHabit]) -> list[Confusion]:
    """The habits as one table for each data set, round and metric."""
    by_table: dict[tuple[str, str, str], dict[tuple[int, str], dict[str, float]]] = {}
    for habit in habits:
        rows = by_table.setdefault((habit.dataset, habit.rounds, habit.metric), defaultdict(dict))
        rows[habit.rater, habit.true_value][habit.given_value] = habit.share
    tables = []
    for (dataset, rounds, metric), rows in by_table.items():
        definition = current_rubric().definition(Metric(metric))
        tables.append(
            Confusion(
                title=f"{definition.title}: {dataset}, {rounds}",
                values=tuple(map(definition.shown, definition.values)),
                rows=tuple(
                    (
                        rater,
                        definition.shown(value),
                        tuple(f"{shares[item]:.2f}" for item in definition.values),
                    )
                    for (rater, value), shares in rows.items()
                ),
            )
        )
    return tables
