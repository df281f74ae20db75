"""Current ratings as rows of the long table, in an order that does not depend on database ids."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, Func, OuterRef, QuerySet, TextField, Value
from django.db.models.functions import Coalesce, Collate

from annotation.engine.csv_cells import csv_lines
from annotation.engine.ratings.changes import CLEARED
from annotation.engine.ratings.columns import COLUMNS, Cell, RatingColumn, as_it_is
from annotation.engine.ratings.viewing import Evidence
from annotation.models import Campaign, Dataset, Rating, Trace, User, Viewing
from annotation.selectors.campaigns.campaigns import visible_campaigns
from annotation.selectors.corpus.corpus import visible_datasets
from annotation.selectors.ratings.viewing import (
    ANSWER_FIELDS,
    BATCH_TRACES,
    AnswerPlace,
    evidence_reader,
    has_viewing,
)

CHUNK_ROWS = 2000
TRACE = "assignment__trace__"
# What the rows of a trace are ordered by.
ROW_ORDER = (
    "assignment__rater__username", "guideline__name", "assignment__round__number",
    "event__event_id", "metric", "assignment__purpose",
)  # fmt: skip


def exportable_ratings(
    user: User | None, *, dataset: str | None = None, campaign: str | None = None
) -> QuerySet[Rating]:
    """The current ratings of a data set and campaign by name, None meaning all visible.

    `user` None is the command line, which sees everything. Raises `Dataset.DoesNotExist` or
    `Campaign.DoesNotExist` for what is not there or not the user's to see.
    """
    datasets = Dataset.objects.all() if user is None else visible_datasets(user)
    campaigns = Campaign.objects.all() if user is None else visible_campaigns(user)
    if dataset is not None:
        datasets = Dataset.objects.filter(pk=datasets.get(name=dataset).pk)
    if campaign is not None:
        campaigns = Campaign.objects.filter(pk=campaigns.get(name=campaign).pk)
    ratings = Rating.objects.exclude(value=CLEARED)
    if user is not None or dataset is not None:
        ratings = ratings.filter(assignment__trace__dataset__in=datasets)
    if user is not None or campaign is not None:
        ratings = ratings.filter(assignment__round__campaign__in=campaigns)
    return ratings


def doubly_rated(ratings: QuerySet[Rating]) -> list[str]:
    """The campaigns in which somebody answered the same question under one guideline.

    The table has no column for the campaign, so such answers could not be told apart in it.
    """
    twice = (
        ratings.order_by()
        .values(
            "assignment__trace",
            "assignment__rater",
            "event",
            "metric",
            "guideline__name",
            "assignment__round__number",
            "assignment__purpose",
        )
        .annotate(row_count=Count("pk"))
        .filter(row_count__gt=1)
    )
    first = next(iter(twice[:1]), None)
    if first is None:
        return []
    same = {name: value for name, value in first.items() if name != "row_count"}
    names = ratings.filter(**same).values_list("assignment__round__campaign__name", flat=True)
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
    """Yield the table of the ratings, with the optional columns that say something of any."""
    is_watched = has_viewing(ratings)
    columns = [
        column
        for column in COLUMNS
        if not column.is_optional
        or (
            is_watched
            if not column.source
            else ratings.exclude(**{column.source: column.absent}).exists()
        )
    ]
    return csv_lines(chain([[column.name for column in columns]], export_cells(ratings, columns)))


def export_cells(
    ratings: QuerySet[Rating], columns: Sequence[RatingColumn]
) -> Iterator[list[Cell]]:
    """Yield the ratings as cells in the order of the columns.

    They come by data set, take, trace, rater, guideline version, event and metric, compared byte
    by byte whatever language a database was set up for. Some traces are read and put in order at a
    time: a database that had to put all ratings in order would hold them all before the first line.
    What is saved meanwhile is there or not, trace by trace.
    """
    of_trace = [item.source for item in columns if item.source.startswith(TRACE)]
    of_answer = [item.source for item in columns if item.source and item.source not in of_trace]
    watched = [item for item in columns if not item.source]
    # Where a row has each column: what is its trace's, its own, and what was watched.
    sources = [*of_trace, *of_answer]
    cells_of = itemgetter(
        *(
            sources.index(item.source) if item.source else len(sources) + watched.index(item)
            for item in columns
        )
    )
    # Most values are written as they are, and a million rows call nothing for them.
    writers = [(at, item.write) for at, item in enumerate(columns) if item.write is not as_it_is]
    ends = len(of_answer) + 1
    # Of an optional column that is not there, every row has the same.
    order = itemgetter(
        *(of_answer.index(source) + 1 for source in ROW_ORDER if source in of_answer)
    )
    for traces in _trace_batches(ratings, [source.removeprefix(TRACE) for source in of_trace]):
        batch = ratings.filter(assignment__trace__in=list(traces)).order_by()
        evidence_of = _evidence(batch) if watched else None
        by_trace: dict[int, list[tuple[Any, ...]]] = {trace: [] for trace in traces}
        rows = batch.values_list(
            "assignment__trace_id",
            *(_as_read(name) for name in of_answer),
            *(ANSWER_FIELDS if evidence_of else ()),
        )
        for row in rows.iterator(chunk_size=CHUNK_ROWS):
            by_trace[row[0]].append(row)
        for trace, trace_cells in traces.items():
            # Python compares text by code points, as UTF-8.
            for row in sorted(by_trace[trace], key=order):
                evidence = evidence_of(AnswerPlace.of(row[ends:])) if evidence_of else None
                watched_s = (evidence.reference_s, evidence.trace_s) if evidence else ()
                cells = list(cells_of((*trace_cells, *row[1:ends], *watched_s)))
                for at, write in writers:
                    cells[at] = write(cells[at])
                yield cells


def _evidence(ratings: QuerySet[Rating]) -> Callable[[AnswerPlace], Evidence]:
    """What raters had watched of the events of these ratings before each answer."""
    return evidence_reader(
        Viewing.objects.filter(assignment__in=ratings.values("assignment")),
        Trace.objects.filter(assignments__ratings__in=ratings).order_by(),
    )


def _as_read(name: str) -> Any:
    """A field of a rating as it is read: text that may be missing can be compared."""
    if name == "rated_at":
        return UtcText(name)
    return Coalesce(name, Value("")) if name in ("guideline__name", "event__event_id") else name


def _trace_batches(
    ratings: QuerySet[Rating], names: Sequence[str]
) -> Iterator[dict[int, tuple[str, ...]]]:
    """Yield the rated traces in the order of the table, as many at a time as are read at once.

    Each batch has the `names` of its traces (fields of theirs) by their keys.
    """
    rated = Exists(ratings.filter(assignment__trace=OuterRef("pk")).order_by())
    collation = "C" if connection.vendor == "postgresql" else "BINARY"
    rows = list(
        Trace.objects.filter(rated)
        .order_by(*(Collate(name, collation) for name in names))
        .values_list("pk", *names)
    )
    for start in range(0, len(rows), BATCH_TRACES):
        yield {key: tuple(named) for key, *named in rows[start : start + BATCH_TRACES]}
