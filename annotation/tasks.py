"""The Celery tasks of the annotation app: ids in, one service call."""

from celery import shared_task

from annotation.services.figures import drawing, figures, raters, who_is_right
from annotation.services.ratings import screening
from annotation.services.videos import ingest, ingest_work


@shared_task(name=figures.JOB_KIND)
def compute_figures(job_ids: list[int]) -> None:
    """Compute the figures of agreement behind these jobs."""
    figures.compute_queued_figures(job_ids=job_ids)


@shared_task(name=raters.JOB_KIND)
def compute_raters(job_ids: list[int]) -> None:
    """Compute the figures of raters behind these jobs."""
    raters.compute_queued_raters(job_ids=job_ids)


@shared_task(name=screening.JOB_KIND)
def run_screenings(job_ids: list[int]) -> None:
    """Run the rules about raters behind these jobs."""
    screening.run_queued_screenings(job_ids=job_ids)


@shared_task(name=who_is_right.JOB_KIND)
def compute_who_is_right(job_ids: list[int]) -> None:
    """Compute who is right in the campaigns behind these jobs."""
    who_is_right.compute_queued_who_is_right(job_ids=job_ids)


@shared_task(name=drawing.JOB_KIND)
def draw_pictures(job_ids: list[int]) -> None:
    """Draw the pictures behind these jobs."""
    drawing.draw_queued_pictures(job_ids=job_ids)


@shared_task(name=ingest.JOB_KIND)
def ingest_videos(job_ids: list[int]) -> None:
    """Ingest the recordings behind these jobs."""
    ingest_work.ingest_videos(job_ids=job_ids)
