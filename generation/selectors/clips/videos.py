"""The videos of a run: what was made and published."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, Sum

from annotation.models import JobStatus, Trace, User, VideoIngest
from annotation.selectors.corpus.corpus import visible_traces
from generation.models import PublishedTrace, Run, RunTake, TakeVideo


@dataclass(frozen=True, slots=True)
class VideoTotals:
    """Sums over the videos of a run so far; `packet_count` were spliced without re-encoding.

    `placeholder_count` of the published traces have a recording of placeholders.
    """

    made_count: int
    skipped_count: int
    packet_count: int
    clip_count: int
    duration_s: float
    seconds: float
    placeholder_count: int


def video_of_take(run_take: RunTake) -> TakeVideo | None:
    """The stored result of a take's video stage, None before there is one."""
    return TakeVideo.objects.filter(run_take=run_take).first()


def published_trace(user: User, run_take: RunTake) -> Trace | None:
    """The trace that the take was published as, if the user may see it."""
    traces = visible_traces(user).select_related("dataset", "video__ingest", "take__video__ingest")
    return traces.filter(published_from__run_take=run_take).first()


def video_totals(run: Run) -> VideoTotals:
    """The sums over the videos of a run (two queries)."""
    is_made = Q(skipped="")
    sums = TakeVideo.objects.filter(run_take__run=run).aggregate(
        made_count=Count("pk", filter=is_made),
        skipped_count=Count("pk", filter=~is_made),
        packet_count=Count("pk", filter=Q(splice_path="packets")),
        clip_count=Sum("clip_count", default=0),
        duration_s=Sum("duration_s", default=0.0),
        seconds=Sum("seconds", default=0.0),
    )
    placeholders = PublishedTrace.objects.filter(
        run_take__run=run, trace__has_placeholders=True, trace__video__isnull=False
    )
    return VideoTotals(**sums, placeholder_count=placeholders.count())


def queued_ingests(job_ids: Sequence[int]) -> list[int]:
    """The queued jobs that ingest the videos which the takes of these jobs published."""
    published = RunTake.objects.filter(job__in=job_ids).values("published_trace__trace__video")
    waiting = VideoIngest.objects.filter(video__in=published, job__status=JobStatus.QUEUED)
    return list(waiting.order_by("pk").values_list("job_id", flat=True))
