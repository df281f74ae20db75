"""What raters read: the welcome after joining, the guideline, and what is new in it."""

import json
import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import FilingMoment, GuidelineReading, Phase, RatingEvent, Role
from annotation.selectors.campaigns.protocol import protocol_of
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.campaigns.guidelines import edit_version, new_version
from annotation.services.campaigns.invitations import make_invitation
from annotation.services.campaigns.protocol import set_consent_text
from annotation.services.campaigns.rounds import close_round
from annotation.services.ratings.rounds import NewRound, open_round, plan_round
from tests.annotation.conftest import client_of
from tests.factories import DatasetFactory, EventFactory, TakeFactory, TraceFactory, UserFactory

NEW_WORDS = "Would a careful person slip like this?"


@pytest.fixture
def owner(db):
    return UserFactory(role=Role.RESEARCHER)


@pytest.fixture
def rater(db):
    return UserFactory()


@pytest.fixture
def campaign(owner):
    dataset = DatasetFactory(owner=owner)
    for _ in range(2):
        trace = TraceFactory(dataset=dataset, take=TakeFactory(dataset=dataset))
        EventFactory(trace=trace, index=0)
    return create_campaign(new=NewCampaign("Spring", phase=None), datasets=[dataset], actor=owner)


def opened(campaign, owner, version, phase=Phase.PILOT):
    planned = plan_round(campaign=campaign, new=NewRound(phase, version, overlap=1), actor=owner)
    open_round(planned=planned, actor=owner)
    return planned


def address(name, round_):
    return reverse(name, args=[round_.public_id])


def second_version(campaign, owner, first):
    text = json.loads(json.dumps(first.text))
    text["human_plausibility"]["mistake"]["question"] = NEW_WORDS
    version = new_version(campaign=campaign, actor=owner, parent=first)
    return edit_version(
        version=version, text=text, examples=(), changes="Raters read slip as fall", actor=owner
    )


def test_who_joins_is_welcomed_and_starts_with_one_button(owner, campaign, client):
    round_ = opened(campaign, owner, campaign.guideline_versions.get())
    set_consent_text(campaign=campaign, text="You may stop at any time.", actor=owner)
    token = make_invitation(campaign=campaign, places=1, actor=owner)
    account = {"username": "new", "password1": "correct horse 9", "password2": "correct horse 9"}

    joined = client.post(reverse("join", args=[token]), account)
    page = client.get(joined.url).content.decode()
    refused = client.post(joined.url, {"version": round_.guideline.public_id})
    number = {"number": "1", "version": round_.guideline.public_id}
    started = client.post(joined.url, number, follow=True)

    assert joined.url == address("welcome", round_)
    for words in ("Welcome to Spring", "You may stop at any time.", "Nobody has finished a trace",
                  "Human Plausibility", "I have read this and accept: start"):  # fmt: skip
        assert words in page
    assert "read it again" in refused.content.decode()
    assert started.resolver_match.view_name == "audit"
    assert GuidelineReading.objects.get().version == round_.guideline


def test_joining_a_draft_says_that_it_has_not_started(owner, campaign, client):
    token = make_invitation(campaign=campaign, places=1, actor=owner)

    assert "has not started yet" in client.get(reverse("join", args=[token])).content.decode()


def test_a_changed_guideline_is_read_before_the_first_trace(owner, campaign, rater):
    first = campaign.guideline_versions.get()
    add_raters(campaign=campaign, raters=[rater], actor=owner)
    pilot = opened(campaign, owner, first)
    pilot.assignments.update(started_at=pilot.created_at)
    close_round(closing=pilot, actor=owner)
    second = second_version(campaign, owner, first)
    again = opened(campaign, owner, second)
    client = client_of(rater)
    trace = reverse("audit", args=[again.assignments.first().public_id])

    before = client.get(trace)
    news = client.get(before.url).content.decode()
    client.post(before.url, {"version": second.public_id})
    after = client.get(trace)

    assert before.url == address("welcome", again)
    assert "New in the guideline" in news
    assert "<ins>Would a careful person slip" in news
    assert "Raters read slip as fall" in news
    assert after.status_code == 200
    (reading,) = protocol_of(campaign, moment=FilingMoment.BEFORE_MAIN)["readings"]
    assert (reading["rater"], reading["guideline"]) == ("rater 1", second.number)


def test_the_same_guideline_is_not_announced_again(owner, campaign, rater):
    first = campaign.guideline_versions.get()
    add_raters(campaign=campaign, raters=[rater], actor=owner)
    pilot = opened(campaign, owner, first)
    pilot.assignments.update(started_at=pilot.created_at)
    close_round(closing=pilot, actor=owner)
    again = opened(campaign, owner, first)

    trace = reverse("audit", args=[again.assignments.first().public_id])
    assert client_of(rater).get(trace).status_code == 200


def test_who_joined_a_draft_is_welcomed_by_the_first_start_from_the_queue(owner, campaign, client):
    token = make_invitation(campaign=campaign, places=1, actor=owner)
    account = {"username": "new", "password1": "correct horse 9", "password2": "correct horse 9"}
    joined = client.post(reverse("join", args=[token]), account, follow=True)
    round_ = opened(campaign, owner, campaign.guideline_versions.get())
    welcome = address("welcome", round_)

    first = client.get(reverse("queue")).content.decode()
    client.post(welcome, {"version": round_.guideline.public_id})
    again = client.get(reverse("queue")).content.decode()

    assert "It has not started yet" in joined.content.decode()
    button = '<a class="button primary" href="{}">Start</a>'
    assert button.format(welcome) in first
    trace = round_.assignments.order_by("position").first()
    assert button.format(reverse("audit", args=[trace.public_id])) in again


@pytest.mark.parametrize("page", ["welcome", "round-guideline"])
def test_only_who_works_in_a_round_reads_its_guideline(owner, campaign, rater, page):
    round_ = opened(campaign, owner, campaign.guideline_versions.get())

    assert client_of(rater).get(address(page, round_)).status_code == 404


def test_the_whole_guideline_is_one_page_with_a_place_for_each_question(owner, campaign, rater):
    add_raters(campaign=campaign, raters=[rater], actor=owner)
    round_ = opened(campaign, owner, campaign.guideline_versions.get())

    page = client_of(rater).get(address("round-guideline", round_)).content.decode()

    assert 'id="confusability"' in page
    assert "data-guideline-search" in page


def test_who_goes_on_at_the_end_reads_where_they_stand(owner, campaign, rater):
    add_raters(campaign=campaign, raters=[rater], actor=owner)
    round_ = opened(campaign, owner, campaign.guideline_versions.get())
    round_.assignments.all().delete()
    client = client_of(rater)

    left = client.get(address("next-trace", round_), follow=True).content.decode()
    close_round(closing=round_, actor=owner)
    closed = client.get(address("next-trace", round_), follow=True).content.decode()

    assert "No trace of this round is left for you now." in left
    assert "This round is closed" in closed


def next_act(owner, round_):
    page = client_of(owner).get(
        reverse("round-detail", args=[round_.campaign.public_id, round_.number])
    )
    found = re.search(r"<b>Next:</b> (.*?)</p>", page.content.decode(), re.DOTALL)
    return re.sub(r"<[^>]+>", "", found[1])


def test_a_round_says_what_comes_next_and_why(owner, campaign, rater):
    version = campaign.guideline_versions.get()
    planned = plan_round(
        campaign=campaign, new=NewRound(Phase.PILOT, version, overlap=1), actor=owner
    )
    acts = [next_act(owner, planned)]
    add_raters(campaign=campaign, raters=[rater], actor=owner)
    acts.append(next_act(owner, planned))
    open_round(planned=planned, actor=owner)
    acts.append(next_act(owner, planned))
    planned.assignments.update(status="submitted", submitted_at=timezone.now())
    acts.append(next_act(owner, planned))
    close_round(closing=planned, actor=owner)
    acts.append(next_act(owner, planned))

    assert acts == [
        "add people: nobody would get its 2 traces.",
        "open the round: 2 traces, 2 events, each rated by 1 of 1; how long it takes is known"
        " after somebody's first trace.",
        "wait until everybody has submitted (0 of 2 so far), or close the round as its stop rule"
        " says.",
        "close the round: everybody has submitted.",
        "read how far people agree, then discuss what they disagree on.",
    ]


def test_a_round_with_too_few_people_asks_for_them_before_it_is_opened(owner, campaign, rater):
    version = campaign.guideline_versions.get()
    add_raters(campaign=campaign, raters=[rater], actor=owner)
    planned = plan_round(
        campaign=campaign, new=NewRound(Phase.PILOT, version, overlap=2), actor=owner
    )
    before = next_act(owner, planned)
    open_round(planned=planned, actor=owner)
    after = next_act(owner, planned)

    assert before == "add people: each of its 2 traces is for 2 raters, and 1 is in the round."
    assert after == "add people: each trace is for 2 raters, and 1 is in the round."


def test_what_a_round_takes_is_told_from_what_the_campaign_took(owner, campaign, rater):
    version = campaign.guideline_versions.get()
    add_raters(campaign=campaign, raters=[rater], actor=owner)
    pilot = opened(campaign, owner, version)
    at = timezone.now()
    for assignment in pilot.assignments.all():
        for minute in (0, 4):
            RatingEvent.objects.create(
                assignment=assignment, metric="confusability", value="3", revision=minute + 1,
                client_id="tab", client_sequence=minute, rated_at=at + timedelta(minutes=minute),
            )  # fmt: skip
    pilot.assignments.update(status="submitted", submitted_at=at)
    close_round(closing=pilot, actor=owner)
    again = plan_round(
        campaign=campaign, new=NewRound(Phase.PILOT, version, overlap=1),
        actor=owner,
    )  # fmt: skip

    assert "2 traces, 2 events, each rated by 1, about 8 minutes for each of 1." in next_act(
        owner, again
    )
