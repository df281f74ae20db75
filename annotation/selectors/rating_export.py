"""Current ratings as rows of the long table, in an order that no database id has a part in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, Func, OuterRef, QuerySet, TextField
from django.db.models.functions import Collate

from annotation.engine.rating_changes import CLEARED
from annotation.engine.rating_table import Cell, lines_of_cells, seconds_text, table_columns
from annotation.engine.viewing import Evidence
from annotation.models import Campaign, Dataset, Rating, Trace, User, Viewing
from annotation.selectors.campaigns import visible_campaigns
from annotation.selectors.corpus import visible_datasets
from annotation.selectors.viewing import (
    ANSWER_FIELDS,
    BATCH_TRACES,
    AnswerPlace,
    evidence_reader,
    is_viewing_known,
)

CHUNK_ROWS = 2000


def exportable_ratings(
    user: User | None, *, dataset: str | None = None, campaign: str | None = None
) -> QuerySet[Rating]:
    """Return the current ratings of a data set and campaign by name, None meaning all visible.

    `user` None is the command line, which sees everything. Raises `Dataset.DoesNotExist` or
    `Campaign.DoesNotExist` for what is not there or not the user's to see.
    """
    datasets = Dataset.objects.all() if user is None else visible_datasets(user)
    campaigns = Campaign.objects.all() if user is None else visible_campaigns(user)
    if dataset is not None:
        datasets = Dataset.objects.filter(pk=datasets.get(name=dataset).pk)
    if campaign is not None:
        campaigns = Campaign.objects.filter(pk=campaigns.get(name=campaign).pk)
    found = Rating.objects.exclude(value=CLEARED)
    if user is not None or dataset is not None:
        found = found.filter(assignment__trace__dataset__in=datasets)
    if user is not None or campaign is not None:
        found = found.filter(assignment__campaign__in=campaigns)
    return found


def doubly_rated(ratings: QuerySet[Rating]) -> list[str]:
    """Return the campaigns in which somebody answered the same question under one guideline.

    The table has no column for the campaign, so such answers could not be told apart in it.
    """
    twice = (
        ratings.order_by()
        .values("assignment__trace", "assignment__rater", "event", "metric", "guideline_version")
        .annotate(row_count=Count("pk"))
        .filter(row_count__gt=1)
    )
    first = next(iter(twice[:1]), None)
    if first is None:
        return []
    same = {name: value for name, value in first.items() if name != "row_count"}
    names = ratings.filter(**same).values_list("assignment__campaign__name", flat=True)
    return sorted(names)


class UtcText(Func):
    """A moment as ISO 8601 text in UTC, as `datetime.isoformat` writes it.

    Written by the database, because making a million datetimes takes a third of an export's time.
    """

    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        return self.as_sql(
            compiler, connection, template="REPLACE(%(expressions)s, ' ', 'T') || '+00:00'"
        )

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        form = """'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'"""
        text = f"to_char(%(expressions)s AT TIME ZONE 'UTC', {form})"
        return self.as_sql(compiler, connection, template=f"REPLACE({text}, '.000000+', '+')")


def export_lines(ratings: QuerySet[Rating]) -> Iterator[str]:
    """Yield the table of the ratings, with what was watched if that is known of any of them."""
    is_known = is_viewing_known(ratings)
    has_informed = ratings.filter(assignment__is_informed=True).exists()
    rows = export_cells(ratings, has_evidence=is_known, has_informed=has_informed)
    columns = table_columns(has_evidence=is_known, has_informed=has_informed)
    return lines_of_cells(columns, rows)


def export_cells(
    ratings: QuerySet[Rating], *, has_evidence: bool = False, has_informed: bool = False
) -> Iterator[list[Cell]]:
    """Yield the ratings as cells in the order of the table's columns.

    They come by data set, take, trace, rater, guideline version, event and metric, compared byte
    by byte whatever language a database was set up for. Some traces are read and put in order at a
    time: a database that had to put all ratings in order would hold them all before the first line.
    What is saved meanwhile is there or not, trace by trace.
    """
    for traces in _trace_batches(ratings):
        found = ratings.filter(assignment__trace__in=[trace.key for trace in traces]).order_by()
        read = _evidence_reader(found) if has_evidence else None
        by_trace: dict[int, list[tuple[Any, ...]]] = {trace.key: [] for trace in traces}
        names = (
            "assignment__trace_id", "assignment__rater__username", "guideline_version",
            "event__event_id", "metric", "value", "confidence", "is_implied",
        )  # fmt: skip
        rows = found.values_list(
            *names, UtcText("rated_at"), "assignment__is_informed", *(ANSWER_FIELDS if read else ())
        )
        for row in rows.iterator(chunk_size=CHUNK_ROWS):
            by_trace[row[0]].append(row)
        for trace in traces:
            for row in sorted(by_trace[trace.key], key=_order):
                _, rater, guideline, event, metric, value, confidence, implied, at, informed = row[
                    :10
                ]
                cells = [
                    trace.dataset,
                    trace.take,
                    trace.trace,
                    event,
                    rater,
                    metric,
                    value,
                    confidence,
                    "yes" if implied else "no",
                    guideline,
                    at,
                ]
                if read:
                    evidence = read(AnswerPlace.of(row[10:]))
                    cells += [seconds_text(evidence.reference_s), seconds_text(evidence.trace_s)]
                if has_informed:
                    cells.append("yes" if informed else "no")
                yield cells


def _order(row: tuple[Any, ...]) -> tuple[str, ...]:
    """Return what rows of a trace are ordered by; Python compares text by code points, as UTF-8."""
    _, rater, guideline, event, metric = row[:5]
    return rater, guideline, event or "", metric


@dataclass(frozen=True, slots=True)
class _NamedTrace:
    key: int
    dataset: str
    take: str
    trace: str


def _trace_batches(ratings: QuerySet[Rating]) -> Iterator[list[_NamedTrace]]:
    """Yield the rated traces in the order of the table, as many at a time as are read at once."""
    rated = Exists(ratings.filter(assignment__trace=OuterRef("pk")).order_by())
    collation = "C" if connection.vendor == "postgresql" else "BINARY"
    names = ("dataset__name", "take__uid", "uid")
    rows = (
        Trace.objects.filter(rated)
        .order_by(*(Collate(name, collation) for name in names))
        .values_list("pk", *names)
    )
    traces = [_NamedTrace(*row) for row in rows]
    for start in range(0, len(traces), BATCH_TRACES):
        yield traces[start : start + BATCH_TRACES]


def _evidence_reader(ratings: QuerySet[Rating]) -> Callable[[AnswerPlace], Evidence]:
    return evidence_reader(
        Viewing.objects.filter(assignment__in=ratings.values("assignment")),
        Trace.objects.filter(assignments__ratings__in=ratings).order_by(),
    )
