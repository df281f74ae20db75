"""Current ratings as rows of the long table, in an order that no database id has a part in."""

from collections.abc import Callable, Iterator

from django.db import connection
from django.db.models import Count, F, QuerySet, Value
from django.db.models.functions import Coalesce, Collate

from annotation.engine.rating_changes import CLEARED
from annotation.engine.rating_table import RatingRow, table_lines
from annotation.engine.rubric import Metric
from annotation.engine.viewing import Evidence
from annotation.models import Campaign, Dataset, Rating, Trace, User, Viewing
from annotation.selectors.campaigns import visible_campaigns
from annotation.selectors.corpus import visible_datasets
from annotation.selectors.viewing import (
    ANSWER_FIELDS,
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


def export_lines(ratings: QuerySet[Rating]) -> Iterator[str]:
    """Yield the table of the ratings, with what was watched if that is known of any of them."""
    is_known = is_viewing_known(ratings)
    return table_lines(export_rows(ratings, has_evidence=is_known), has_evidence=is_known)


def export_rows(ratings: QuerySet[Rating], *, has_evidence: bool = False) -> Iterator[RatingRow]:
    """Yield the ratings as rows, streaming: by data set, take, trace, rater, event and metric."""
    fields = {
        "dataset": F("assignment__trace__dataset__name"),
        "take": F("assignment__trace__take__uid"),
        "trace": F("assignment__trace__uid"),
        "rater": F("assignment__rater__username"),
        "guideline": F("guideline_version"),
        "event_name": Coalesce("event__event_id", Value("")),
        "metric_name": F("metric"),
    }
    # Both databases then compare text byte by byte, whatever language they were set up for.
    collation = "C" if connection.vendor == "postgresql" else "BINARY"
    ordered = ratings.annotate(**fields).order_by(*(Collate(name, collation) for name in fields))
    read = _evidence_reader(ratings) if has_evidence else None
    shown = (*fields, "value", "confidence", "is_implied", "rated_at")
    rows = ordered.values_list(*shown, *ANSWER_FIELDS)
    for row in rows.iterator(chunk_size=CHUNK_ROWS):
        dataset, take, trace, rater, guideline, event, metric, value, confidence, implied, at = row[
            : len(shown)
        ]
        evidence = read(AnswerPlace.of(row[len(shown) :])) if read else None
        yield RatingRow(
            dataset=dataset,
            take=take,
            trace=trace,
            event=event,
            rater=rater,
            metric=Metric(metric),
            value=value,
            confidence=confidence,
            is_implied=implied,
            guideline_version=guideline,
            rated_at=at,
            reference_watched_s=evidence.reference_s if evidence else None,
            trace_watched_s=evidence.trace_s if evidence else None,
        )


def _evidence_reader(ratings: QuerySet[Rating]) -> Callable[[AnswerPlace], Evidence]:
    rated = ratings.order_by()
    return evidence_reader(
        Viewing.objects.filter(assignment__in=rated.values("assignment")),
        Trace.objects.filter(assignments__ratings__in=rated).order_by(),
    )
