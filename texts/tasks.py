"""The Celery tasks of the texts app: ids in, one service call."""

from celery import shared_task

from texts.services import figures


@shared_task(name=figures.JOB_KIND)
def compute_text_figures(job_ids: list[int]) -> None:
    """Compute the figures of rounds of texts behind these jobs."""
    figures.compute_queued_text_figures(job_ids=job_ids)
