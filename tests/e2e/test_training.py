"""A rater trains in a real browser: rates, reads feedback, fails, tries again, passes, goes on."""

import os
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, Phase, Qualification, RatingEvent, Role
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.ratings.gold import NewChecks, NewGold, mark_gold, plan_checks
from annotation.services.ratings.rounds import NewRound, open_round, plan_round
from tests.e2e.audit_page import CALM_EVENT, rate_event, wait_until_ready
from tests.e2e.looks import dark_problems_of, problems_of, sideways_px
from tests.e2e.site import enter
from tests.factories import EventFactory, TraceFactory, UserFactory

pytestmark = pytest.mark.e2e

# The first event has no consequences, and the type of the second one is another.
WRONG_FIRST = ["1", *CALM_EVENT[1:]]
WRONG_TYPE = [*CALM_EVENT[:5], "1", *CALM_EVENT[6:]]


@pytest.fixture
def training(audit):
    """Return a campaign of which the trace with two recordings is gold, with rater and owner."""
    owner = UserFactory(username="researcher", role=Role.RESEARCHER)
    trace = audit.assignment.trace
    dataset = trace.dataset
    dataset.owner = owner
    dataset.save()
    rater = UserFactory(username="trainee")
    for _ in range(2):
        EventFactory(trace=TraceFactory(dataset=dataset, take=trace.take), index=0)
    campaign = create_campaign(
        new=NewCampaign(name="Tea audit", phase=None), datasets=[dataset], actor=owner
    )
    add_raters(campaign=campaign, raters=[rater], actor=owner)
    for event, metric, accepted, reason in (
        (0, Metric.ERROR_VALIDITY, "yes", "Without water nothing can be brewed later."),
        (0, Metric.SEQUENCE_CONSISTENCY, "4", "One step waits for another, the rest goes on."),
        (2, Metric.TAXONOMY_FIT, "WE", "It is the right step, done in the wrong way."),
    ):
        band = 1 if metric is Metric.SEQUENCE_CONSISTENCY else 0
        new = NewGold(event, metric, [accepted], band, reason)
        mark_gold(campaign=campaign, trace=trace, new=new, actor=owner)
    guideline = campaign.guideline_versions.get()
    made = plan_round(campaign=campaign, new=NewRound(Phase.TRAINING, guideline), actor=owner)
    plan_checks(round_=made, new=NewChecks(most_attempts=2), actor=owner)
    main = plan_round(
        campaign=campaign, new=NewRound(Phase.MAIN, guideline, overlap=1), actor=owner
    )
    plan_checks(round_=main, new=NewChecks(qualified_by=made), actor=owner)
    open_round(planned=made, actor=owner)
    open_round(planned=main, actor=owner)
    return campaign, made, main, rater, owner


def look(page: Page, name: str) -> None:
    """Hold a page to the rules of accessibility; with PIEV_SHOTS its pictures are kept there."""
    page.wait_for_load_state("networkidle")
    if folder := os.environ.get("PIEV_SHOTS"):
        for width, height in ((1280, 800), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            path = Path(folder) / f"{name}-{width}.png"
            page.screenshot(path=path, full_page=width == 390)
        page.set_viewport_size({"width": 1280, "height": 800})
    assert [*problems_of(page), *dark_problems_of(page), *sideways_px(page)] == []


def rate_and_submit(page: Page, *, is_right: bool) -> None:
    wait_until_ready(page)
    rate_event(page, CALM_EVENT if is_right else WRONG_FIRST)
    rate_event(page, CALM_EVENT)
    rate_event(page, CALM_EVENT if is_right else WRONG_TYPE)
    page.keyboard.press("4")
    expect(page.locator("#missing")).to_have_text("complete")
    page.keyboard.press("s")
    expect(page.locator("#notices")).to_contain_text("Submitted")
    expect(page.locator("#reopen")).to_be_hidden()
    page.get_by_role("link", name="See the feedback").click()


def test_a_rater_trains_fails_trains_again_passes_and_enters_the_main_round(
    page: Page, live_server, training
):
    campaign, made, main, rater, _ = training
    enter(page, live_server, rater)
    page.goto(live_server.url + reverse("queue"))
    expect(page.get_by_text("Training comes first.")).to_be_visible()
    expect(page.get_by_role("heading", name=campaign.name)).to_have_count(1)
    look(page, "queue")
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="Start").click()

    rate_and_submit(page, is_right=False)

    expect(page.get_by_role("heading", level=1)).to_contain_text("Feedback: Making tea")
    wait_until_ready(page)
    first = page.locator(".feedback").first
    expect(first.locator(".wrong")).to_contain_text("Without water nothing can be brewed later.")
    expect(first.locator(".wrong dd")).to_have_text(["No", "Yes"])
    expect(first.locator(".wrong details p")).to_be_visible()
    expect(first.locator(".right dd")).to_have_text(["5", "3, 4 or 5"])
    look(page, "feedback")
    first.get_by_role("button", name="Show mistake 1 in the videos").click()
    page.wait_for_function("() => document.querySelectorAll('video')[1].currentTime >= 1.9")
    page.get_by_role("link", name="See the result").click()
    expect(page.get_by_role("heading", name="Not passed yet")).to_be_visible()
    expect(page.get_by_text("1 of 3 answers were accepted")).to_be_visible()
    look(page, "not-passed")
    assert not Assignment.objects.filter(round=main).exists()

    page.get_by_role("button", name="Try again").click()
    wait_until_ready(page)
    expect(page.locator("#missing")).to_have_text("25 missing")
    rate_and_submit(page, is_right=True)
    expect(page.locator(".feedback .wrong")).to_have_count(0)
    page.get_by_role("link", name="See the result").click()
    expect(page.get_by_role("heading", name="You have passed")).to_be_visible()
    look(page, "passed")
    page.get_by_role("link", name="To my queue").click()

    expect(page.get_by_role("heading", name=campaign.name)).to_have_count(2)
    look(page, "queue-after")
    page.get_by_role("link", name="Start").click()
    wait_until_ready(page)
    found = Qualification.objects.get(round=made)
    assert [item.is_passed for item in found.attempts.all()] == [False, True]
    assert Assignment.objects.filter(round=main, rater=rater, purpose="ordinary").count() == 2
    # The log has both attempts.
    first_event = RatingEvent.objects.filter(
        assignment__round=made, event__index=0, metric="error_validity"
    )
    assert [row.value for row in first_event.order_by("pk")] == ["no", "", "yes"]


def test_a_researcher_marks_gold_plans_checks_and_lets_somebody_in(
    page: Page, live_server, training
):
    campaign, _, main, rater, owner = training
    trace = campaign.datasets.get().traces.exclude(gold__isnull=False).first()
    enter(page, live_server, owner)
    page.goto(live_server.url + reverse("trace-detail", args=[trace.public_id]))
    page.get_by_role("link", name="Mark gold").click()
    page.get_by_role("group", name="Procedure Logic").get_by_label("Broken").check()
    page.get_by_label("Why: Procedure Logic").fill("The tea is never poured.")
    look(page, "answer-key")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("1 accepted answer saved.")).to_be_visible()
    page.get_by_role("link", name="All gold").click()
    row = page.get_by_role("row").filter(has_text="The tea is never poured.")
    expect(row).to_contain_text("Broken")
    look(page, "gold")
    row.get_by_role("button", name="Retire").click()
    page.get_by_role("button", name="Yes: retire").click()
    expect(page.get_by_role("row").filter(has_text="never poured")).to_contain_text("retired")
    page.goto(live_server.url + reverse("round-detail", args=[campaign.public_id, main.number]))
    look(page, "round")
    page.get_by_role("link", name="See the plan and what everybody got").click()
    look(page, "checks-open")

    planned = plan_round(
        campaign=campaign,
        new=NewRound(Phase.TRAINING, campaign.guideline_versions.get()),
        actor=owner,
    )
    address = reverse("round-checks", args=[campaign.public_id, planned.number])
    page.goto(live_server.url + address)
    page.get_by_label("Accepted answers in total, %").fill("75")
    look(page, "rule")
    page.get_by_role("button", name="Save").click()
    planned.refresh_from_db()
    assert planned.checks.pass_overall == 0.75

    page.goto(live_server.url + reverse("qualifications", args=[campaign.public_id]))
    page.get_by_text("Let somebody in without passing").first.click()
    page.get_by_label("Who", exact=True).first.select_option(rater.username)
    page.get_by_label("Why this person may go on without passing").first.fill("Rated the pilot.")
    look(page, "qualifications")
    page.get_by_role("button", name="Let in").first.click()
    expect(page.get_by_text("Rated the pilot.")).to_be_visible()
    look(page, "let-in")
    assert Assignment.objects.filter(round=main, rater=rater).count() == 2
