"""A client that makes the clips of a take over the API alone."""

import io

import pytest
from PIL import Image
from rest_framework.test import APIClient

from annotation.models import JobStatus
from generation.engine.run_options import ClipOptions, RunOptions
from generation.models import ClipState, TakeClip
from generation.services.run_work import work_on_takes
from tests.generation.by_hand import clip_file, work_on
from tests.generation.filmed import RATE, make_run, take_of
from tests.recordings import BIT_COUNT, shown_numbers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def api(owner):
    client = APIClient()
    client.force_authenticate(owner)
    return client


def address_of(run_take, *parts):
    base = f"/api/v1/runs/{run_take.run.public_id}/takes/{run_take.position}/clips/"
    return base + "".join(f"{part}/" for part in parts)


def test_clips_are_listed_prompted_uploaded_and_the_video_is_made(
    api, waiting, tmp_path, monkeypatch
):
    sent = []
    monkeypatch.setattr(
        "celery.current_app.send_task", lambda name, args: sent.extend(args[0]), raising=False
    )
    shown = api.get(address_of(waiting)).json()
    wanted = [clip for clip in shown["clips"] if clip["state"] == "upload"]
    for clip in wanted:
        prompt = {"prompt": f"Show {clip['clip_id']}.", "seen": clip["seen"]}
        saved = api.patch(address_of(waiting, clip["clip_id"]), prompt, format="json").json()
        assert (saved["prompt"], saved["is_edited"], saved["compiled_prompt"]) == (
            prompt["prompt"], True, clip["prompt"],
        )  # fmt: skip
        body = {"clip": clip_file(tmp_path, clip["duration_s"])}
        uploaded = api.put(address_of(waiting, clip["clip_id"], "file"), body, format="multipart")
        assert (uploaded.status_code, uploaded.json()["state"]) == (200, "ready")

    answer = api.post(address_of(waiting, "make"))

    work_on_takes(job_ids=sent)
    again = api.get(address_of(waiting)).json()
    assert (shown["status"], shown["closed"], answer.status_code) == ("waiting", "", 204)
    assert shown["recording"]["frame_rate"] == "10"
    assert sent == [waiting.job_id]
    assert (again["status"], again["closed"]) == (
        "done", "The video of this take is finished; its clips can no longer be changed.",
    )  # fmt: skip
    assert take_of(waiting.run).published_trace.trace.video is not None


def test_frames_are_the_last_before_a_clip_and_the_first_after_it(api, waiting, tmp_path):
    numbers = shown_numbers(tmp_path / "recordings" / "filmed.mp4")

    for clip in waiting.clips.all():
        first = api.get(address_of(waiting, clip.clip_id, "first"))
        last = api.get(address_of(waiting, clip.clip_id, "last"))
        pictures = [Image.open(io.BytesIO(it.content)) for it in (first, last)]
        wanted = [round(clip.before_s * RATE) - 1, round(clip.after_s * RATE)]

        assert [picture.format for picture in pictures] == ["PNG", "PNG"]
        assert [picture.size for picture in pictures] == [(192, 108)] * 2
        assert [number_in(picture) for picture in pictures] == [numbers[it] for it in wanted]
        assert first["Content-Disposition"] == f'attachment; filename="{clip.clip_id}-first.png"'


def number_in(picture):
    """Read the number that the test pictures carry as light and dark bars."""
    grey = picture.convert("L")
    bars = [
        grey.getpixel((round(grey.width * (bit + 0.5) / BIT_COUNT), grey.height // 2))
        for bit in range(BIT_COUNT)
    ]
    return sum(2**bit for bit, light in enumerate(bars) if light > 125)


def test_file_of_a_clip_comes_as_it_was_uploaded_and_in_ranges(api, waiting, tmp_path):
    clip = waiting.clips.filter(state=ClipState.UPLOAD).first()
    content = clip_file(tmp_path, clip.duration_s).read()
    address = address_of(waiting, clip.clip_id, "file")
    api.put(address, {"clip": clip_file(tmp_path, clip.duration_s)}, format="multipart")

    whole = api.get(address)
    part = api.get(address, headers={"Range": "bytes=10-19"})
    removed = api.delete(address)

    assert b"".join(whole.streaming_content) == content
    assert whole["Content-Type"] == "video/mp4"
    assert (part.status_code, b"".join(part.streaming_content)) == (206, content[10:20])
    assert (removed.json()["state"], removed.json()["has_file"]) == ("upload", False)
    assert api.get(address).status_code == 404


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"prompt": " \n "}, 400, "This field may not be blank."),
        ({"prompt": "x" * 4001}, 400, "characters; expected at most"),
        ({"prompt": "Mine", "seen": "0" * 16}, 409, "Somebody changed this prompt"),
    ],
)
def test_prompt_that_cannot_be_kept_changes_nothing(api, waiting, change, status, said):
    clip = waiting.clips.filter(state=ClipState.UPLOAD).first()

    answer = api.patch(address_of(waiting, clip.clip_id), change, format="json")

    assert (answer.status_code, said in answer.content.decode()) == (status, True)
    clip.refresh_from_db()
    assert (clip.edited_text, clip.edited_by) == ("", None)


def test_bridge_has_no_prompt_to_change(api, waiting):
    bridge = waiting.clips.get(kind="bridge")

    answer = api.patch(address_of(waiting, bridge.clip_id), {"prompt": "A hand."}, format="json")

    assert answer.json() == {"prompt": [f"{bridge.clip_id} is a bridge, which needs no prompt."]}


def test_prompts_are_approved_as_they_were_seen_and_the_take_goes_on(
    api, filmed_dataset, owner, monkeypatch
):
    sent = []
    monkeypatch.setattr(
        "celery.current_app.send_task", lambda name, args: sent.extend(args[0]), raising=False
    )
    options = RunOptions(clips=ClipOptions(reviews_prompts=True)).to_dict()
    run = make_run(filmed_dataset, owner, options=options)
    work_on(run)
    run_take = take_of(run)
    before = api.get(address_of(run_take)).json()
    changed = next(clip for clip in before["clips"] if clip["state"] == "prompt")
    api.patch(address_of(run_take, changed["clip_id"]), {"prompt": "Another."}, format="json")

    too_early = api.post(address_of(run_take, "make"))
    stale = api.post(address_of(run_take, "approve"), {"seen": before["seen"]}, format="json")
    seen = api.get(address_of(run_take)).json()["seen"]
    approved = api.post(address_of(run_take, "approve"), {"seen": seen}, format="json")

    work_on_takes(job_ids=sent)
    rows = TakeClip.objects.filter(run_take=run_take).exclude(kind="bridge")
    assert [before["status"], too_early.status_code, stale.status_code, approved.status_code] == [
        "waiting", 409, 409, 204,
    ]  # fmt: skip
    assert "These clips are missing: clip-" in too_early.json()["detail"]
    assert {(row.state, row.approved_by) for row in rows} == {(ClipState.READY, owner)}
    assert take_of(run).job.status == JobStatus.DONE


def test_list_costs_the_same_queries_for_one_clip_and_four(api, waiting, django_assert_num_queries):
    address = address_of(waiting)

    with django_assert_num_queries(4):
        many = api.get(address).json()
    TakeClip.objects.exclude(clip_id="clip-01").delete()
    with django_assert_num_queries(4):
        one = api.get(address).json()

    assert (len(many["clips"]), len(one["clips"])) == (4, 1)
