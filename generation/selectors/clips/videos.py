"""The videos of a run: what was made and published."""

from collections.abc import Sequence

from annotation.models import JobStatus, Trace, User, VideoIngest
from annotation.selectors.corpus.corpus import visible_traces
from generation.models import RunTake, TakeVideo


def video_of_take(run_take: RunTake) -> TakeVideo | None:
    """The stored result of a take's video stage, None before there is one."""
    return TakeVideo.objects.filter(run_take=run_take).first()


def published_trace(user: User, run_take: RunTake) -> Trace | None:
    """The trace that the take was published as, if the user may see it."""
    traces = visible_traces(user).select_related("dataset", "video__ingest", "take__video__ingest")
    return traces.filter(published_from__run_take=run_take).first()


def queued_ingests(job_ids: Sequence[int]) -> list[int]:
    """The queued jobs that ingest the videos which the takes of these jobs published."""
    published = RunTake.objects.filter(job__in=job_ids).values("published_trace__trace__video")
    waiting = VideoIngest.objects.filter(video__in=published, job__status=JobStatus.QUEUED)
    return list(waiting.order_by("pk").values_list("job_id", flat=True))
