"""The page of a take's finished video: who opens it, what it shows before and after publishing."""

import pytest
from django.urls import reverse

from annotation.models import Role
from generation.models import PublishedTrace, TakeVideo
from generation.services.run_work import work_on_takes
from tests.annotation.conftest import client_of
from tests.factories import UserFactory
from tests.generation.filmed import make_run, take_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def made(filmed_dataset, owner):
    """Return the take of a run that has made and published its video."""
    run = make_run(filmed_dataset, owner)
    work_on_takes(job_ids=list(run.run_takes.values_list("job_id", flat=True)))
    return take_of(run)


def address(name, run_take):
    return reverse(name, args=[run_take.run.public_id, run_take.position])


def test_finished_video_stands_beside_its_reference(
    made, owner_client, outsider_client, annotator_client, administrator_client
):
    clients = (owner_client, administrator_client, outsider_client, annotator_client)

    for name in ("take-video", "take-video-file"):
        answers = [client.get(address(name, made)) for client in clients]
        assert [answer.status_code for answer in answers] == [200, 200, 404, 403]

    text = owner_client.get(address("take-video", made)).content.decode()
    trace = made.published_trace.trace
    assert "The finished video beside its reference" in text
    assert [f'data-side="{side}"' in text for side in ("reference", "trace")] == [True, True]
    assert reverse("trace-preview", args=[trace.public_id]) in text
    assert "checks of the file" in text


def test_finished_video_can_be_watched_from_the_pages_around_it(made, owner_client):
    watched = address("take-video", made)
    clips = owner_client.get(address("take-clips", made)).content.decode()
    text = owner_client.get(address("take-text", made)).content.decode()
    run = owner_client.get(reverse("run-detail", args=[made.run.public_id])).content.decode()

    assert [watched in page for page in (clips, text, run)] == [True, True, True]
    assert 'data-side="trace"' in clips


def test_video_that_was_not_published_plays_by_itself(made, owner_client):
    PublishedTrace.objects.all().delete()

    text = owner_client.get(address("take-video", made)).content.decode()
    part = owner_client.get(address("take-video-file", made), headers={"Range": "bytes=0-7"})

    assert f'src="{address("take-video-file", made)}"' in text
    assert "It is not published" in text
    assert (part.status_code, b"".join(part.streaming_content)[4:8]) == (206, b"ftyp")
    assert "Last-Modified" not in part.headers


def test_page_says_why_there_is_no_video(made, owner_client):
    PublishedTrace.objects.all().delete()
    TakeVideo.objects.update(path="", skipped="No video is linked to the take.")

    text = owner_client.get(address("take-video", made)).content.decode()
    gone = owner_client.get(address("take-video-file", made))

    assert "No video is linked to the take." in text
    assert gone.status_code == 404


def test_video_of_a_run_that_is_shared_without_its_data_set_still_plays(made):
    made.run.is_shared = True
    made.run.save()
    reader = client_of(UserFactory(role=Role.RESEARCHER))

    text = reader.get(address("take-video", made)).content.decode()

    # The published data set is not this researcher's to see.
    assert "data-side" not in text
    assert reader.get(address("take-video-file", made)).status_code == 200
