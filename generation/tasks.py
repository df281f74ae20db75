"""The Celery tasks of the generation app: ids in, one service call."""

from celery import shared_task

from annotation.launch import send_jobs
from annotation.services.videos import ingest
from generation.selectors.clips.videos import queued_ingests
from generation.services import run_work
from generation.services.runs import JOB_KIND


@shared_task(name=JOB_KIND)
def work_on_takes(job_ids: list[int]) -> None:
    """Work on the takes behind these jobs, then start ingesting the videos that they published."""
    run_work.work_on_takes(job_ids=job_ids)
    send_jobs(kind=ingest.JOB_KIND, job_ids=queued_ingests(job_ids))
