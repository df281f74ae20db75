"""Server time and queries of the audit page of a 129-step trace among 100,000 traces.

The whole request is measured, from middleware to bytes, through Django's test client in this
process, on SQLite in the site's own mode. The peer is what Django takes for a list of its own: the
admin's change list with the same number of rows and of columns, measured the same way.

    python -m bench.audit_page [--traces 100000] [--runs 31]
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator

import django
from django.urls import reverse

STATE = tempfile.TemporaryDirectory(prefix="piev-bench-")
# A private database, whatever this machine is set up to use.
os.environ.update(PIEV_STATE=STATE.name, DATABASE_URL="", DEBUG="0")
os.environ["DJANGO_SETTINGS_MODULE"] = "piev_site.settings"
django.setup()

from django.conf import settings
from django.contrib import admin
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from annotation.models import (
    Assignment,
    CampaignRater,
    Dataset,
    Event,
    Phase,
    Role,
    Round,
    Step,
    Take,
    Trace,
    TraceStep,
    User,
    Video,
    VideoIngest,
)
from annotation.services.campaigns.campaigns import NewCampaign, create_campaign
from bench.measure import median_seconds

STEP_COUNT = 129  # the longest of PIE-V's 50 takes
ERROR_EVERY = 12
OTHER_STEP_COUNT = 4
TAKE_COUNT = 500
BATCH_SIZE = 10_000
TIME_GOAL_MS = 100.0
QUERY_GOAL = 12
MS_PER_S = 1000
TEXT = "Put the {thing} from the countertop into the mixing bowl and stir it, part {index}"
THINGS = ("whisk", "egg white", "tomato", "salt container", "frying pan", "spatula")
ADMIN_COLUMNS = ("index", "take", "text", "step_id", "start_s", "end_s", "semrep")


class StepAdmin(admin.ModelAdmin):
    """The peer: Django's own list of steps, with as many columns as the audit page has."""

    list_display = ADMIN_COLUMNS
    list_per_page = STEP_COUNT
    list_select_related = ("take",)
    show_full_result_count = False


def main() -> int:
    """Print the medians and the number of queries; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the audit page.")
    parser.add_argument("--traces", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=31)
    options = parser.parse_args()
    # The test client names a host of its own.
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    started = time.perf_counter()
    rater = make_rows(options.traces)
    made_s = time.perf_counter() - started
    page_url, list_url = measured_urls(rater)
    client = client_of(rater)
    query_count = count_queries(client, page_url)
    peer = client_of(User.objects.get(username="administrator"))
    seconds = median_seconds(
        {"audit page": lambda: get(client, page_url), "admin list": lambda: get(peer, list_url)},
        options.runs,
    )
    page_ms, peer_ms = (MS_PER_S * seconds[name] for name in ("audit page", "admin list"))
    is_met = page_ms < TIME_GOAL_MS and query_count <= QUERY_GOAL
    sys.stdout.write(
        f"audit page, {STEP_COUNT} steps, {Trace.objects.count():,} traces in SQLite"
        f" (made in {made_s:.0f} s), median of {options.runs}\n"
        f"  audit page      {page_ms:7.1f} ms   (goal: under {TIME_GOAL_MS:g})\n"
        f"  admin list      {peer_ms:7.1f} ms   (Django's own, {STEP_COUNT} rows,"
        f" {len(ADMIN_COLUMNS)} columns)\n"
        f"  queries         {query_count:7d}      (goal: at most {QUERY_GOAL})\n"
        f"  {'goals met' if is_met else 'GOALS MISSED'}\n"
    )
    return 0 if is_met else 1


def make_rows(trace_count: int) -> User:
    """Fill the database and return the rater of the long trace."""
    rater = User.objects.create_user(username="rater")
    User.objects.create_superuser(username="administrator", role=Role.ADMINISTRATOR)
    dataset = Dataset.objects.create(name="Bench", format="piev", video_folder=STATE.name)
    campaign = create_campaign(new=NewCampaign(name="Bench", phase=Phase.MAIN), actor=None)
    made = campaign.rounds.get()
    CampaignRater.objects.create(campaign=campaign, rater=rater)
    others = User.objects.create_user(username="others")
    CampaignRater.objects.create(campaign=campaign, rater=others)
    _make_other_traces(trace_count - 1, dataset, made, others)
    trace = _make_long_trace(dataset)
    Assignment.objects.create(round=made, rater=rater, trace=trace, position=0)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return rater


def _make_other_traces(trace_count: int, dataset: Dataset, made: Round, rater: User) -> None:
    takes = Take.objects.bulk_create(
        Take(dataset=dataset, uid=f"take{index}", name="take", scenario="Cooking")
        for index in range(TAKE_COUNT)
    )
    Step.objects.bulk_create(_steps(takes), batch_size=BATCH_SIZE)
    for first in range(0, trace_count, BATCH_SIZE):
        indices = range(first, min(first + BATCH_SIZE, trace_count))
        traces = Trace.objects.bulk_create(
            Trace(dataset=dataset, take=takes[index % TAKE_COUNT], uid=f"trace{index}", name="t")
            for index in indices
        )
        TraceStep.objects.bulk_create(
            TraceStep(trace=trace, index=index, mod=Mod.UNCHANGED, text=_text(index))
            for trace in traces
            for index in range(OTHER_STEP_COUNT)
        )
        Event.objects.bulk_create(
            Event(trace=trace, index=0, event_id="E01", kind=EventKind.MISTAKE) for trace in traces
        )
        Assignment.objects.bulk_create(
            Assignment(round=made, rater=rater, trace=trace, position=position)
            for position, trace in zip(indices, traces, strict=True)
        )


def _steps(takes: list[Take]) -> Iterator[Step]:
    for take in takes:
        for index in range(OTHER_STEP_COUNT):
            yield Step(take=take, index=index, text=_text(index))


def _text(index: int) -> str:
    return TEXT.format(thing=THINGS[index % len(THINGS)], index=index + 1)


def _make_long_trace(dataset: Dataset) -> Trace:
    """A trace with a mistake in every twelfth step and a correction after it."""
    videos = [
        Video.objects.create(
            dataset=dataset, stem=stem, path=f"{stem}.mp4", size_bytes=1, container="mp4",
            video_codec="h264", width=1280, height=720, frame_rate=30, duration_s=5.0 * STEP_COUNT,
        )
        for stem in ("reference", "trace")
    ]  # fmt: skip
    for video in videos:
        _ingest(video)
    take = Take.objects.create(
        dataset=dataset, uid="long", name="long", scenario="Cooking an omelet", video=videos[0]
    )
    steps = Step.objects.bulk_create(
        Step(take=take, index=index, text=_text(index), start_s=5.0 * index, end_s=5.0 * index + 4)
        for index in range(STEP_COUNT)
    )
    trace = Trace.objects.create(
        dataset=dataset, take=take, uid="long", name="long", video=videos[1]
    )
    TraceStep.objects.bulk_create(_long_rows(trace, steps))
    return trace


def _ingest(video: Video) -> None:
    """Give a video all that its ingestion makes: a picture of each step, a sheet, a waveform."""
    thumbnails = [
        {"start_s": 5.0 * index, "end_s": 5.0 * index + 4, "name": f"step-{index:04d}",
         "time_s": 5.0 * index + 2, "frame": 150 * index, "pts": 76_800 * index}
        for index in range(STEP_COUNT)
    ]  # fmt: skip
    positions = [
        {"time_s": 6.45 * index, "frame": 193 * index, "pts": 99_072 * index}
        for index in range(100)
    ]
    VideoIngest.objects.create(
        video=video, digest="0" * 64, folder="ingest/bench", finished_at=timezone.now(),
        copy={"name": "copy.mp4", "content": ""}, thumbnails=thumbnails,
        peaks=[index % 101 for index in range(1000)],
        sprite={"columns": 10, "tile_width": 160, "tile_height": 90, "positions": positions},
    )  # fmt: skip


def _long_rows(trace: Trace, steps: list[Step]) -> Iterator[TraceStep]:
    row_count = event_count = 0

    def row(**values: object) -> TraceStep:
        nonlocal row_count
        row_count += 1
        start_s = 5.0 * row_count
        times = {"start_s": start_s, "end_s": start_s + 4}
        return TraceStep(trace=trace, index=row_count - 1, **{**times, **values})

    def event(kind: EventKind, proposed_type: TaxonomyLabel) -> Event:
        nonlocal event_count
        event_count += 1
        return Event.objects.create(
            trace=trace, index=event_count - 1, event_id=f"E{event_count}", kind=kind,
            proposed_type=proposed_type,
        )  # fmt: skip

    for step in steps:
        if step.index % ERROR_EVERY:
            yield row(mod=Mod.UNCHANGED, text=step.text, reference_step=step)
            continue
        mistake = event(EventKind.MISTAKE, TaxonomyLabel.WRONG_EXECUTION)
        text = step.text.replace("countertop", "kitchen floor")
        yield row(mod=Mod.ERROR, text=text, reference_step=step, event=mistake)
        repair = event(EventKind.CORRECTION, TaxonomyLabel.CORRECTION)
        yield row(mod=Mod.CORRECTION, text="Throw it away and take a new one", event=repair)


def measured_urls(rater: User) -> tuple[str, str]:
    assignment = Assignment.objects.get(rater=rater)
    steps_of_take = reverse("admin:annotation_step_changelist")
    page_url = reverse("audit", args=[assignment.public_id])
    return page_url, f"{steps_of_take}?take__id__exact={assignment.trace.take_id}"


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="annotation.logins.AccountBackend")
    return client


def get(client: Client, url: str) -> None:
    response = client.get(url)
    if response.status_code != 200:
        raise RuntimeError(f"{url} answers {response.status_code}")


def count_queries(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        get(client, url)
    return len(queries)


# Before the addresses are read: the admin makes its own from what is registered.
if admin.site.is_registered(Step):
    admin.site.unregister(Step)
admin.site.register(Step, StepAdmin)

if __name__ == "__main__":
    sys.exit(main())
