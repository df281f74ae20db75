"""A researcher has the clips of a run made by hand: from the launch form to the spliced video."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import JobStatus, Role
from generation.models import Run, TakeClip
from tests.e2e.site import log_in
from tests.factories import UserFactory
from tests.generation.by_hand import clip_file
from tests.generation.filmed import RATE, SEED, film_dataset, take_of
from tests.recordings import CLIP_BIT, shown_numbers

pytestmark = pytest.mark.e2e

# A browser says that it shows nothing of a video with 0 x 0 pictures.
PLAYS = "async (video) => { await video.play(); return [video.videoWidth, video.videoHeight]; }"
OWN_WORDS = "The left hand pours the water beside the cup, slowly and plainly."


@pytest.fixture
def researcher(transactional_db):
    return UserFactory(username="ana", role=Role.RESEARCHER)


@pytest.fixture
def dataset(researcher, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    return film_dataset(researcher, tmp_path / "recordings")


def launch_by_hand(page, live_server, dataset):
    page.goto(live_server.url + reverse("run-launch"))
    page.get_by_label("Data set", exact=True).select_option(dataset.public_id)
    page.get_by_label("Seed", exact=True).fill(str(SEED))
    page.get_by_label("Make videos, for takes that have a recording").check()
    page.get_by_text("Clips of the videos").click()
    page.get_by_label("Who makes the clips").select_option("manual")
    page.get_by_role("button", name="Launch", exact=True).click()
    page.wait_for_url("**/runs/*/")
    return Run.objects.get()


def upload(page, clip, folder):
    file = clip_file(folder, clip.duration_s)
    path = folder / f"{clip.clip_id}.mp4"
    path.write_bytes(file.read())
    page.get_by_label(f"Upload {clip.clip_id}").set_input_files(path)
    card = page.locator(f"#{clip.clip_id}")
    card.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_text(f"Uploaded: {clip.clip_id}.")).to_be_visible()


def test_clips_are_uploaded_by_hand_and_the_video_shows_them(
    page, live_server, queue, dataset, tmp_path
):
    media = tmp_path / "media"
    log_in(page, live_server, "ana")
    run = launch_by_hand(page, live_server, dataset)
    queue.work(batch_count=2)
    page.reload()
    expect(page.get_by_role("heading", name="Waiting for you: 1 take")).to_be_visible()
    page.locator("#waiting").get_by_role("link").click()

    wanted = list(TakeClip.objects.filter(state="upload"))
    expect(page.get_by_role("status")).to_contain_text("1 of 4 clips ready, 3 clips to upload")
    first = page.get_by_role("textbox", name=f"Prompt of {wanted[0].clip_id}")
    first.fill(OWN_WORDS)
    page.locator(f"#{wanted[0].clip_id}").get_by_role("button", name="Save prompt").click()
    expect(page.get_by_text(f"Saved: the prompt of {wanted[0].clip_id}.")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name=f"The frame before {wanted[0].clip_id} as PNG").click()
    png = download.value.path().read_bytes()
    for clip in wanted:
        upload(page, clip, tmp_path)
    shown = page.locator(f"#{wanted[0].clip_id} video").evaluate(PLAYS)
    page.get_by_role("button", name="Make the video").click()
    expect(page.get_by_text("The video of this take is queued.")).to_be_visible()
    queue.work(batch_count=1)
    page.reload()

    made = take_of(run).made_video
    numbers = shown_numbers(media / made.path)
    pieces = {piece["clip_id"]: piece for piece in made.edits["pieces"]}
    uploaded = {
        clip.clip_id: numbers[
            round(pieces[clip.clip_id]["start_s"] * RATE) : round(
                pieces[clip.clip_id]["end_s"] * RATE
            )
        ]
        for clip in wanted
    }
    expect(page.locator(".clips-head [role=status]")).to_contain_text("4 of 4 clips ready")
    expect(page.get_by_text("The video of this take is finished")).to_be_visible()
    assert take_of(run).job.status == JobStatus.DONE
    assert shown == [256, 144]
    assert png.startswith(b"\x89PNG")
    assert TakeClip.objects.get(pk=wanted[0].pk).prompt_text == OWN_WORDS
    assert all(number & CLIP_BIT for seen in uploaded.values() for number in seen)
    assert all(len(seen) > RATE for seen in uploaded.values())


def test_refused_upload_says_what_was_expected_where_it_was_made(
    page, live_server, queue, dataset, tmp_path
):
    log_in(page, live_server, "ana")
    launch_by_hand(page, live_server, dataset)
    queue.work(batch_count=2)
    page.reload()
    page.locator("#waiting").get_by_role("link").click()
    clip = TakeClip.objects.filter(state="upload").first()
    (tmp_path / "clip.mp4").write_bytes(b"a text that says it is a video")

    page.get_by_label(f"Upload {clip.clip_id}").set_input_files(tmp_path / "clip.mp4")
    page.locator(f"#{clip.clip_id}").get_by_role("button", name="Upload", exact=True).click()

    problem = page.locator(f"#{clip.clip_id}").get_by_role("alert")
    expect(problem).to_contain_text(f"{clip.clip_id}: the file is damaged, or not a video in MP4")
    expect(problem).to_contain_text(f"expected a video of {clip.duration_s:.2f} s, 192x108.")


def test_typed_prompt_is_not_lost_with_the_page_and_its_length_is_told(
    page, live_server, queue, dataset
):
    log_in(page, live_server, "ana")
    launch_by_hand(page, live_server, dataset)
    queue.work(batch_count=2)
    page.reload()
    page.locator("#waiting").get_by_role("link").click()
    clip = TakeClip.objects.filter(state="upload").first()
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))

    prompt = page.get_by_role("textbox", name=f"Prompt of {clip.clip_id}")
    prompt.click()
    page.keyboard.press("Control+A")
    page.keyboard.type("Something quite different")
    address = page.url
    with page.expect_event("dialog"):
        page.get_by_role("link", name="Runs").first.click(no_wait_after=True)

    assert asked == ["beforeunload"]
    assert page.url == address
    expect(page.locator(f"#{clip.clip_id}-length")).to_contain_text("25 of at most")
    expect(prompt).to_have_value("Something quite different")
