"""What is typed into the forms of pages is not lost when it cannot be saved at once."""

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import ConsentText, Role
from annotation.models.campaign import CampaignState
from annotation.services.campaigns.guidelines import new_version
from tests.e2e.audit_page import type_login
from tests.e2e.site import enter
from tests.factories import CampaignFactory, DatasetFactory, TraceFactory, UserFactory

pytestmark = pytest.mark.e2e
TEXT = "You may stop at any time.\n\n<b>Nobody</b> asks why."


def test_a_form_outlives_the_login_and_asks_for_the_text_of_its_neighbour(
    page: Page, live_server, transactional_db
):
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    campaign = CampaignFactory(owner=owner, name="Spring", state=CampaignState.DRAFT)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    enter(page, live_server, owner)
    page.goto(f"{live_server.url}/campaigns/{campaign.public_id}/protocol/")
    page.get_by_label("Hypotheses").fill("H1")
    page.get_by_label("Consent text").fill(TEXT)
    # The login ended, and nobody has noticed.
    Session.objects.all().delete()

    page.get_by_role("button", name="Ask for this text").click()
    asked_for_the_plan = list(asked)
    page.get_by_label("Hypotheses").fill("")
    page.get_by_role("button", name="Ask for this text").click()
    expect(page.get_by_role("heading", name="Your login has expired")).to_be_visible()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Log in in a new tab").click()
    type_login(opened.value, owner.username)
    expect(opened.value.get_by_role("link", name="Spring")).to_be_visible()
    # The login has made the token of this page stale.
    page.get_by_role("button", name="Send again").click()
    expect(page.get_by_label("Consent text")).to_have_value(TEXT)
    expect(page.locator(".message")).to_contain_text("Consent text 1 is asked")

    assert asked_for_the_plan == asked == ["beforeunload"]
    assert ConsentText.objects.get().text.replace("\r\n", "\n") == TEXT


def test_a_page_with_a_changed_question_of_a_guideline_asks_before_it_goes(
    page: Page, live_server, transactional_db
):
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    campaign = CampaignFactory(owner=owner)
    draft = new_version(campaign=campaign, actor=owner)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    enter(page, live_server, owner)
    address = reverse("guideline-edit", args=[campaign.public_id, draft.number])
    page.goto(live_server.url + address)
    page.reload()
    asked_of_nothing = list(asked)

    page.get_by_label("Question").first.fill("Could a real person slip like this?")
    page.reload()

    assert (asked_of_nothing, asked) == ([], ["beforeunload"])


def test_what_cannot_be_taken_back_asks_once_and_says_what_it_fixes(
    page: Page, live_server, transactional_db
):
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    campaign = CampaignFactory(owner=owner, state=CampaignState.DRAFT)
    enter(page, live_server, owner)
    page.goto(live_server.url + reverse("campaign-detail", args=[campaign.public_id]))
    close = page.get_by_role("button", name="Close the campaign", exact=True)
    question = page.get_by_role("dialog", name="Close the campaign?")

    page.get_by_text("More", exact=True).click()
    close.click()
    expect(question).to_contain_text("A closed campaign is never opened again")
    page.get_by_role("button", name="Not yet").click()
    expect(question).to_be_hidden()
    # A key that stays down asks, and does not answer.
    close.focus()
    for _ in range(3):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    expect(question).to_be_visible()
    campaign.refresh_from_db()
    before = campaign.is_closed
    page.keyboard.press("Enter")
    expect(page.locator(".messages")).to_contain_text("closed")

    campaign.refresh_from_db()
    assert (before, campaign.is_closed) == (False, True)


def test_an_invitation_is_copied_on_a_phone_whose_menu_shows_where_one_is(
    page: Page, live_server, transactional_db
):
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    campaign = CampaignFactory(owner=owner, name="Spring", state=CampaignState.DRAFT)
    page.set_viewport_size({"width": 390, "height": 844})
    enter(page, live_server, owner)
    page.goto(f"{live_server.url}/campaigns/{campaign.public_id}/")
    page.get_by_role("button", name="Create a link").click()

    page.get_by_role("button", name="Copy").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    menu = page.get_by_role("navigation", name="Main")
    box, current = menu.bounding_box(), menu.locator("[aria-current]").bounding_box()
    assert box["x"] <= current["x"]
    assert current["x"] + current["width"] <= box["x"] + box["width"]


# The places of labels and fields that stand in pairs, and whether words hang beside their box.
PAIRED = """() => [...document.querySelectorAll(".field.level")].map((field) =>
  [field.querySelector("label"), field.querySelector("input, select")]
    .map((part) => Math.round(part.getBoundingClientRect().top)))"""
HANGING = """() => [...document.querySelectorAll("label:has(> [type=checkbox])")].map((label) => {
  const words = document.createRange();
  words.selectNodeContents(label);
  words.setStartAfter(label.querySelector("input"));
  const box = label.querySelector("input").getBoundingClientRect();
  const lines = [...words.getClientRects()].filter(({ width }) => width > 1);
  return lines.every(({ left }) => left >= box.right - 1);
})"""


def test_a_form_in_two_columns_is_level_and_words_hang_beside_their_box(
    page: Page, live_server, transactional_db
):
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    TraceFactory(dataset=DatasetFactory(owner=owner, name="Procedures of every day in a kitchen"))
    enter(page, live_server, owner)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(live_server.url + reverse("campaign-create"))

    _, *pairs = page.evaluate(PAIRED)
    page.set_viewport_size({"width": 390, "height": 844})

    assert len(pairs) == 4
    assert (pairs[0], pairs[2]) == (pairs[1], pairs[3])
    assert page.evaluate(HANGING) == [True, True]


def test_a_tick_box_between_fields_leaves_those_below_it_level(
    page: Page, live_server, transactional_db
):
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    TraceFactory(dataset=DatasetFactory(owner=owner))
    enter(page, live_server, owner)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(live_server.url + reverse("item-set-new", args=["guide"]))

    labels = [label for label, _ in page.evaluate(PAIRED)]

    # The last four settings stand in two pairs.
    assert labels[-4:-2] == [labels[-4]] * 2
    assert labels[-2:] == [labels[-2]] * 2
