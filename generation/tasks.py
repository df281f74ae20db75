"""The Celery tasks of the generation app: ids in, one service call."""

from celery import shared_task

from generation.services import run_work
from generation.services.runs import JOB_KIND


@shared_task(name=JOB_KIND)
def work_on_takes(job_ids: list[int]) -> None:
    """Work on the takes behind these jobs."""
    run_work.work_on_takes(job_ids=job_ids)
