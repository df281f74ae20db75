"""The Celery tasks of the annotation app: ids in, one service call."""

from celery import shared_task

from annotation.services import ingest_work
from annotation.services.ingest import JOB_KIND


@shared_task(name=JOB_KIND)
def ingest_videos(job_ids: list[int]) -> None:
    """Ingest the recordings behind these jobs."""
    ingest_work.ingest_videos(job_ids=job_ids)
