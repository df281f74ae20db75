"""What somebody with nothing but a link reads: the welcome, and the help one key away."""

import pytest
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page, expect

from annotation.engine.campaigns.people_questions import STANDARD
from annotation.models import PeopleAnswers, Phase, Role
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.campaigns.people_questions import set_people_questions
from annotation.services.ratings.rounds import NewRound, open_round, plan_round
from tests.e2e.looks import dark_problems_of, problems_of, sideways_px
from tests.e2e.site import enter
from tests.factories import DatasetFactory, EventFactory, TakeFactory, TraceFactory, UserFactory

pytestmark = pytest.mark.e2e
SIZES = ((1280, 800), (1440, 900), (390, 844))


@pytest.fixture
def round_(transactional_db):
    owner, rater = UserFactory(role=Role.RESEARCHER), UserFactory(username="ann")
    dataset = DatasetFactory(owner=owner)
    EventFactory(trace=TraceFactory(dataset=dataset, take=TakeFactory(dataset=dataset)), index=0)
    campaign = create_campaign(
        new=NewCampaign("Spring", phase=None), datasets=[dataset], actor=owner
    )
    add_raters(campaign=campaign, raters=[rater], actor=owner)
    set_people_questions(campaign=campaign, questions=list(STANDARD.values()), actor=owner)
    new = NewRound(Phase.PILOT, campaign.guideline_versions.get(), overlap=1)
    planned = plan_round(campaign=campaign, new=new, actor=owner)
    open_round(planned=planned, actor=owner)
    return planned


def problems_at(page: Page, address: str):
    problems = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(address)
        problems += sideways_px(page) + problems_of(page)
    return problems + dark_problems_of(page)


def test_help_is_one_key_away_and_axe_finds_nothing_in_it(
    page: Page, context: BrowserContext, live_server, round_
):
    enter(page, live_server, round_.raters.get().rater)
    page.goto(live_server.url + reverse("audit", args=[round_.assignments.get().public_id]))

    with context.expect_page() as opened:
        page.keyboard.press("F1")

    expect(opened.value.get_by_role("heading", name="How to rate", exact=True)).to_be_visible()
    addresses = [reverse("help"), reverse("manual", args=["labelling"])]
    assert [
        problem for path in addresses for problem in problems_at(page, live_server.url + path)
    ] == []


def test_the_welcome_asks_about_oneself_and_starts(page: Page, live_server, round_):
    enter(page, live_server, round_.raters.get().rater)
    welcome = live_server.url + reverse("welcome", args=[round_.public_id])

    problems = problems_at(page, welcome)
    page.get_by_label("What is your gender?").select_option("Female")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/audit/**")

    assert problems == []
    assert PeopleAnswers.objects.get().values == ["", "Female", "", ""]
