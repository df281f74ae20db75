"""The inside of `bench.ratings`: a campaign with a million ratings, and what is done with them.

    python -m bench.ratings_site prepare RATINGS

It runs in a process of its own, because settings are read from the environment at the start.
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

import django

django.setup()

import numpy as np
from django.core.management import call_command
from django.db import connection

from annotation.engine.rubric import CONFIDENCE_VALUES, Metric, Scope, current_rubric
from annotation.engine.taxonomy import EventKind
from annotation.models import (
    Assignment,
    Campaign,
    CampaignRater,
    Dataset,
    Event,
    Rating,
    Take,
    Trace,
    User,
)

NAME = "Bench"
EVENTS_PER_TRACE, RATERS_PER_TRACE, RATER_COUNT, TRACES_PER_TAKE = 5, 5, 50, 10
SEED = 9
FIRST_RATED_AT = datetime(2026, 1, 1, tzinfo=UTC)
BATCH_ROWS = 5000


def prepare(rating_count: int) -> int:
    """Make the tables and a campaign with about so many ratings; return how many there are."""
    call_command("migrate", verbosity=0)
    if User.objects.exists():
        sys.exit("this database has accounts in it; name an empty one with DATABASE_URL")
    metrics = [item for item in current_rubric().metrics if item.scope is Scope.EVENT]
    metrics = [item for item in metrics if not item.needs_video]
    trace_count = -(-rating_count // (EVENTS_PER_TRACE * RATERS_PER_TRACE * len(metrics)))
    dataset = Dataset.objects.create(name=NAME, format="template")
    campaign = Campaign.objects.create(
        name=NAME, rubric_version=current_rubric().version, overlap=RATERS_PER_TRACE
    )
    campaign.datasets.add(dataset)
    takes = Take.objects.bulk_create(
        Take(dataset=dataset, uid=f"take{number:05}", name=f"Take {number}", scenario="bench")
        for number in range(-(-trace_count // TRACES_PER_TAKE))
    )
    traces = Trace.objects.bulk_create(
        (
            Trace(
                dataset=dataset,
                take=takes[number // TRACES_PER_TAKE],
                uid=f"trace{number:06}",
                name=f"Trace {number}",
            )
            for number in range(trace_count)
        ),
        batch_size=BATCH_ROWS,
    )
    raters = User.objects.bulk_create(
        User(username=f"rater{number:02}") for number in range(RATER_COUNT)
    )
    CampaignRater.objects.bulk_create(
        CampaignRater(campaign=campaign, rater=rater) for rater in raters
    )
    Event.objects.bulk_create(
        (
            Event(trace=trace, index=index, event_id=f"e{index}", kind=EventKind.MISTAKE)
            for trace in traces
            for index in range(EVENTS_PER_TRACE)
        ),
        batch_size=BATCH_ROWS,
    )
    Assignment.objects.bulk_create(
        (
            Assignment(
                campaign=campaign,
                rater=raters[(number + turn) % RATER_COUNT],
                trace=trace,
                position=number,
            )
            for number, trace in enumerate(traces)
            for turn in range(RATERS_PER_TRACE)
        ),
        batch_size=BATCH_ROWS,
    )
    rows = _ratings(metrics)
    while batch := list(islice(rows, BATCH_ROWS)):
        Rating.objects.bulk_create(batch)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return Rating.objects.count()


def _ratings(metrics: list) -> Iterator[Rating]:
    """Yield every rating: each event has a true value, which most raters see."""
    rng = np.random.default_rng(SEED)
    events: dict[int, list[int]] = {}
    for pk, trace in Event.objects.order_by("pk").values_list("pk", "trace"):
        events.setdefault(trace, []).append(pk)
    assignments = list(Assignment.objects.order_by("pk").values_list("pk", "trace"))
    truths = {
        event: rng.integers(0, 6, len(metrics)) for group in events.values() for event in group
    }
    for number, (assignment, trace) in enumerate(assignments):
        slips = rng.random((EVENTS_PER_TRACE, len(metrics))) < 0.3
        shifts = rng.integers(0, 6, slips.shape)
        for row, event in enumerate(events[trace]):
            for column, metric in enumerate(metrics):
                truth = truths[event][column] + slips[row, column] * shifts[row, column]
                yield Rating(
                    assignment_id=assignment,
                    event_id=event,
                    metric=metric.metric,
                    value=metric.values[truth % len(metric.values)],
                    confidence=(
                        CONFIDENCE_VALUES[(row + column + number) % 3]
                        if metric.metric is Metric.PROCEDURE_LOGIC
                        else None
                    ),
                    revision=1,
                    client_id="bench",
                    guideline_version="1",
                    rated_at=FIRST_RATED_AT
                    + timedelta(seconds=number * 60 + row * 10, microseconds=column),
                )


def main() -> None:
    match sys.argv[1:]:
        case ["prepare", count]:
            answer: object = prepare(int(count))
        case other:
            sys.exit(f"{other} is not a command; see the top of this file")
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
