"""What researchers see of what they have: players of traces and takes, and the view of a rater."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from annotation.models import Rating, RatingEvent, Role, Viewing
from tests.e2e.site import log_in
from tests.factories import UserFactory


@pytest.fixture
def researcher_page(audit, live_server, page):
    """Return the page of the trace's owner, who is logged in."""
    dataset = audit.assignment.trace.dataset
    dataset.owner = UserFactory(username="owner", role=Role.RESEARCHER)
    dataset.save()
    log_in(page, live_server, "owner")
    return page


def opened(page, live_server, address):
    page.goto(f"{live_server.url}{address}")
    page.wait_for_selector("html[data-ready]")


def times(page):
    return page.eval_on_selector_all("video", "videos => videos.map((video) => video.currentTime)")


def violations(page):
    found = Axe().run(page).response["violations"]
    return [(item["id"], [node["target"] for node in item["nodes"]]) for item in found]


def test_trace_page_plays_both_sides_by_keyboard(audit, researcher_page, live_server):
    page = researcher_page
    opened(page, live_server, f"/traces/{audit.assignment.trace.public_id}/")

    page.keyboard.press("l")
    page.wait_for_function(
        "() => [...document.querySelectorAll('video')].every((v) => v.currentTime > 0.3)"
    )
    page.keyboard.press("k")
    # The third row of the table: both sides show its moment.
    page.locator("tr[data-row='2'] [data-go]").focus()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => document.querySelector('[data-side=trace] video').currentTime >= 4"
    )

    expect(page.locator("tr[data-row='2']")).to_have_attribute("aria-current", "true")
    assert 4 <= times(page)[1] < 4.2
    assert page.evaluate("window.scrollX") == 0
    assert violations(page) == []


def test_take_page_plays_its_recording(audit, researcher_page, live_server):
    page = researcher_page
    opened(page, live_server, f"/takes/{audit.assignment.trace.take.public_id}/")

    page.get_by_role("button", name="Show step 3").click()
    page.wait_for_function("() => document.querySelector('video').currentTime >= 4")
    page.keyboard.press("?")

    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    assert page.locator("[data-loop]").is_visible() is False
    assert violations(page) == []


def test_preview_shows_what_raters_see_and_saves_nothing(audit, researcher_page, live_server):
    page = researcher_page
    sent = []
    page.on("request", lambda request: sent.append(request.method))
    opened(page, live_server, f"/traces/{audit.assignment.trace.public_id}/")
    page.get_by_role("link", name="See it as a rater").click()
    page.wait_for_selector("html[data-ready]")

    expect(page.locator("#save-state")).to_have_text("Preview: nothing is saved")
    for _ in range(60):
        if page.locator("#missing").inner_text() == "complete":
            break
        page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#notices")).to_contain_text("This is a preview: nothing is saved")

    assert {method for method in sent if method not in {"GET", "HEAD"}} == set()
    assert (Rating.objects.count(), RatingEvent.objects.count(), Viewing.objects.count()) == (
        0,
        0,
        0,
    )
    assert not re.search("proposed|native|provenance", page.content())


@pytest.mark.parametrize("width", [1280, 640, 390])
def test_pages_with_players_never_scroll_sideways(audit, researcher_page, live_server, width):
    page = researcher_page
    page.set_viewport_size({"width": width, "height": 800})
    trace = audit.assignment.trace

    for address in (f"/traces/{trace.public_id}/", f"/takes/{trace.take.public_id}/"):
        opened(page, live_server, address)
        # The header has its own tests.
        assert page.evaluate("document.querySelector('main').scrollWidth") <= width
