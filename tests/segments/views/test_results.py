"""Files and data sets made of rounds of segments: pages, API, commands, and who may use them."""

import re
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import CampaignRater, Dataset, Role
from segments.models import SegmentPublication
from tests.annotation.conftest import client_of
from tests.factories import SegmentRoundFactory, UserFactory
from tests.segments.segmented_rounds import finish, make_take, steps_of

WHOLE = steps_of(("a", 0, 4), ("b", 5, 9), ("c", 10, 16), ("d", 17, 19))
PAGES = ("segment-round-results", "segment-round-file", "api-segment-round-file")
POSTS = ("segment-round-publish", "api-segment-round-publish")


@pytest.fixture
def made(owner):
    made = SegmentRoundFactory().round
    made.campaign.owner = owner
    made.campaign.name = "Tea"
    made.campaign.save()
    finish(made, make_take(uid="V1"), UserFactory(username="ada"), WHOLE, status="accepted")
    return made


def address(name, made):
    return reverse(name, args=[made.campaign.public_id, made.number])


def shown(answer):
    return " ".join(answer.content.decode().split())


def test_the_page_makes_a_data_set_that_says_what_it_is_made_of(owner_client, made):
    page = shown(owner_client.get(address("segment-round-results", made)))
    assert '<b>1</b><span class="small">4 steps</span>' in page

    answer = owner_client.post(
        address("segment-round-publish", made), {"name": "Tea again"}, follow=True
    )

    dataset = Dataset.objects.get(name="Tea again")
    assert answer.redirect_chain[-1][0] == reverse("dataset-detail", args=[dataset.public_id])
    text = shown(answer)
    round_page = address("segment-round", made)
    assert f'<a href="{round_page}">Round 1 of Tea</a> · scheme egooops 1 · guideline 1' in text
    person = SegmentPublication.objects.get().segmentations[0]["person"]
    assert person in text
    # As a word: tokens, ids and hashes hold any three letters now and then.
    assert not re.search(r"\bada\b", text)
    results = shown(owner_client.get(address("segment-round-results", made)))
    assert f'href="{reverse("dataset-detail", args=[dataset.public_id])}">Tea again</a>' in results


def test_what_stands_against_it_is_listed_and_nothing_is_written(owner_client, made):
    pieces = [replace(WHOLE[0], label="too slow"), *WHOLE[1:]]
    take = make_take(uid="V2")
    finish(made, take, UserFactory(), pieces, status="accepted", published_as="trace")

    page = shown(owner_client.get(address("segment-round-results", made)))
    answer = owner_client.post(address("segment-round-publish", made), {"name": "New"})
    api = owner_client.post(
        address("api-segment-round-publish", made), {"name": "New"}, content_type="application/json"
    )

    assert "No data set can be made yet" in page
    assert "maps no event to &#x27;too slow&#x27;" in page
    assert answer.status_code == 400
    assert api.status_code == 409
    assert "too slow" in api.json()["problems"][0]["message"]
    assert not Dataset.objects.filter(name="New").exists()


def test_a_name_that_is_taken_is_said_at_the_form(owner_client, made):
    taken = made.recordings.get().take.dataset.name

    answer = owner_client.post(address("segment-round-publish", made), {"name": taken})

    assert answer.status_code == 400
    assert "expected a name that no data set has" in shown(answer)


def test_api_and_command_make_data_sets_too(owner, owner_client, made):
    dry = owner_client.post(
        address("api-segment-round-publish", made),
        {"name": "By API", "dry_run": True},
        content_type="application/json",
    )
    told = owner_client.post(
        address("api-segment-round-publish", made),
        {"name": "By API"},
        content_type="application/json",
    )
    out = StringIO()
    call_command(
        "publish_segments", campaign="Tea", round=1, name="By hand", owner="owner", stdout=out
    )

    assert (dry.status_code, dry.json()) == (
        200, {"dataset": None, "takes": 1, "traces": 0, "events": 0},
    )  # fmt: skip
    dataset = Dataset.objects.get(name="By API")
    assert (told.status_code, told.json()["dataset"]) == (201, dataset.public_id)
    assert out.getvalue() == "By hand is made: 1 takes, 0 traces, 0 events.\n"
    assert Dataset.objects.get(name="By hand").owner == owner
    with pytest.raises(CommandError, match="a name that no data set has"):
        call_command("publish_segments", campaign="Tea", round=1, name="By hand")
    with pytest.raises(CommandError, match="There is no researcher 'ada'"):
        call_command("publish_segments", campaign="Tea", round=1, name="New", owner="ada")


def test_outsiders_and_annotators_make_nothing(outsider_client, annotator_client, made):
    for name in PAGES:
        assert outsider_client.get(address(name, made)).status_code == 404
        assert annotator_client.get(address(name, made)).status_code == 403
    for name in POSTS:
        assert outsider_client.post(address(name, made), {"name": "New"}).status_code == 404
        assert annotator_client.post(address(name, made), {"name": "New"}).status_code == 403


def test_who_works_in_the_open_campaign_gets_no_files_of_it(owner, owner_client, made):
    CampaignRater.objects.create(campaign=made.campaign, rater=owner)

    for name in PAGES:
        assert owner_client.get(address(name, made)).status_code == 403
    assert owner_client.post(address("segment-round-publish", made)).status_code == 403


def test_a_shared_campaign_is_read_by_others_and_published_by_its_owner_only(made):
    made.campaign.is_shared = True
    made.campaign.save()
    client = client_of(UserFactory(role=Role.RESEARCHER))

    page = client.get(address("segment-round-results", made))

    assert "Make the data set" not in shown(page)
    assert client.post(address("segment-round-publish", made), {"name": "New"}).status_code == 404


def test_a_data_set_tells_nobody_of_a_round_that_is_not_theirs_to_see(owner_client, made):
    owner_client.post(
        address("segment-round-publish", made), {"name": "Tea again", "is_shared": "on"}
    )
    dataset = Dataset.objects.get(name="Tea again")
    client = client_of(UserFactory(role=Role.RESEARCHER))

    text = shown(client.get(reverse("dataset-detail", args=[dataset.public_id])))

    assert "Round 1 of a campaign of segments" in text
    assert address("segment-round", made) not in text
    assert client_of(UserFactory(role=Role.ADMINISTRATOR)).get(
        reverse("dataset-detail", args=[dataset.public_id])
    ).status_code == 200  # fmt: skip
