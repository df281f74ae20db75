"""The recipe of a kind of round: registered, and every page that serves all kinds serves it.

`round_kinds/reading.py` is the kind, with its templates beside it; nothing else knows of it.
"""

import copy

import pytest
from django.urls import reverse

from annotation.models import Campaign, GuidelineVersion
from annotation.models import round_kinds as registry
from annotation.services.campaigns.campaigns import (
    NewCampaign,
    add_raters,
    close_campaign,
    create_campaign,
    remove_rater,
)
from annotation.services.campaigns.guidelines import new_version
from tests.annotation.conftest import client_of
from tests.factories import DatasetFactory, TakeFactory, UserFactory
from tests.recipes.round_kinds.reading import READING, ReadingKind

pytestmark = pytest.mark.django_db
TEMPLATES = "tests/recipes/round_kinds/templates"


@pytest.fixture(autouse=True)
def reading(settings, monkeypatch):
    """Do for one test what an app does at its start: its kind, its addresses, its templates."""
    monkeypatch.setattr(registry, "_kinds", dict(registry._kinds))
    registry.register(ReadingKind())
    settings.ROOT_URLCONF = "tests.recipes.round_kinds.reading"
    templates = copy.deepcopy(settings.TEMPLATES)
    templates[0]["DIRS"].append(settings.BASE_DIR / TEMPLATES)
    settings.TEMPLATES = templates


@pytest.fixture
def reader():
    return UserFactory(username="ann")


@pytest.fixture
def campaign(owner, reader):
    dataset = DatasetFactory(owner=owner)
    TakeFactory(dataset=dataset, name="Make tea")
    made = create_campaign(new=NewCampaign("Spring", kind=READING), datasets=[dataset], actor=owner)
    add_raters(campaign=made, raters=[reader], actor=owner)
    return made


def shown(user, name, *arguments):
    answer = client_of(user).get(reverse(name, args=arguments))
    assert answer.status_code == 200
    return answer.content.decode()


def test_campaign_has_a_page_and_a_row_in_the_list(campaign, owner):
    page = shown(owner, "campaign-detail", campaign.public_id)
    campaigns = shown(owner, "campaigns")

    assert "Round 1, by guideline 1" in page
    assert ">Reader</th>" in page
    assert ">ann</th>" in page.replace("\n", "")
    assert 'href="/reading/new/">New campaign of reading<' in campaigns
    assert '<span class="tag">Reading</span>' in campaigns
    assert "0 of 1" in campaigns
    assert "<td>Open</td>" in campaigns


def test_list_is_in_the_queue_until_the_campaign_is_closed(campaign, owner, reader):
    assert "<li>Make tea</li>" in shown(reader, "queue")

    close_campaign(campaign=campaign, actor=owner)

    assert "Make tea" not in shown(reader, "queue")
    assert "1 of 1" in shown(owner, "campaigns")


def test_who_leaves_has_no_list(campaign, owner, reader):
    remove_rater(campaign=campaign, rater=reader, actor=owner)

    assert "Make tea" not in shown(reader, "queue")


def test_its_guideline_and_its_consent_have_pages(campaign, owner):
    draft = new_version(
        campaign=campaign, actor=owner, parent=GuidelineVersion.objects.get(campaign=campaign)
    )

    assert "from its first step" in shown(owner, "guideline-detail", campaign.public_id, 1)
    assert "Guideline" in shown(owner, "guideline-edit", campaign.public_id, draft.number)
    assert "Guideline" in shown(owner, "guidelines", campaign.public_id)
    assert "Consent" in shown(owner, "protocol", campaign.public_id)


def test_campaign_is_made_on_its_page(owner):
    dataset = DatasetFactory(owner=owner)
    TakeFactory(dataset=dataset)

    client_of(owner).post(
        reverse("reading-campaign"), {"name": "Autumn", "datasets": [dataset.public_id]}
    )

    assert Campaign.objects.get(name="Autumn").kind == READING
