"""Draw pictures of figures, in a job, and store their files.

Drawing one takes up to 0.7 s of processor time and a library of 50 MB, so no page does it.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotation.analytics.pictures.canvas import Picture, PictureFormat, draw_picture
from annotation.analytics.pictures.kinds import picture_from_dict, picture_to_dict
from annotation.models import Campaign, Dataset, DrawnPicture, User
from annotation.services.figures.figures import queue_stored
from annotation.services.records.jobs import Claim, beating, finish_job, work_on_jobs

# Also the name of the Celery task.
JOB_KIND = "annotation.pictures"
# Figures move while raters work, and each state of them has pictures of its own.
KEPT_FOR = timedelta(days=30)


def queue_pictures(
    *, pictures: Mapping[str, Picture], owner: Campaign | Dataset, actor: User | None
) -> list[int]:
    """Queue pictures by their keys, but those that a worker is at or was at a minute ago."""
    of = {"campaign": owner} if isinstance(owner, Campaign) else {"dataset": owner}
    job_ids = []
    with transaction.atomic():
        for key, picture in pictures.items():
            made = of | {"picture": picture_to_dict(picture)}
            row, _ = DrawnPicture.objects.get_or_create(key=key, defaults=made)
            job_ids += queue_stored(DrawnPicture, row.pk, kind=JOB_KIND, actor=actor)
    return job_ids


def draw_queued_pictures(*, job_ids: Sequence[int]) -> None:
    """Draw the pictures behind these jobs; safe to call twice with the same ids."""
    work_on_jobs(job_ids=job_ids, handler=_work)


def _work(claim: Claim) -> None:
    row = DrawnPicture.objects.filter(job=claim.job_id).first()
    if row is None:
        finish_job(claim=claim, result={"skipped": "this picture is no longer needed"})
        return
    with beating(claim):
        picture = picture_from_dict(row.picture)
        files = {form.value: draw_picture(picture, form) for form in PictureFormat}
    now = timezone.now()
    with transaction.atomic():
        finish_job(claim=claim, result={form: len(content) for form, content in files.items()})
        DrawnPicture.objects.filter(pk=row.pk).update(**files, computed_at=now)
        DrawnPicture.objects.filter(queued_at__lt=now - KEPT_FOR).delete()
