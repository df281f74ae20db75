"""Steps of a real clip in a browser: proposed, looked at, and checked by somebody who sees no more.

What is proposed for the clip, and how far off, is in `tests/benchmarks/services`.
"""

import json

import pytest
from celery import current_app
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.services.campaigns.campaigns import add_raters
from annotation.services.videos.linking import link_videos
from benchmarks.models import StepProposals
from benchmarks.services.feature_work import make_features, start_features
from benchmarks.services.proposal_work import propose_steps
from segments.models import Segmentation, SegmentCheck
from segments.services.rounds import open_segment_round
from tests.e2e.audit_page import expect_saved
from tests.e2e.segments_page import press, wait_until_playable
from tests.e2e.site import enter
from tests.e2e.test_benchmark_pages import look, researcher  # noqa: F401
from tests.factories import (
    DatasetFactory,
    StepFactory,
    TakeFactory,
    UserFactory,
    VideoIngestFactory,
    watchable,
)

pytestmark = [pytest.mark.e2e, pytest.mark.shared_data]
CLIP = "gnome-display-dual-monitors"


@pytest.fixture
def clip(transactional_db, researcher, shared_data):  # noqa: F811
    """The clip with its published steps, its video and features."""
    folder = shared_data.parent / "video"
    if not folder.is_dir():
        pytest.skip(f"no recordings at {folder}")
    dataset = DatasetFactory(owner=researcher, name="Screen recordings")
    take = TakeFactory(dataset=dataset, uid="monitors", video_stem=CLIP, scenario="Two monitors")
    for index, step in enumerate(json.loads((folder / f"{CLIP}.steps.json").read_text())["steps"]):
        StepFactory(
            take=take, index=index, text=step["text"], start_s=step["begin"], end_s=step["end"]
        )
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.webm")
    take.refresh_from_db()
    told = VideoIngestFactory.build(video=take.video)
    pictures = {"thumbnails": told.thumbnails, "sprite": told.sprite, "peaks": told.peaks}
    watchable(take.video, **pictures, detail=told.detail | {"sound": None})
    _, job_ids = start_features(
        dataset=dataset, name="Colours", extractor="colour-and-motion", actor=researcher
    )
    make_features(job_ids=job_ids)
    return dataset


def test_steps_are_proposed_and_checked(
    page: Page,
    browser,
    live_server,
    researcher,  # noqa: F811
    clip,
    monkeypatch,
):
    monkeypatch.setattr(current_app, "send_task", lambda name, args: None)
    enter(page, live_server, researcher)
    page.goto(live_server.url + reverse("item-sets"))
    page.get_by_role("link", name="proposed").click()
    problems = look(page, "proposals-list")
    page.get_by_role("link", name="Propose steps").click()
    page.get_by_label("Name").fill("Cut by colours")
    problems += look(page, "proposals-new")
    page.get_by_role("button", name="Propose steps").click()
    page.get_by_role("button", name="Cancel").wait_for()
    problems += look(page, "proposals-queued")
    propose_steps(job_ids=[StepProposals.objects.get().job_id])
    page.get_by_role("heading", name="Boundary errors").wait_for()
    problems += look(page, "proposals")
    page.get_by_role("link", name="monitors").click()
    expect(page.get_by_role("rowheader", name="Steps of the data set")).to_be_visible()
    problems += look(page, "proposals-recording")
    page.get_by_role("link", name="Cut by colours").click()
    page.get_by_text("Have people check them").click()
    page.get_by_label("Name of the campaign").fill("Monitors")
    page.get_by_role("button", name="Plan the audit").click()
    expect(page.get_by_role("status").first).to_contain_text("1 recording is in the round")

    round_ = StepProposals.objects.get().audit
    person = UserFactory(username="newcomer")
    add_raters(campaign=round_.campaign, raters=[person], actor=researcher)
    open_segment_round(planned=round_, actor=researcher)
    other = browser.new_context().new_page()
    enter(other, live_server, person)
    own = Segmentation.objects.get(person=person)
    other.goto(live_server.url + reverse("segments", args=[own.public_id]))
    other.wait_for_selector("html[data-ready]")
    wait_until_playable(other)
    assert "olours" not in other.content()
    press(other, "r")
    expect(other.locator("[data-question=accurate] input[value=no]")).to_be_enabled()
    press(other, "2", "1", "1")
    expect_saved(other)
    problems += look(other, "proposals-audit")

    answers = SegmentCheck.objects.order_by("pk").values_list("question", "answer")
    assert list(answers) == [("accurate", True), ("specific", False), ("complete", False)]
    assert problems == []
