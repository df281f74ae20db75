"""A recording that is missing or cannot be played is named in its place."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.audit_page import open_audit

pytestmark = pytest.mark.e2e


def file_of(video) -> Path:
    return Path(video.dataset.video_folder) / video.path


def test_a_missing_video_is_named_in_its_place(page: Page, live_server, audit):
    missing = file_of(audit.assignment.trace.video)
    kept = missing.rename(missing.with_suffix(".away"))
    open_audit(page, live_server, audit)
    problem = page.locator("[data-side=trace] .video-error")

    expect(problem).to_be_visible()
    expect(problem).to_contain_text("To rate: this video is missing on the server.")
    expect(page.locator("[data-side=reference] .video-error")).to_be_hidden()
    kept.rename(missing)
    problem.get_by_role("button", name="Try again").click()

    expect(problem).to_be_hidden()


def test_a_video_that_is_no_video_is_said_to_be_damaged(page: Page, live_server, audit):
    file_of(audit.assignment.trace.take.video).write_bytes(b"this is no recording" * 500)

    open_audit(page, live_server, audit)

    expect(page.locator("[data-side=reference] .video-error")).to_contain_text(
        "Reference: this video is damaged, or of a kind that this browser cannot play."
    )


def test_playing_two_missing_videos_says_that_neither_can_be_played(page: Page, live_server, audit):
    for video in (audit.assignment.trace.video, audit.assignment.trace.take.video):
        file_of(video).unlink()
    open_audit(page, live_server, audit)
    expect(page.locator(".video-error:visible")).to_have_count(2)

    page.keyboard.press("Space")

    expect(page.locator("#watch-news")).to_have_text("Neither video can be played")
    expect(page.locator("[data-play]")).to_contain_text("Play")


def test_the_waiting_badge_covers_no_picture(page: Page, live_server, audit):
    open_audit(page, live_server, audit)
    page.locator("tr[data-row='2']").click()
    badge = page.locator("[data-side=reference] [data-waiting]")

    expect(badge).to_have_text("Waiting")
    picture = page.locator("[data-side=reference] .screen").bounding_box()
    box = badge.bounding_box()

    assert box["y"] + box["height"] <= picture["y"]
