"""The inside of `bench.ratings`: a campaign with a million ratings, and what is done with them.

    python -m bench.ratings_site prepare RATINGS | figures | pages | export FILE | bare FILE

Prints one JSON value. It runs in a process of its own, because settings are read from the
environment at the start.
"""

import csv
import json
import statistics
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import django

django.setup()

import numpy as np
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.engine.rubric.rubric import CONFIDENCE_VALUES, Metric, Scope, current_rubric
from annotation.engine.taxonomy import EventKind
from annotation.models import (
    Assignment,
    Campaign,
    CampaignRater,
    Dataset,
    Event,
    Phase,
    Rating,
    Take,
    Trace,
    User,
)
from annotation.selectors.figures.figures import scope_of_campaign, scope_of_dataset
from annotation.selectors.figures.rating_export import export_lines, exportable_ratings
from annotation.services.campaigns.campaigns import NewCampaign, create_campaign
from annotation.services.figures.figures import compute_queued_figures, queue_figures
from bench.measure import peak_memory_bytes

NAME = "Bench"
EVENTS_PER_TRACE, RATERS_PER_TRACE, RATER_COUNT, TRACES_PER_TAKE = 5, 5, 50, 10
SEED = 9
FIRST_RATED_AT = datetime(2026, 1, 1, tzinfo=UTC)
BATCH_ROWS = 5000
MEGABYTE = 1e6
OK = 200
PAGE_ROUNDS = 9
BARE_SQL = """
SELECT d.name, k.uid, t.uid, e.event_id, u.username, r.metric, r.value, r.confidence, r.is_implied,
  g.name, r.rated_at
FROM annotation_rating r
JOIN annotation_assignment a ON a.id = r.assignment_id
JOIN annotation_trace t ON t.id = a.trace_id
JOIN annotation_take k ON k.id = t.take_id
JOIN annotation_dataset d ON d.id = t.dataset_id
JOIN annotation_user u ON u.id = a.rater_id
LEFT JOIN annotation_event e ON e.id = r.event_id
LEFT JOIN annotation_guidelineversion g ON g.id = r.guideline_id
WHERE r.value <> ''
ORDER BY 1, 2, 3, 5, 10, 4, 6
"""


def prepare(rating_count: int) -> int:
    """Make the tables and a campaign with about so many ratings; return how many there are."""
    call_command("migrate", verbosity=0)
    if User.objects.exists():
        sys.exit("this database has accounts in it; name an empty one with DATABASE_URL")
    metrics = [item for item in current_rubric().metrics if item.scope is Scope.EVENT]
    metrics = [item for item in metrics if not item.needs_video]
    trace_count = -(-rating_count // (EVENTS_PER_TRACE * RATERS_PER_TRACE * len(metrics)))
    dataset = Dataset.objects.create(name=NAME, format="template")
    new = NewCampaign(name=NAME, overlap=RATERS_PER_TRACE, phase=Phase.MAIN)
    campaign = create_campaign(new=new, datasets=[dataset], actor=None)
    made = campaign.rounds.get()
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
                round=made,
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
                    rated_at=FIRST_RATED_AT
                    + timedelta(seconds=number * 60 + row * 10, microseconds=column),
                )


def figures() -> dict[str, float]:
    """Ask for the figures as a page does and let a worker compute them; return seconds and MB."""
    administrator = User.objects.create_superuser("administrator")
    scopes = [
        scope_of_campaign(Campaign.objects.get()),
        scope_of_dataset(administrator, Dataset.objects.get()),
    ]
    job_ids = [pk for scope in scopes for pk in queue_figures(scope=scope, actor=administrator)]
    before = peak_memory_bytes()
    started = time.perf_counter()
    compute_queued_figures(job_ids=job_ids[:1])
    seconds = time.perf_counter() - started
    compute_queued_figures(job_ids=job_ids[1:])
    return {"seconds": seconds, "megabytes": (peak_memory_bytes() - before) / MEGABYTE}


def pages() -> dict[str, object]:
    """The median milliseconds of each page and address of figures, and the peak added."""
    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.get(username="administrator"))
    campaign, dataset = Campaign.objects.get(), Dataset.objects.get()
    addresses = {
        "page of the campaign": reverse("campaign-report", args=[campaign.public_id]),
        "API of the campaign": reverse("api-campaign-report", args=[campaign.public_id]),
        "page of the data set": reverse("dataset-report", args=[dataset.public_id]),
        "API of the data set": reverse("api-dataset-report", args=[dataset.public_id]),
    }
    _get(client, addresses["page of the campaign"])
    before = peak_memory_bytes()
    found = {name: _median_ms(client, address) for name, address in addresses.items()}
    assignment = Assignment.objects.earliest("pk")
    Assignment.objects.filter(pk=assignment.pk).update(change_count=3)
    name = "page of the campaign, 3 newer ratings"
    found[name] = _median_ms(client, addresses["page of the campaign"])
    shown = client.get(addresses["page of the campaign"]).content.decode()
    return {
        "milliseconds": found,
        "megabytes": (peak_memory_bytes() - before) / MEGABYTE,
        "is_said": "3 newer ratings" in shown,
    }


def _median_ms(client: Client, address: str) -> float:
    seconds = []
    for _ in range(PAGE_ROUNDS):
        started = time.perf_counter()
        _get(client, address)
        seconds.append(time.perf_counter() - started)
    return 1000 * statistics.median(seconds)


def _get(client: Client, address: str) -> None:
    answer = client.get(address)
    if answer.status_code != OK:
        sys.exit(f"{address} answers {answer.status_code}")


def export(path: Path) -> dict[str, float]:
    """Write the ratings of the campaign as the site sends them; return seconds and MB added."""
    lines = export_lines(exportable_ratings(None, campaign=NAME))
    before = peak_memory_bytes()
    started = time.perf_counter()
    with path.open("w", newline="") as file:
        file.writelines(lines)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "megabytes": (peak_memory_bytes() - before) / MEGABYTE}


def bare(path: Path) -> dict[str, float]:
    """Write what one query gives with the csv module and nothing else."""
    started = time.perf_counter()
    connection.ensure_connection()
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(connection.connection.execute(BARE_SQL))
    return {"seconds": time.perf_counter() - started}


def main() -> None:
    match sys.argv[1:]:
        case ["prepare", count]:
            answer: object = prepare(int(count))
        case ["figures"]:
            answer = figures()
        case ["pages"]:
            answer = pages()
        case ["export", path]:
            answer = export(Path(path))
        case ["bare", path]:
            answer = bare(Path(path))
        case other:
            sys.exit(f"{other} is not a command; see the top of this file")
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
