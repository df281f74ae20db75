"""The world of `bench.addresses`: one large audit among many small ones, made in bulk.

The large campaign rates every trace of one data set five times; a second one has given out the same
traces and nobody has begun. Beside them stand campaigns over small data sets. What tables are asked
for by address stands here in the numbers that a lab has; something of every other kind comes from
`tests.site.furnished`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice

import numpy as np
from django.db import connection

from annotation.engine.rubric.rubric import CONFIDENCE_VALUES, Metric, Scope, current_rubric
from annotation.engine.taxonomy import EventKind, Mod
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignRater,
    Case,
    Dataset,
    Event,
    Phase,
    Rating,
    Remark,
    Round,
    RoundRater,
    Step,
    Take,
    Trace,
    TraceStep,
    User,
    Video,
    VideoIngest,
    Viewing,
)
from annotation.services.campaigns.campaigns import NewCampaign, create_campaign
from annotation.services.ratings.counts import recount_work

LARGE, UNRATED = "Large audit", "Unrated audit"
PROPOSED_TYPES = ("S", "WE", "D", "I", "T")
EVENTS_PER_TRACE, RATERS_PER_TRACE = len(PROPOSED_TYPES), 5
SMALL_DATASETS, TRACES_OF_SMALL = 20, 10
STEP_S, VIDEO_S = 5.0, 300.0
PICTURES_OF_VIDEO, PEAKS = 60, 1000
REMARK_EVERY, OPEN_EVERY, CASE_COUNT = 20, 10, 200
SEED = 34
FIRST_RATED_AT = datetime(2026, 1, 1, tzinfo=UTC)
BATCH_ROWS = 5000


@dataclass(frozen=True, slots=True)
class WorldSize:
    """How much there is. `ratings` are those of the large campaign, from its first trace on."""

    takes: int
    ratings: int
    campaigns: int
    raters: int
    steps_per_take: int = 60


def ratings_per_trace() -> int:
    per_event, per_trace = (
        sum(item.scope is scope for item in current_rubric().metrics)
        for scope in (Scope.EVENT, Scope.TRACE)
    )
    return RATERS_PER_TRACE * (EVENTS_PER_TRACE * per_event + per_trace)


def make_world(size: WorldSize, owner: User) -> None:
    raters = User.objects.bulk_create(
        User(username=f"rater{number:03}") for number in range(size.raters)
    )
    dataset = _dataset("Large", size.takes, size.steps_per_take, owner)
    for name in (LARGE, UNRATED):
        _campaign(name, dataset, raters, owner)
    _rate(Round.objects.get(campaign__name=LARGE), -(-size.ratings // ratings_per_trace()))
    small = [
        _dataset(f"Small {number}", TRACES_OF_SMALL, 3, owner)
        for number in range(min(SMALL_DATASETS, size.campaigns))
    ]
    for number in range(size.campaigns - 2):
        # The first rater takes part in all of them.
        people = [
            raters[0],
            *(raters[1 + (number + turn) % (len(raters) - 1)] for turn in range(4)),
        ]
        _campaign(f"Small {number}", small[number % len(small)], people, owner)
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def _dataset(name: str, takes: int, steps: int, owner: User) -> Dataset:
    """A data set of so many takes with a trace each, all of them filmed and ingested."""
    dataset = Dataset.objects.create(name=name, format="template", owner=owner)
    videos = Video.objects.bulk_create(
        (
            Video(
                dataset=dataset, stem=f"{kind}{number:05}", path=f"{kind}{number:05}.mp4",
                size_bytes=1000, container="mov,mp4", video_codec="h264", width=640, height=360,
                frame_rate=30.0, frame_count=9000, duration_s=VIDEO_S,
            )
            for kind in ("take", "trace")
            for number in range(takes)
        ),
        batch_size=BATCH_ROWS,
    )  # fmt: skip
    VideoIngest.objects.bulk_create((_ingest(video) for video in videos), batch_size=500)
    made_takes = Take.objects.bulk_create(
        (
            Take(
                dataset=dataset, uid=f"take{number:05}", name=f"Take {number}",
                scenario=f"Scenario {number % 40}", video=videos[number],
                video_stem=videos[number].stem, content_hash=f"{number:064}",
            )
            for number in range(takes)
        ),
        batch_size=BATCH_ROWS,
    )  # fmt: skip
    traces = Trace.objects.bulk_create(
        (
            Trace(
                dataset=dataset, take=take, uid=f"trace{number:05}", name=f"Trace {number}",
                video=videos[takes + number], video_stem=videos[takes + number].stem,
            )
            for number, take in enumerate(made_takes)
        ),
        batch_size=BATCH_ROWS,
    )  # fmt: skip
    _insert(Step, _steps(made_takes, steps))
    Event.objects.bulk_create(
        (
            Event(
                trace=trace, index=index, event_id=f"e{index}", kind=EventKind.MISTAKE,
                proposed_type=PROPOSED_TYPES[index],
            )
            for trace in traces
            for index in range(EVENTS_PER_TRACE)
        ),
        batch_size=BATCH_ROWS,
    )  # fmt: skip
    _insert(TraceStep, _trace_steps(traces, steps))
    return dataset


def _ingest(video: Video) -> VideoIngest:
    span = VIDEO_S / PICTURES_OF_VIDEO
    pictures = [
        {"start_s": span * place, "end_s": span * (place + 1), "name": f"step-{place:04}",
         "time_s": span * place + 1, "frame": 30 * place, "pts": place}
        for place in range(PICTURES_OF_VIDEO)
    ]  # fmt: skip
    return VideoIngest(
        video=video, digest="0" * 64, folder=f"ingest/{video.public_id}",
        finished_at=FIRST_RATED_AT, copy={"name": "copy.mp4", "content": ""},
        peaks=[place % 100 for place in range(PEAKS)], thumbnails=pictures,
        detail={
            "rate": [30, 1],
            "sound": {"per_second": 100, "length": 30000, "onset_count": 2},
            "tiles": {
                "tile_s": 1.0, "sheet_tiles": 100, "columns": 10, "tile_width": 96,
                "tile_height": 54, "tile_count": 300,
                "names": ["tiles-0000", "tiles-0001", "tiles-0002"],
            },
        },
    )  # fmt: skip


def _insert(model: type, rows: Iterator) -> None:
    while batch := list(islice(rows, BATCH_ROWS)):
        model.objects.bulk_create(batch)


def _steps(takes: list[Take], count: int) -> Iterator[Step]:
    for take in takes:
        for index in range(count):
            yield Step(
                take=take, index=index, step_id=str(index), text=f"Do part {index} of {take.uid}",
                start_s=STEP_S * index, end_s=STEP_S * (index + 1), is_essential=True,
                semrep=f"DO(Object: part {index})", taxonomy_path=["Parts", f"Part {index}"],
            )  # fmt: skip


def _trace_steps(traces: list[Trace], count: int) -> Iterator[TraceStep]:
    """As the take's, where each event is an error in a step of its own."""
    events: dict[int, dict[int, int]] = {}
    of_dataset = Event.objects.filter(trace__dataset=traces[0].dataset_id)
    for pk, trace, index in of_dataset.values_list("pk", "trace", "index"):
        # Small takes have fewer steps than traces have events.
        events.setdefault(trace, {}).setdefault((index * count) // EVENTS_PER_TRACE, pk)
    for trace in traces:
        for index in range(count):
            event = events[trace.pk].get(index)
            yield TraceStep(
                trace=trace, index=index, text=f"Do part {index}", step_id=str(index),
                start_s=STEP_S * index, end_s=STEP_S * (index + 1),
                mod=Mod.UNCHANGED if event is None else Mod.ERROR, event_id=event,
            )  # fmt: skip


def _campaign(name: str, dataset: Dataset, raters: list[User], owner: User) -> Campaign:
    """A campaign whose traces are given out to five of its raters each."""
    new = NewCampaign(name=name, overlap=RATERS_PER_TRACE, phase=Phase.MAIN)
    campaign = create_campaign(new=new, datasets=[dataset], actor=owner)
    made = campaign.rounds.get()
    CampaignRater.objects.bulk_create(
        CampaignRater(campaign=campaign, rater=rater) for rater in raters
    )
    RoundRater.objects.bulk_create(RoundRater(round=made, rater=rater) for rater in raters)
    traces = list(dataset.traces.order_by("pk"))
    Assignment.objects.bulk_create(
        (
            Assignment(
                round=made, trace=trace, position=number,
                rater=raters[(number + turn) % len(raters)],
            )
            for number, trace in enumerate(traces)
            for turn in range(RATERS_PER_TRACE)
        ),
        batch_size=BATCH_ROWS,
    )  # fmt: skip
    return campaign


def _rate(made: Round, trace_count: int) -> None:
    """Have the first so many traces of a round rated, watched and mostly submitted by all."""
    traces = Trace.objects.filter(assignments__round=made).distinct().order_by("pk")
    first = list(traces.values_list("pk", flat=True)[:trace_count])
    rated = Assignment.objects.filter(round=made, trace__lte=first[-1], trace__gte=first[0])
    assignments = list(rated.order_by("pk").values_list("pk", "trace", "position"))
    events: dict[int, list[int]] = {}
    of_traces = Event.objects.filter(trace__gte=first[0], trace__lte=first[-1]).order_by("pk")
    for pk, trace in of_traces.values_list("pk", "trace"):
        events.setdefault(trace, []).append(pk)
    _insert(Rating, _ratings(assignments, events, made.guideline_id))
    _log_ratings()
    recount_work(pk for pk, *_ in assignments)
    done = [pk for number, (pk, *_) in enumerate(assignments) if number % OPEN_EVERY]
    moment = FIRST_RATED_AT + timedelta(days=60)
    per_assignment = ratings_per_trace() // RATERS_PER_TRACE
    rated.update(started_at=FIRST_RATED_AT, change_count=per_assignment)
    for start in range(0, len(done), BATCH_ROWS):
        Assignment.objects.filter(pk__in=done[start : start + BATCH_ROWS]).update(
            status=AssignmentStatus.SUBMITTED, submitted_at=moment
        )
    spans = [[0.0, VIDEO_S, 1767225600.0]]
    Viewing.objects.bulk_create(
        (
            Viewing(
                assignment_id=pk, content="0" * 16, opened_at=moment, reference=spans, trace=spans
            )
            for pk, *_ in assignments
        ),
        batch_size=BATCH_ROWS,
    )
    Remark.objects.bulk_create(
        (
            Remark(
                assignment_id=pk, kind="comment", text="Hard to see.", revision=1, client_id="a",
                client_sequence=1, written_at=moment,
            )
            for pk, *_ in assignments[::REMARK_EVERY]
        ),
        batch_size=BATCH_ROWS,
    )  # fmt: skip
    Case.objects.bulk_create(
        Case(round=made, trace_id=trace, event_id=events[trace][0], metric=Metric.CONFUSABILITY)
        for trace in first[:CASE_COUNT]
    )


def _ratings(
    assignments: list[tuple[int, int, int]], events: dict[int, list[int]], guideline: int
) -> Iterator[Rating]:
    """Yield every rating: each event has a true value, which most raters see."""
    rng = np.random.default_rng(SEED)
    metrics = current_rubric().metrics
    truths: dict[int, np.ndarray] = {}
    for number, (assignment, trace, _) in enumerate(assignments):
        units = [*events[trace], None]
        slips = rng.random((len(units), len(metrics))) < 0.3
        shifts = rng.integers(0, 6, slips.shape)
        truth = truths.setdefault(trace, rng.integers(0, 6, slips.shape))
        values = truth + slips * shifts
        for row, event in enumerate(units):
            for column, metric in enumerate(metrics):
                if (metric.scope is Scope.EVENT) == (event is None):
                    continue
                yield Rating(
                    assignment_id=assignment, event_id=event, metric=metric.metric,
                    value=metric.values[values[row, column] % len(metric.values)],
                    confidence=(
                        CONFIDENCE_VALUES[(row + column + number) % 3]
                        if metric.metric is Metric.PROCEDURE_LOGIC
                        else None
                    ),
                    revision=1, client_id="bench", guideline_id=guideline,
                    rated_at=FIRST_RATED_AT
                    + timedelta(seconds=number * 60 + row * 10, microseconds=column),
                )  # fmt: skip


def _log_ratings() -> None:
    """Write down every rating as the change that it came from."""
    columns = (
        "metric, value, confidence, cannot_judge, is_implied, revision, client_id, guideline_id,"
        " rated_at, assignment_id, event_id"
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO annotation_ratingevent ({columns}, client_sequence, received_at)"  # noqa: S608
            f" SELECT {columns}, id, rated_at FROM annotation_rating"
        )
