"""The raters of a round in a browser: rules run and decided by keyboard, every rule of axe kept."""

import os
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import RaterRoundFigures, Role, ScreeningResult
from bench.planted_raters import Kind
from tests.annotation.planted_rounds import planted_round
from tests.e2e.looks import dark_problems_of, problems_of, sideways_px
from tests.e2e.site import enter
from tests.factories import UserFactory

pytestmark = pytest.mark.e2e

KINDS = [Kind.HONEST, Kind.STRICT, Kind.HONEST, Kind.FAST, Kind.HONEST, Kind.DRIFTING]


def look(page: Page, name: str) -> None:
    """Keep a picture where somebody wants to look at the page."""
    if folder := os.environ.get("PIEV_LOOK"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_rules_are_run_and_a_rater_excluded_by_keyboard(page: Page, live_server, transactional_db):
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    made = planted_round(KINDS, owner=owner, traces=40)
    where = [made.campaign.public_id, made.number]
    enter(page, live_server, owner)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(live_server.url + reverse("round-raters", args=where))

    page.get_by_role("button", name="Run the rules").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".messages")).to_contain_text("3 of 6 raters flagged")
    page.get_by_text("Decide on d").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("Answered before the video had played.")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("d is excluded from the figures of the accepted.")).to_be_visible()

    decision = ScreeningResult.objects.get(rule=ScreeningResult.DECISION)
    assert (decision.rater.username, decision.state) == ("d", "excluded")
    expect(page.get_by_text("Not among the accepted: b, d, f.")).to_be_visible()
    look(page, "raters")
    page.get_by_text("Every rule and rater").click()
    page.get_by_text("Thresholds", exact=True).click()
    look(page, "raters-open")
    assert [*problems_of(page), *dark_problems_of(page), *sideways_px(page)] == []

    page.goto(live_server.url + reverse("round-plan", args=where))
    look(page, "plan")
    page.get_by_label("Raters per trace").fill("2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("each rated 2 times")).to_be_visible()
    assert [*problems_of(page), *dark_problems_of(page), *sideways_px(page)] == []
    page.goto(live_server.url + reverse("round-detail", args=where))
    look(page, "round")
    assert [*problems_of(page), *dark_problems_of(page), *sideways_px(page)] == []
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(live_server.url + reverse("round-plan", args=where))
    look(page, "plan-narrow")
    page.goto(live_server.url + reverse("round-raters", args=where))
    look(page, "raters-narrow")


def test_a_reason_that_is_typed_stays_while_figures_come_anew(
    page: Page, live_server, transactional_db, monkeypatch
):
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    made = planted_round(KINDS, owner=owner, traces=4)
    address = live_server.url + reverse("round-raters", args=[made.campaign.public_id, made.number])
    enter(page, live_server, owner)
    page.goto(address)
    expect(page.get_by_role("button", name="Run the rules")).to_be_visible()
    RaterRoundFigures.objects.update(state={})
    monkeypatch.setattr("annotation.launch.RATERS_AT_ONCE", 0)
    monkeypatch.setattr("annotation.launch.send_jobs", lambda **_: None)
    page.clock.install()
    page.goto(address)
    page.evaluate("document.querySelector('main').dataset.isOld = 'yes'")

    page.get_by_text("Decide on a").click()
    page.get_by_label("Why").first.fill("Their sound was off.")
    page.get_by_text("Thresholds", exact=True).focus()
    with page.expect_response(lambda response: response.url == address):
        page.clock.fast_forward("00:21")
    expect(page.locator("main[data-is-old]")).to_have_count(1)
    expect(page.get_by_label("Why").first).to_have_value("Their sound was off.")

    page.get_by_label("Why").first.fill("")
    page.get_by_role("button", name="Accept").first.focus()
    with page.expect_response(lambda response: response.url == address):
        page.clock.fast_forward("00:21")
    expect(page.locator("main[data-is-old]")).to_have_count(0)
    expect(page.get_by_role("button", name="Accept").first).to_be_focused()
    expect(page.get_by_label("Why").first).to_be_visible()
