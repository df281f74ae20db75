"""The page of a take's clips: for whom, what it says where something is wrong, what is kept."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.models import JobStatus
from generation.engine.run_options import ClipOptions, RunOptions
from generation.models import ClipState, TakeClip
from generation.services.clips.review import seen_mark
from generation.services.runs import create_run
from tests.annotation.conftest import client_of
from tests.factories import UserFactory
from tests.generation.by_hand import clip_file, work_on
from tests.generation.filmed import make_run, take_of
from tests.generation.tea import request_for

pytestmark = pytest.mark.django_db(transaction=True)
CHANGES = ["clip-prompt", "clip-upload", "clip-remove", "clips-approve", "clips-make"]


@pytest.fixture
def sent(monkeypatch):
    """Return the jobs that messages were sent for."""
    jobs = []
    monkeypatch.setattr("celery.current_app.send_task", lambda name, args: jobs.extend(args[0]))
    return jobs


def address(name, run_take, *more):
    return reverse(name, args=[run_take.run.public_id, run_take.position, *more])


def change_of(name, run_take):
    return address(name, run_take, *(["clip-02"] if name.startswith("clip-") else []))


def post(client, name, run_take, clip_id=None, **body):
    more = [] if clip_id is None else [clip_id]
    return client.post(address(name, run_take, *more), body)


def test_page_and_files_are_shown_to_those_who_see_the_run(
    waiting, owner_client, outsider_client, annotator_client, administrator_client
):
    addresses = [
        address("take-clips", waiting),
        address("clip-frame", waiting, "clip-02", "first", "jpg"),
        address("clip-frame", waiting, "clip-02", "last", "png"),
    ]

    clients = (owner_client, administrator_client, outsider_client, annotator_client)

    for item in addresses:
        assert [client.get(item).status_code for client in clients] == [200, 200, 404, 403]
    # No file yet, for nobody.
    video = address("clip-video", waiting, "clip-02")
    assert [client.get(video).status_code for client in clients] == [404, 404, 404, 403]


@pytest.mark.parametrize("name", CHANGES)
def test_only_those_who_may_change_the_run_change_its_clips(
    waiting, outsider, outsider_client, annotator_client, name
):
    run = waiting.run
    type(run).objects.filter(pk=run.pk).update(is_shared=True)

    answers = [client.post(change_of(name, waiting)) for client in (outsider_client,)]
    answers += [annotator_client.post(change_of(name, waiting)), outsider_client.get(
        address("take-clips", waiting)
    )]  # fmt: skip

    # A shared run is there to be looked at.
    assert [answer.status_code for answer in answers] == [404, 403, 200]
    assert "Save prompt" not in answers[-1].content.decode()


@pytest.mark.parametrize(
    "more", [("clip-99", "first", "jpg"), ("clip-02", "middle", "jpg"), ("clip-02", "last", "gif")]
)
def test_frames_that_are_not_there_are_404(waiting, owner_client, more):
    assert owner_client.get(address("clip-frame", waiting, *more)).status_code == 404


def test_prompt_is_saved_and_typing_the_compiled_one_restores_it(waiting, owner_client):
    clip = waiting.clips.filter(state=ClipState.UPLOAD).first()
    page = owner_client.get(address("take-clips", waiting))
    seen = next(it["seen"] for it in page.context["lines"] if it["clip"].pk == clip.pk)
    compiled = clip.prompt_text

    post(owner_client, "clip-prompt", waiting, clip.clip_id, prompt="  Mine,\n both ", seen=seen)
    clip.refresh_from_db()
    mine = clip.prompt_text
    page = owner_client.get(address("take-clips", waiting))
    seen = next(it["seen"] for it in page.context["lines"] if it["clip"].pk == clip.pk)
    post(owner_client, "clip-prompt", waiting, clip.clip_id, prompt=compiled, seen=seen)
    clip.refresh_from_db()

    assert mine == "Mine, both"
    assert (clip.prompt_text, clip.is_edited) == (compiled, False)


def test_invisible_characters_are_removed_from_a_prompt(waiting, owner_client):
    clip = waiting.clips.filter(state=ClipState.UPLOAD).first()
    body = {"prompt": "Mine\x00 and\x07\x1byours", "seen": seen_mark(clip.prompt_text)}

    answer = post(owner_client, "clip-prompt", waiting, clip.clip_id, **body)

    clip.refresh_from_db()
    assert (answer.status_code, clip.prompt_text) == (302, "Mine and yours")


@pytest.mark.parametrize(
    ("prompt", "seen", "status", "said"),
    [
        ("x" * 5000, None, 422, "the prompt has 5000 characters; expected at most"),
        ("", None, 422, "the prompt is empty; say what the clip shows."),
        ("My own words", "0" * 16, 409, "Somebody changed this prompt after you opened the page"),
    ],
)
def test_prompt_that_is_not_saved_is_shown_again_with_the_reason(
    waiting, owner_client, prompt, seen, status, said
):
    clip = waiting.clips.filter(state=ClipState.UPLOAD).first()
    page = owner_client.get(address("take-clips", waiting))
    right = next(it["seen"] for it in page.context["lines"] if it["clip"].pk == clip.pk)

    answer = post(
        owner_client, "clip-prompt", waiting, clip.clip_id, prompt=prompt, seen=seen or right
    )

    line = next(it for it in answer.context["lines"] if it["clip"].pk == clip.pk)
    assert (answer.status_code, said in line["problem"], line["text"]) == (status, True, prompt)
    assert f'id="{clip.clip_id}-problem"' in answer.content.decode()


def test_prompt_saved_too_late_is_refused_and_shown_again(waiting, owner_client):
    clip = waiting.clips.filter(state=ClipState.UPLOAD).first()
    waiting.job.status = JobStatus.QUEUED
    waiting.job.save()

    answer = post(owner_client, "clip-prompt", waiting, clip.clip_id, prompt="Mine", seen="0")

    assert answer.status_code == 409
    assert "A worker is busy with this take" in answer.content.decode()
    assert "You wrote: “Mine”" in answer.content.decode()


def test_refused_upload_is_shown_at_its_clip(waiting, owner_client):
    clip = waiting.clips.filter(state=ClipState.UPLOAD).first()
    file = SimpleUploadedFile("holiday.mp4", b"no video")

    refused = post(owner_client, "clip-upload", waiting, clip.clip_id, clip=file)
    missing = post(owner_client, "clip-upload", waiting, clip.clip_id)

    problems = [
        next(it["problem"] for it in answer.context["lines"] if it["clip"].pk == clip.pk)
        for answer in (refused, missing)
    ]
    assert [answer.status_code for answer in (refused, missing)] == [422, 422]
    assert problems[0].startswith(f"{clip.clip_id}: the file is damaged, or not a video in MP4")
    assert problems[1] == f"{clip.clip_id}: no file was chosen."
    assert "holiday" not in refused.content.decode()


def test_all_uploads_send_the_take_on_its_way(waiting, owner_client, sent, tmp_path):
    early = post(owner_client, "clips-make", waiting)
    for clip in waiting.clips.filter(state=ClipState.UPLOAD):
        file = clip_file(tmp_path, clip.duration_s)
        post(owner_client, "clip-upload", waiting, clip.clip_id, clip=file)
    ready = owner_client.get(address("take-clips", waiting)).content.decode()

    answer = post(owner_client, "clips-make", waiting)

    waiting.job.refresh_from_db()
    assert early.status_code == 409
    assert "These clips are missing: clip-" in early.content.decode()
    assert "Make the video" in ready
    assert (answer.status_code, waiting.job.status, sent) == (
        302, JobStatus.QUEUED, [waiting.job_id],
    )  # fmt: skip


def test_take_resumes_once_its_prompts_are_approved(filmed_dataset, owner, owner_client, sent):
    options = RunOptions(clips=ClipOptions(reviews_prompts=True)).to_dict()
    run = make_run(filmed_dataset, owner, options=options)
    work_on(run)
    run_take = take_of(run)
    page = owner_client.get(address("take-clips", run_take))
    progress = owner_client.get(reverse("run-detail", args=[run.public_id])).content.decode()

    stale = post(owner_client, "clips-approve", run_take, seen="0" * 16)
    approved = post(owner_client, "clips-approve", run_take, seen=page.context["prompts_seen"])

    states = set(TakeClip.objects.filter(run_take=run_take).values_list("state", flat=True))
    assert "Approve 3 prompts and make the clips" in page.content.decode()
    assert "Waiting for you: 1 take" in progress
    assert "3 prompts to approve" in progress
    assert (stale.status_code, approved.status_code) == (409, 302)
    assert states == {ClipState.MAKING, ClipState.READY}
    assert sent == [run_take.job_id]


def test_page_without_clips_says_why(filmed_dataset, owner, owner_client, tea_dataset):
    planning = create_run(request=request_for(tea_dataset), actor=owner).run.run_takes.first()
    queued = take_of(make_run(filmed_dataset, owner))
    run = make_run(filmed_dataset, owner)
    work_on(run)
    unfilmed = take_of(run, "written")

    pages = [
        owner_client.get(address("take-clips", item)).content.decode()
        for item in (planning, queued, unfilmed)
    ]

    said = ["This run makes no videos.", "it is now queued.", "No video is linked to the take."]
    assert [text in page for text, page in zip(said, pages, strict=True)] == [True, True, True]


def test_page_costs_the_same_queries_for_one_clip_and_four(
    waiting, owner_client, django_assert_num_queries
):
    page = address("take-clips", waiting)
    owner_client.get(page)

    with django_assert_num_queries(10):
        owner_client.get(page)
    TakeClip.objects.exclude(clip_id="clip-02").delete()
    with django_assert_num_queries(10):
        owner_client.get(page)


def test_stranger_has_to_log_in(waiting, client):
    answer = client.get(address("take-clips", waiting))

    assert (answer.status_code, "/login/" in answer["Location"]) == (302, True)
    assert client_of(UserFactory()).get(address("take-clips", waiting)).status_code == 403
