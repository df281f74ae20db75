"""Consent, plan of the analysis and filed protocols over the API."""

import hashlib
import json

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.models import Consent, Phase
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.ratings.rounds import NewRound, open_round, plan_round
from tests.annotation.campaigns import make_dataset
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def client_of(user):
    client = APIClient()
    client.default_format = "json"
    client.force_authenticate(user)
    return client


@pytest.fixture
def owner():
    return UserFactory(role="researcher")


@pytest.fixture
def rater():
    return UserFactory()


@pytest.fixture
def campaign(owner, rater):
    datasets = [make_dataset(2), make_dataset(1)]
    for dataset in datasets:
        dataset.owner = owner
        dataset.save()
    made = create_campaign(new=NewCampaign("Spring", phase=None), datasets=datasets, actor=owner)
    add_raters(campaign=made, raters=[rater], actor=owner)
    return made


def opened(campaign, phase):
    version = campaign.guideline_versions.latest("number")
    made = plan_round(campaign=campaign, new=NewRound(phase, version, overlap=1), actor=None)
    open_round(planned=made, actor=None)


def address(name, campaign, *more):
    return reverse(f"api-{name}", args=[campaign.public_id, *more])


def test_a_plan_is_said_and_stands_once_the_main_round_is_open(owner, campaign):
    client = client_of(owner)
    names = sorted(campaign.datasets.values_list("name", flat=True))
    plan = {
        "metrics": ["confusability"],
        "comparisons": [names],
        "hypotheses": "H1",
        "least_coverage": 75,
    }

    said = client.put(address("protocol-analysis", campaign), plan)
    unknown = client.put(
        address("protocol-analysis", campaign),
        plan | {"comparisons": [["Moon", "Sun"]]},
    )
    opened(campaign, Phase.MAIN)
    late = client.put(address("protocol-analysis", campaign), plan)

    terms = {"least_coverage": 75, "least_raters": 2, "step_words": "arrows"}
    assert said.json() == plan | {"exclusions": ""} | terms
    assert (unknown.status_code, "Moon" in unknown.json()["comparisons"][0]) == (400, True)
    assert (late.status_code, "what was planned stands" in late.json()["detail"]) == (409, True)
    told = client.get(address("protocol", campaign)).json()
    assert (told["is_planned"], told["analysis"]["metrics"]) == (True, ["confusability"])


def test_what_is_fetched_has_the_hash_that_was_told(owner, campaign):
    client = client_of(owner)

    by_hand = client.post(address("protocol-files", campaign))
    opened(campaign, Phase.MAIN)
    late = client.post(address("protocol-files", campaign))

    filed = client.get(address("protocol", campaign)).json()["filed"]
    assert (by_hand.status_code, late.status_code, len(filed)) == (201, 409, 2)
    sent = client.get(address("protocol-filed", campaign, filed[0]["id"])).content
    assert hashlib.sha256(sent).hexdigest() == filed[0]["content_hash"]
    assert json.loads(sent)["rounds"][0]["phase"] == "main"
    shown = client.get(address("protocol-filed-markdown", campaign, filed[0]["id"]))
    assert filed[0]["content_hash"] in shown.content.decode()


def test_a_rater_reads_and_accepts_the_text_that_stands_now(owner, rater, campaign):
    researcher, asked = client_of(owner), client_of(rater)
    researcher.put(address("consent", campaign), {"text": "First."})
    before = asked.get(address("consent", campaign))
    opened(campaign, Phase.PILOT)
    researcher.put(address("consent", campaign), {"text": "Second."})

    old = asked.post(address("consent-accept", campaign), {"number": 1})
    read = asked.get(address("consent", campaign)).json()
    accepted = asked.post(address("consent-accept", campaign), {"number": read["number"]})

    # Raters see nothing of a campaign before a round of theirs is open.
    assert (before.status_code, old.status_code) == (404, 409)
    assert (read["text"], read["is_accepted"], accepted.json()["is_accepted"]) == (
        "Second.", False, True,
    )  # fmt: skip
    assert Consent.objects.get().rater == rater
    [row] = researcher.get(address("protocol", campaign)).json()["consent"]["acceptances"]
    assert (row["rater"], row["accepted_at"] is None) == (rater.username, False)


def test_who_rates_does_not_read_the_sources_in_the_file(owner, campaign):
    opened(campaign, Phase.MAIN)
    filed = campaign.protocol_files.get()
    add_raters(campaign=campaign, raters=[owner], actor=owner)
    client = client_of(owner)
    client.force_login(owner)
    where = [campaign.public_id, filed.public_id]

    refused = [
        client.get(address("protocol", campaign)),
        client.get(address("protocol-filed", campaign, filed.public_id)),
        client.get(address("protocol-filed-markdown", campaign, filed.public_id)),
        client.get(reverse("protocol-filed-json", args=where)),
        client.get(reverse("protocol-draft-md", args=where[:1])),
    ]

    assert {answer.status_code for answer in refused} == {403}
    page = client.get(reverse("protocol", args=where[:1]))
    shown = page.content.decode()
    assert page.status_code == 200
    assert not any(name in shown for name in campaign.datasets.values_list("name", flat=True))
