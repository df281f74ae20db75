"""Pictures as a worker draws them, in tests that have none."""

from http import HTTPStatus

from annotation.models import DrawnPicture
from annotation.services.figures.drawing import draw_queued_pictures


def draw_all():
    """Draw what was queued; how many pictures."""
    jobs = DrawnPicture.objects.filter(computed_at=None, job__isnull=False).order_by("pk")
    job_ids = list(jobs.values_list("job", flat=True))
    draw_queued_pictures(job_ids=job_ids)
    return len(job_ids)


def get_drawn(client, address, query=None, **asked):
    """The answer, once a worker has drawn what is asked for if it is a picture."""
    answer = client.get(address, query, **asked)
    if answer.status_code in (HTTPStatus.ACCEPTED, HTTPStatus.FOUND) and draw_all():
        answer = client.get(address, query, **asked)
    return answer
