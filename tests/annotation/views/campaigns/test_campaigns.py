"""Campaign pages: made by a researcher, filled with people and data sets, closed, seen by few."""

import re
from dataclasses import replace

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains

from annotation.models import Assignment, Campaign, Role, User
from annotation.views.campaigns import campaigns
from tests.factories import (
    CampaignFactory,
    CampaignRaterFactory,
    DatasetFactory,
    EventFactory,
    TraceFactory,
    UserFactory,
)


@pytest.fixture
def dataset(owner):
    dataset = DatasetFactory(owner=owner, name="Bikes")
    for _ in range(2):
        EventFactory(trace=TraceFactory(dataset=dataset))
    return dataset


@pytest.fixture
def campaign(owner, dataset):
    campaign = CampaignFactory(owner=owner, overlap=2)
    campaign.datasets.add(dataset)
    return campaign


def page(name, campaign):
    return reverse(name, args=[campaign.public_id])


def test_empty_list_says_what_to_do_next(owner_client):
    text = owner_client.get(reverse("campaigns")).content.decode()

    assert "No campaigns yet" in text
    assert reverse("campaign-create") in text


def test_new_campaign_holds_what_was_chosen(owner_client, owner, dataset):
    answer = owner_client.post(
        reverse("campaign-create"),
        {
            "name": "Spring audit",
            "datasets": [dataset.public_id],
            "overlap": 3,
            "phase": "pilot",
            "guideline_version": "2",
            "seed": 7,
        },
    )

    campaign = Campaign.objects.get()
    assert answer.url == page("campaign-detail", campaign)
    made = campaign.rounds.get()
    assert (campaign.name, campaign.owner, made.overlap, made.phase, made.seed) == (
        "Spring audit",
        owner,
        3,
        "pilot",
        7,
    )
    assert list(campaign.datasets.all()) == [dataset]


def test_a_name_that_tells_raters_too_much_is_kept_only_when_it_is_sent_again(
    owner_client, dataset
):
    typed = {
        "name": "Bikes against GPT",
        "datasets": [dataset.public_id],
        "overlap": 3,
        "phase": "main",
        "guideline_version": "1",
        "seed": 0,
    }

    warned = owner_client.post(reverse("campaign-create"), typed)
    text = warned.content.decode()
    assert "it hints at where traces come from (Bikes, gpt)" in text
    assert '<input type="hidden" name="kept_name" value="Bikes against GPT">' in text
    assert Campaign.objects.count() == 0

    # Another telling name is warned about anew; the same one is kept.
    other = owner_client.post(
        reverse("campaign-create"), typed | {"name": "Sora", "kept_name": "Bikes against GPT"}
    )
    assert "(sora)" in other.content.decode()
    owner_client.post(reverse("campaign-create"), typed | {"kept_name": "Bikes against GPT"})
    assert Campaign.objects.get().name == "Bikes against GPT"


def test_a_name_is_not_compared_with_data_sets_that_the_researcher_cannot_see(
    owner_client, dataset
):
    DatasetFactory(name="Hush")

    text = owner_client.get(reverse("campaign-create")).content.decode()
    owner_client.post(
        reverse("campaign-create"),
        {
            "name": "Hush audit",
            "datasets": [dataset.public_id],
            "overlap": 3,
            "phase": "main",
            "guideline_version": "1",
            "seed": 0,
        },
    )

    assert "do not name a data set, model or generator" in text
    assert Campaign.objects.get().name == "Hush audit"


def test_a_name_that_is_taken_is_refused_and_nothing_is_made(owner_client, campaign, dataset):
    answer = owner_client.post(
        reverse("campaign-create"),
        {
            "name": campaign.name,
            "datasets": [dataset.public_id],
            "overlap": 3,
            "phase": "main",
            "guideline_version": "1",
            "seed": 0,
        },
    )

    assert "already exists" in answer.content.decode()
    assert Campaign.objects.count() == 1


def test_another_researchers_dataset_cannot_be_chosen(outsider_client, dataset):
    answer = outsider_client.get(reverse("campaign-create"))

    assert "Bikes" not in answer.content.decode()


def test_added_people_get_their_traces_and_new_ones_a_password_once(owner_client, campaign):
    known = UserFactory(username="known")

    answer = owner_client.post(
        page("campaign-add-raters", campaign), {"raters": ["known"], "new_names": "mara\njun"}
    )

    text = answer.content.decode()
    assert "mara" in text
    assert "shown only once" in text
    assert Assignment.objects.filter(rater=known).exists()
    assert Assignment.objects.filter(round__campaign=campaign).count() == 4
    assert set(campaign.raters.values_list("rater__username", flat=True)) == {
        "known",
        "mara",
        "jun",
    }


def test_superusers_are_not_offered_as_raters_whatever_their_role(owner_client, campaign):
    UserFactory(username="root-of-all", is_superuser=True)
    UserFactory(username="mara")

    text = owner_client.get(page("campaign-detail", campaign)).content.decode()
    answer = owner_client.post(page("campaign-add-raters", campaign), {"raters": ["root-of-all"]})

    assert ("mara" in text, "root-of-all" in text) == (True, False)
    assert answer.status_code == 400
    assert not campaign.raters.exists()


def test_a_taken_name_adds_nobody(owner_client, campaign):
    UserFactory(username="mara")

    answer = owner_client.post(page("campaign-add-raters", campaign), {"new_names": "jun\nmara"})

    assert answer.status_code == 400
    assert "already exists" in answer.content.decode()
    assert not User.objects.filter(username="jun").exists()
    assert not campaign.raters.exists()


@pytest.mark.parametrize("rater", ["nobody", "a\x00b"])
def test_removing_somebody_who_is_not_there_is_not_found(owner_client, campaign, rater):
    answer = owner_client.post(page("campaign-remove-rater", campaign), {"rater": rater})

    assert answer.status_code == 404


def test_a_removed_rater_loses_what_was_not_begun(owner_client, campaign):
    owner_client.post(page("campaign-add-raters", campaign), {"new_names": "mara"})

    owner_client.post(page("campaign-remove-rater", campaign), {"rater": "mara"})

    assert not Assignment.objects.exists()
    assert not campaign.raters.exists()


def test_a_closed_campaign_takes_nobody_in(owner_client, campaign):
    owner_client.post(page("campaign-close", campaign))

    refused = owner_client.post(
        page("campaign-add-raters", campaign), {"new_names": "mara"}, follow=True
    )

    assert "is closed; plan another round to go on" in refused.content.decode()
    assert campaign.raters.count() == 0


def test_traces_of_a_later_import_are_given_out_on_demand(owner_client, campaign, dataset):
    rater = CampaignRaterFactory(campaign=campaign).rater
    TraceFactory(dataset=dataset)

    answer = owner_client.post(page("campaign-allocate", campaign), follow=True)

    assert "3 traces assigned" in answer.content.decode()
    assert Assignment.objects.filter(round__campaign=campaign, rater=rater).count() == 3


def test_more_datasets_bring_more_traces(owner_client, owner, campaign):
    owner_client.post(page("campaign-add-raters", campaign), {"new_names": "mara"})
    more = TraceFactory(dataset=DatasetFactory(owner=owner)).dataset

    owner_client.post(page("campaign-add-datasets", campaign), {"datasets": [more.public_id]})

    assert Assignment.objects.filter(round__campaign=campaign).count() == 3


def test_what_is_refused_of_a_campaign_comes_back_with_the_reason(
    owner_client, owner, outsider, campaign
):
    ticked = TraceFactory(dataset=DatasetFactory(owner=owner)).dataset
    # It was shared when it was ticked, and is not any more.
    hidden = TraceFactory(dataset=DatasetFactory(owner=outsider)).dataset
    add, invite = page("campaign-add-datasets", campaign), page("campaign-invite", campaign)

    none = owner_client.post(add)
    one_too_many = owner_client.post(add, {"datasets": [ticked.public_id, hidden.public_id]})
    places = owner_client.post(invite, {"places": "1001"})

    assertContains(none, "Choose at least one data set to add.", status_code=400)
    assertContains(one_too_many, f"{hidden.public_id} is not one of the available", status_code=400)
    assert re.search(rf'value="{ticked.public_id}"[^>]*checked', one_too_many.content.decode())
    assertContains(places, 'name="places" value="1001"', status_code=400)
    assertContains(places, "less than or equal to", status_code=400)
    assert (campaign.datasets.count(), campaign.invitations.count()) == (1, 0)


PAGES = [
    "campaign-detail",
    "campaign-report",
    "campaign-report-csv",
    "campaign-ratings-csv",
    "campaign-remarks-csv",
]
ACTIONS = [
    "campaign-add-raters",
    "campaign-remove-rater",
    "campaign-add-datasets",
    "campaign-allocate",
    "campaign-close",
]


@pytest.mark.parametrize("name", PAGES)
def test_pages_open_to_their_owner_only(
    client, owner_client, outsider_client, annotator_client, campaign, name
):
    address = page(name, campaign)

    statuses = [
        visitor.get(address).status_code
        for visitor in (owner_client, outsider_client, annotator_client, client)
    ]

    assert statuses == [200, 404, 403, 302]


@pytest.mark.parametrize("name", ACTIONS)
def test_actions_of_a_shared_campaign_are_its_owners(
    owner_client, outsider_client, annotator_client, campaign, name
):
    Campaign.objects.filter(pk=campaign.pk).update(is_shared=True)
    address = page(name, campaign)

    statuses = [
        visitor.post(address).status_code for visitor in (outsider_client, annotator_client)
    ]

    assert statuses == [404, 403]
    assert owner_client.get(address).status_code == 405


@pytest.mark.parametrize("row_count", [1, 3])
def test_list_costs_the_same_queries(owner_client, owner, django_assert_num_queries, row_count):
    for _ in range(row_count):
        CampaignFactory(owner=owner).datasets.add(DatasetFactory())

    with django_assert_num_queries(6):
        owner_client.get(reverse("campaigns"))


@pytest.mark.parametrize("row_count", [1, 3])
def test_detail_costs_the_same_queries(
    owner_client, campaign, django_assert_num_queries, row_count
):
    for _ in range(row_count):
        CampaignRaterFactory(campaign=campaign)
        UserFactory(role=Role.ANNOTATOR)

    with django_assert_num_queries(15):
        owner_client.get(page("campaign-detail", campaign))


def test_many_people_come_in_pages_and_are_found_by_name(owner_client, campaign, monkeypatch):
    monkeypatch.setattr(campaigns, "PEOPLE", replace(campaigns.PEOPLE, rows_per_page=2))
    for name in ("ann", "ben", "cid"):
        CampaignRaterFactory(campaign=campaign, rater__username=name)
    page = reverse("campaign-detail", args=[campaign.public_id])

    first, found = owner_client.get(page), owner_client.get(page, {"people-q": "ci"})

    total = len(first.context["raters"])
    assert [len(first.context["people"].page), len(found.context["raters"])] == [2, total]
    assert [rater.username for rater in found.context["people"].page] == ["cid"]
    assert 'aria-label="Pages of people"' in first.content.decode()
    assert 'aria-label="Submitted by cid"' in found.content.decode()
