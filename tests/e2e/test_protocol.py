"""A whole audit in the browser, with three raters: from a draft to figures that are released."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.engine.ratings.changes import Answer, RatingChange, RatingKey
from annotation.models import (
    Assignment,
    Campaign,
    Case,
    GuidelineVersion,
    Rating,
    Role,
    Round,
    User,
)
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.ratings.assignments import submit_assignment
from annotation.services.ratings.saving import save_changes
from sample.corpus import load_corpus
from sample.ratings import RATERS, sample_ratings
from tests.e2e.audit_page import expect_saved, wait_until_ready
from tests.e2e.site import enter, in_worker
from tests.factories import UserFactory

pytestmark = pytest.mark.e2e

NAME = "Kitchen audit"
NEW_QUESTION = "Could this happen to a careful person on an ordinary day?"
CONSENT = "You may stop at any time. Your answers are published without your name."
WHY = "Raters read “plausible” as “frequent”."
STOP_RULE = "The round ends when each trace has three answers."


@pytest.fixture
def people(transactional_db) -> dict[str, User]:
    """The researcher with the sample corpus, and three raters."""
    owner = UserFactory(username="researcher", role=Role.RESEARCHER)
    target = ImportTarget(name="Everyday procedures", format="native", owner=owner)
    import_reading(load_corpus(), target=target, actor=owner)
    return {"researcher": owner} | {name: UserFactory(username=name) for name in RATERS}


@pytest.fixture
def windows(new_context, live_server, people) -> dict[str, Page]:
    """A window of the browser for each of them."""
    opened = {}
    for name, user in people.items():
        opened[name] = new_context().new_page()
        enter(opened[name], live_server, user)
    return opened


def go(page: Page, live_server, name: str, *args) -> None:
    page.goto(live_server.url + reverse(name, args=args))


def make_draft(page: Page, live_server) -> Campaign:
    go(page, live_server, "campaign-create")
    page.get_by_label("Name").fill(NAME)
    page.get_by_label("Everyday procedures").check()
    page.get_by_label("First round").select_option(label="None yet: plan it first")
    page.get_by_role("button", name="Create the campaign").click()
    for name in RATERS:
        page.get_by_label(name).check()
    page.get_by_role("button", name="Add people").click()
    expect(page.locator(".protocol [aria-current=step]")).to_have_text("Draft")
    return Campaign.objects.get(name=NAME)


def ask_for_consent(page: Page, live_server, campaign: Campaign) -> None:
    go(page, live_server, "protocol", campaign.public_id)
    page.get_by_label("Consent text").fill(CONSENT)
    page.get_by_role("button", name="Ask for this text").click()
    expect(page.get_by_text("Consent text 1 is asked")).to_be_visible()
    expect(page.get_by_role("row", name=RATERS[0])).to_contain_text("not yet")


def plan_analysis(page: Page, live_server, campaign: Campaign) -> None:
    go(page, live_server, "protocol", campaign.public_id)
    page.get_by_label("Taxonomy Fit").uncheck()
    page.get_by_label("Hypotheses").fill("Alpha of plausibility rises.")
    page.get_by_role("button", name="Save the plan").click()
    expect(page.get_by_text("The plan of the analysis is saved")).to_be_visible()


def open_round(page: Page, live_server, campaign: Campaign, **fields) -> Round:
    """Plan a round with what the form is filled with, and open it."""
    go(page, live_server, "round-new", campaign.public_id)
    page.get_by_label("Phase").select_option(fields["phase"])
    page.get_by_label("Guideline version").select_option(fields["version"])
    page.get_by_label("Stop rule and hypotheses").fill(STOP_RULE)
    if fields.get("rates_again"):
        page.get_by_label("Rate traces of the pilots again").check()
    page.get_by_role("button", name="Plan the round").click()
    page.get_by_role("button", name="Open the round").click()
    page.get_by_role("button", name="Yes: open the round").click()
    expect(page.get_by_text("put into the queues")).to_be_visible()
    return campaign.rounds.latest("number")


def begin(page: Page, live_server, made: Round, question: str) -> None:
    """Open a rater's first trace from the queue, read the round's text, give one answer."""
    go(page, live_server, "queue")
    page.get_by_role("link", name="Start").click()
    if made.phase == "pilot":
        expect(page.get_by_text(CONSENT)).to_be_visible()
        page.get_by_role("button", name="I have read this and accept: start").click()
    else:
        page.get_by_role("button", name="I have read what is new: go on").click()
    wait_until_ready(page)
    shown = page.locator("[data-metric=human_plausibility]")
    expect(shown.locator("[data-question]")).to_have_text(question)
    shown.locator("input[value='4']").locator("..").click()
    expect_saved(page)


def finish(made: Round, seed: int, *, is_careless: bool) -> None:
    """Answer what is left of a round and submit all, as raters who agree more or less."""
    given = {}
    for rating in sample_ratings(load_corpus().traces, np.random.default_rng(seed)):
        if not rating.is_implied:
            given.setdefault((rating.rater, rating.trace_uid), []).append(rating)
    careless = np.random.default_rng(seed + 1)
    for assignment in Assignment.objects.filter(round=made).select_related("trace", "rater"):
        index = dict(assignment.trace.events.values_list("event_id", "index"))
        known = set(assignment.ratings.values_list("event__index", "metric"))
        keys = [
            (RatingKey(index.get(item.event_id), item.metric), item)
            for item in given[assignment.rater.username, assignment.trace.uid]
            if not item.metric.startswith(("video_", "text_video"))
        ]
        changes = [
            RatingChange(
                sequence=sequence,
                key=key,
                answer=Answer(
                    str(careless.integers(1, 6))
                    if is_careless and key.metric == "human_plausibility"
                    else item.value,
                    item.confidence,
                ),
                base_revision=0,
                rated_at=timezone.now(),
            )
            for sequence, (key, item) in enumerate(keys)
            if (key.event_index, key.metric.value) not in known
        ]
        save_changes(
            public_id=assignment.public_id,
            client_id="script",
            changes=changes,
            actor=assignment.rater,
        )
        submit_assignment(assignment=assignment, actor=assignment.rater)


def rate_round(windows, live_server, made: Round, *, question: str, seed: int, is_careless: bool):
    for name in RATERS:
        begin(windows[name], live_server, made, question)
        windows[name].goto("about:blank")
    in_worker(lambda: finish(made, seed, is_careless=is_careless))


def close_round(page: Page, live_server, made: Round) -> None:
    go(page, live_server, "round-detail", made.campaign.public_id, made.number)
    page.get_by_role("button", name="Close the round").click()
    page.get_by_role("button", name="Yes: close the round").click()
    expect(page.get_by_text("Closed", exact=False).first).to_be_visible()


def discuss(windows, live_server, campaign: Campaign) -> int:
    """Take the widest case about plausibility to a decision and a draft; give its number."""
    page = windows["researcher"]
    go(page, live_server, "desk", campaign.public_id)
    expect(page.get_by_text(re.compile(r"^\d+ cases: \d+ open"))).to_be_visible()
    case = Case.objects.filter(metric="human_plausibility").order_by("-score", "pk")[0]
    rater = windows[RATERS[0]]
    go(rater, live_server, "case-detail", case.public_id)
    expect(rater.locator(".letters").first).to_contain_text("(you)")
    rater.get_by_label("Your comment").fill("I took it for: does this happen often?")
    rater.get_by_role("button", name="Send").click()
    expect(rater.locator("#comments")).to_contain_text("happen often")
    shown = rater.locator("main").inner_text()
    assert not any(name in shown for name in RATERS[1:])
    go(page, live_server, "case-detail", case.public_id)
    expect(page.locator("#comments")).to_contain_text("happen often")
    page.get_by_label("Guideline gap").check()
    page.get_by_label("Why, in words").fill(WHY)
    page.get_by_role("button", name="Decide").click()
    expect(page.locator("#decision")).to_contain_text(WHY)
    page.get_by_role("button", name="Change the guideline from this").click()
    return campaign.guideline_versions.latest("number").number


def write_version(page: Page) -> None:
    """On the page that edits a draft: write another question, and look at the difference."""
    for subject in ("mistake", "correction"):
        page.locator(f"[name='human_plausibility.{subject}.question']").fill(NEW_QUESTION)
    page.get_by_label("What changed and why").fill(WHY)
    page.get_by_role("button", name="Save the draft").click()
    expect(page.get_by_role("heading", name="Changes from version 1")).to_be_visible()
    expect(page.locator(".difference ins").first).to_be_visible()
    expect(page.locator(".difference del").first).to_be_visible()


def freeze(page: Page, live_server, campaign: Campaign, version: GuidelineVersion) -> None:
    go(page, live_server, "campaign-detail", campaign.public_id)
    page.get_by_label("Freeze the guideline").select_option(str(version.number))
    page.get_by_role("button", name="Freeze").click()
    page.get_by_role("button", name="Yes: freeze").click()
    expect(page.locator(".protocol [aria-current=step]")).to_have_text("Frozen")


def expect_frozen(page: Page, live_server, campaign: Campaign, version: GuidelineVersion) -> None:
    """Neither page nor API change a frozen text."""
    where = [campaign.public_id, version.number]
    go(page, live_server, "guideline-edit", *where)
    expect(page.get_by_text(f"Version {version.name} is frozen")).to_be_visible()
    assert page.url.endswith(reverse("guideline-detail", args=where))
    api = Client(raise_request_exception=False)
    api.force_login(campaign.owner)
    body = {"text": version.text, "changes": "Later"}
    address = reverse("api-guideline", args=where)
    answer = api.put(address, body, content_type="application/json")
    assert (answer.status_code, "is frozen since" in answer.json()["detail"]) == (409, True)
    sent = api.post(reverse("guideline-edit", args=where), {"changes": "Later"})
    held = GuidelineVersion.objects.get(pk=version.pk)
    # What was typed is shown again, and nothing of it is stored.
    assert (sent.status_code, "Later" in sent.content.decode()) == (200, True)
    assert (held.text, held.content_hash) == (version.text, version.content_hash)


def test_a_whole_audit(windows, live_server):
    page = windows["researcher"]
    campaign = make_draft(page, live_server)
    first = campaign.guideline_versions.get()
    question = first.text["human_plausibility"]["mistake"]["question"]
    ask_for_consent(page, live_server, campaign)
    pilot = open_round(page, live_server, campaign, phase="pilot", version="1")
    rate_round(windows, live_server, pilot, question=question, seed=1, is_careless=True)
    close_round(page, live_server, pilot)

    number = discuss(windows, live_server, campaign)
    write_version(page)
    version = campaign.guideline_versions.get(number=number)
    plan_analysis(page, live_server, campaign)
    freeze(page, live_server, campaign, version)
    version.refresh_from_db()
    expect_frozen(page, live_server, campaign, version)

    main = open_round(
        page, live_server, campaign, phase="main", version=str(number), rates_again=True
    )
    expect_filed(page, live_server, campaign, version)
    rate_round(windows, live_server, main, question=NEW_QUESTION, seed=2, is_careless=False)
    close_round(page, live_server, main)
    go(page, live_server, "campaign-detail", campaign.public_id)
    page.get_by_role("button", name="Release").click()
    page.get_by_role("button", name="Yes: release").click()
    expect(page.locator(".protocol [aria-current=step]")).to_have_text("Released")

    hashes = Rating.objects.values_list("assignment__round__number", "guideline__content_hash")
    first.refresh_from_db()
    assert set(hashes) == {(1, first.content_hash), (2, version.content_hash)}
    assert first.content_hash != version.content_hash
    assert "" not in {held for _, held in hashes}
    assert list(campaign.protocol_files.values_list("moment", flat=True)) == [
        "before_main", "release",
    ]  # fmt: skip
    expect_figures(page, live_server, campaign)


def expect_filed(page: Page, live_server, campaign: Campaign, version: GuidelineVersion) -> None:
    """The file that came with the main round has the plan, the text, and the hash of the page."""
    go(page, live_server, "protocol", campaign.public_id)
    expect(page.get_by_role("button", name="Save the plan")).to_have_count(0)
    shown = page.get_by_role("row", name="Before the main round")
    with page.expect_download() as found:
        shown.get_by_role("link", name="JSON").click()
    content = Path(found.value.path()).read_bytes()
    expect(shown).to_contain_text(hashlib.sha256(content).hexdigest())
    told = json.loads(content)
    assert "taxonomy_fit" not in told["analysis"]["metrics"]
    assert told["guidelines"][1]["hash"] == version.content_hash
    assert told["consent"]["text"] == CONSENT
    assert [made["phase"] for made in told["rounds"]] == ["pilot", "main"]


def expect_figures(page: Page, live_server, campaign: Campaign) -> None:
    """A table for each round, none for both, and the change of alpha with its interval."""
    go(page, live_server, "campaign-report", campaign.public_id)
    expect(page.get_by_role("heading", name=re.compile("Everyday procedures"))).to_have_count(2)
    family = page.locator("h2", has_text="before").locator("xpath=following-sibling::*[1]")
    row = family.get_by_role("row", name="Human Plausibility")
    expect(row).to_contain_text(re.compile(r"-?\d\.\d{3} to -?\d\.\d{3}"))
