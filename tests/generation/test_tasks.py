"""What the tasks do beyond their one service call."""

import pytest
from celery import current_app

from annotation.models import Job, JobStatus, VideoIngest
from annotation.services.videos.ingest import JOB_KIND
from annotation.services.videos.ingest_work import ingest_videos
from generation.models import RunTake
from generation.tasks import work_on_takes
from tests.generation.filmed import film_dataset, make_run, take_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def messages(monkeypatch):
    """Return the messages that go out, as (task, job ids)."""
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args: sent.append((name, args[0])))
    return sent


def test_published_video_is_ingested_by_a_message_of_its_own(
    owner, tmp_path, settings, messages, django_capture_on_commit_callbacks
):
    settings.MEDIA_ROOT = tmp_path / "media"
    run = make_run(film_dataset(owner, tmp_path / "recordings"), owner)
    job_ids = list(RunTake.objects.filter(run=run).values_list("job_id", flat=True))

    with django_capture_on_commit_callbacks(execute=True):
        work_on_takes(job_ids)
    [(kind, ingest_ids)] = messages
    ingest_videos(job_ids=ingest_ids)

    trace = take_of(run).published_trace.trace
    row = VideoIngest.objects.get(video=trace.video)
    timed = trace.steps.filter(start_s__isnull=False).values_list("start_s", flat=True)
    assert (kind, [row.job_id]) == (JOB_KIND, ingest_ids)
    assert Job.objects.get(pk=row.job_id).status == JobStatus.DONE
    assert row.reasons == []
    assert [item["start_s"] for item in row.thumbnails] == sorted(timed)


def test_takes_without_a_video_send_no_message(tea_dataset, owner, messages):
    run = make_run(tea_dataset, owner, stages=["plan", "correct"])

    work_on_takes(list(RunTake.objects.filter(run=run).values_list("job_id", flat=True)))

    assert messages == []
