"""A campaign of segments from its making to somebody's queue, in a real browser."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Campaign, Role
from tests.e2e.looks import problems_of, sideways_px
from tests.e2e.site import enter
from tests.factories import UserFactory
from tests.segments.campaigns import timed_dataset

pytestmark = pytest.mark.e2e


def test_a_round_is_planned_opened_and_found_in_the_queue(page: Page, live_server):
    owner = UserFactory(username="lena", role=Role.RESEARCHER)
    ann = UserFactory(username="ann")
    timed_dataset(owner, has_times=False)
    enter(page, live_server, owner)

    page.goto(f"{live_server.url}/campaigns/")
    page.get_by_role("link", name="New campaign of segments").first.click()
    page.get_by_label("Name").fill("Kitchen, spring")
    page.get_by_role("group", name="Data sets").get_by_role("checkbox").first.check()
    look(page, "create")
    page.get_by_role("button", name="Create the campaign").click()
    page.get_by_role("checkbox", name="ann").check()
    page.get_by_role("button", name="Add people").click()
    look(page, "campaign")
    page.get_by_role("link", name="Plan a round").click()
    look(page, "plan")
    page.get_by_role("button", name="Plan the round").click()
    look(page, "planned")
    page.get_by_role("button", name="Open the round").click()
    look(page, "asked")
    page.get_by_role("button", name="Yes: open the round").click()
    expect(page.get_by_text("Round 1 is open: 3 recordings are in the queues.")).to_be_visible()
    look(page, "opened")
    page.get_by_role("link", name="Rounds and people").click()
    look(page, "detail")

    enter(page, live_server, ann)
    page.goto(f"{live_server.url}/queue/")
    expect(page.get_by_text("Label the recording")).to_be_visible()
    look(page, "queue")
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="Start").click()
    own = Campaign.objects.get().rounds.get().segmentations.get(position=0)
    page.wait_for_url(f"{live_server.url}/segments/{own.public_id}/")


def look(page: Page, name: str) -> None:
    """Check a page by the rules of accessibility, wide and narrow; keep its picture in LOOK_AT."""
    assert problems_of(page) + sideways_px(page) == []
    if folder := os.environ.get("LOOK_AT"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
