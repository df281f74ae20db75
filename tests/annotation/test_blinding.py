"""Who rates in an open campaign is blind: pages, API and exports say why instead of telling."""

import pytest
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Phase, Remark, Role
from annotation.services.campaigns.campaigns import (
    NewCampaign,
    add_raters,
    close_campaign,
    create_campaign,
    remove_rater,
)
from generation.models import Run
from generation.services.runs import create_run
from tests.annotation.conftest import client_of
from tests.factories import DatasetFactory, EventFactory, TakeFactory, TraceFactory, UserFactory
from tests.generation.tea import request_for

WHY = "Hidden while you rate in “Spring”"


@pytest.fixture
def trace(owner):
    dataset = DatasetFactory(owner=owner, name="Source of Spring")
    trace = TraceFactory(dataset=dataset, take=TakeFactory(dataset=dataset))
    EventFactory(trace=trace, index=0, proposed_type="WE")
    return trace


@pytest.fixture
def campaign(owner, trace):
    """Return a campaign in which its owner, a researcher, rates."""
    campaign = create_campaign(
        new=NewCampaign("Spring", overlap=1, phase=Phase.MAIN),
        datasets=[trace.dataset],
        actor=owner,
    )
    add_raters(campaign=campaign, raters=[owner], actor=owner)
    return campaign


@pytest.fixture
def run(owner, trace):
    """Return a run that published the data set of the campaign."""
    run = create_run(request=request_for(trace.dataset), actor=owner).run
    Run.objects.filter(pk=run.pk).update(published_dataset=trace.dataset)
    return run


def pages(trace, campaign, run):
    dataset = trace.dataset
    return [
        reverse("dataset-detail", args=[dataset.public_id]),
        reverse("dataset-report", args=[dataset.public_id]),
        reverse("take-detail", args=[trace.take.public_id]),
        reverse("trace-detail", args=[trace.public_id]),
        reverse("trace-preview", args=[trace.public_id]),
        reverse("campaign-report", args=[campaign.public_id]),
        reverse("campaign-report-csv", args=[campaign.public_id]),
        reverse("campaign-ratings-csv", args=[campaign.public_id]),
        reverse("campaign-remarks-csv", args=[campaign.public_id]),
        reverse("run-detail", args=[run.public_id]),
        reverse("run-plans-json", args=[run.public_id]),
        reverse("take-plan", args=[run.public_id, 0]),
        reverse("take-video", args=[run.public_id, 0]),
    ]


def endpoints(trace, campaign, run):
    dataset = trace.dataset
    return [
        f"/api/v1/datasets/{dataset.public_id}/",
        f"/api/v1/datasets/{dataset.public_id}/traces/",
        f"/api/v1/datasets/{dataset.public_id}/takes/",
        f"/api/v1/takes/{trace.take.public_id}/",
        f"/api/v1/traces/{trace.public_id}/",
        f"/api/v1/campaigns/{campaign.public_id}/agreement/",
        f"/api/v1/campaigns/{campaign.public_id}/ratings/",
        f"/api/v1/campaigns/{campaign.public_id}/viewing/",
        f"/api/v1/campaigns/{campaign.public_id}/remarks/",
        f"/api/v1/datasets/{dataset.public_id}/agreement/",
        f"/api/v1/runs/{run.public_id}/",
        f"/api/v1/runs/{run.public_id}/plans/",
        f"/api/v1/runs/{run.public_id}/takes/",
    ]


@pytest.mark.parametrize("person", ["owner", "administrator"])
def test_pages_say_why_they_are_hidden_while_somebody_rates(request, trace, campaign, run, person):
    user = request.getfixturevalue(person)
    if person != "owner":
        add_raters(campaign=campaign, raters=[user], actor=None)
    client = client_of(user)

    answers = {address: client.get(address) for address in pages(trace, campaign, run)}

    assert {address: item.status_code for address, item in answers.items()} == dict.fromkeys(
        answers, 403
    )
    assert [address for address, item in answers.items() if WHY not in item.content.decode()] == []


def test_endpoints_say_why_they_are_hidden_while_somebody_rates(owner, trace, campaign, run):
    api = APIClient()
    api.force_authenticate(owner)

    answers = {address: api.get(address) for address in endpoints(trace, campaign, run)}

    told = {
        address: (item.status_code, str(item.json().get("detail", ""))[: len(WHY)])
        for address, item in answers.items()
    }
    assert told == dict.fromkeys(answers, (403, WHY))


def test_lists_leave_out_what_is_hidden_and_say_why(owner, owner_client, trace, campaign, run):
    api = APIClient()
    api.force_authenticate(owner)
    lists = [owner_client.get(reverse(name)).content.decode() for name in ("datasets", "runs")]
    told = [WHY in text.replace("&#x27;", "'") for text in lists]
    campaigns = owner_client.get(reverse("campaigns")).content.decode()
    detail = owner_client.get(reverse("campaign-detail", args=[campaign.public_id]))

    assert told == [True, True]
    assert [run.name in text for text in lists] == [False, False]
    for text in (*lists, campaigns, detail.content.decode()):
        assert trace.dataset.name not in text
    assert api.get("/api/v1/datasets/").json()["results"] == []
    assert api.get("/api/v1/runs/").json()["results"] == []
    shown = api.get(f"/api/v1/campaigns/{campaign.public_id}/").json()
    assert shown["datasets"] == []


@pytest.mark.parametrize("ending", ["closing", "leaving"])
def test_everything_is_shown_again_afterwards(owner, owner_client, trace, campaign, run, ending):
    if ending == "closing":
        close_campaign(campaign=campaign, actor=owner)
    else:
        left = owner_client.post(reverse("leave-campaign", args=[campaign.public_id]))
        assert left.url == reverse("queue")

    statuses = {owner_client.get(item).status_code for item in pages(trace, campaign, run)}

    assert statuses <= {200, 302}


def test_others_see_what_the_rater_does_not(administrator, campaign, trace, run, outsider_client):
    address = reverse("trace-detail", args=[trace.public_id])

    assert client_of(administrator).get(address).status_code == 200
    assert outsider_client.get(address).status_code == 404


def test_rater_still_gets_the_traces_of_the_queue(owner, owner_client, campaign):
    assignment = owner.assignments.get()

    assert owner_client.get(reverse("audit", args=[assignment.public_id])).status_code == 200
    queue = owner_client.get(reverse("queue")).content.decode()
    assert "Leave Spring" in queue


def test_annotators_do_not_leave_by_themselves(campaign, owner):
    rater = UserFactory(role=Role.ANNOTATOR)
    add_raters(campaign=campaign, raters=[rater], actor=owner)
    address = reverse("leave-campaign", args=[campaign.public_id])

    assert client_of(rater).post(address).status_code == 403
    assert client_of(UserFactory(role=Role.RESEARCHER)).post(address).status_code == 404
    remove_rater(campaign=campaign, rater=rater, actor=owner)


def test_other_campaigns_over_the_same_data_sets_are_hidden_too(
    owner, owner_client, trace, campaign
):
    """Their remarks name the traces, and their answers are about the same events."""
    twin = create_campaign(
        new=NewCampaign("Twin", phase=Phase.MAIN), datasets=[trace.dataset], actor=owner
    )
    rater = UserFactory(role=Role.ANNOTATOR)
    add_raters(campaign=twin, raters=[rater], actor=owner)
    Remark.objects.create(
        assignment=rater.assignments.get(), kind="comment", text="What a spill", revision=1,
        client_id="c", client_sequence=1, written_at=timezone.now(),
    )  # fmt: skip
    api = APIClient()
    api.force_authenticate(owner)
    pages = [
        owner_client.get(reverse(name, args=[twin.public_id]))
        for name in (
            "campaign-report", "campaign-report-csv", "campaign-ratings-csv",
            "campaign-remarks-csv",
        )
    ]  # fmt: skip
    endpoints = [
        api.get(f"/api/v1/campaigns/{twin.public_id}/{name}/")
        for name in ("agreement", "ratings", "viewing", "remarks")
    ]
    detail = owner_client.get(reverse("campaign-detail", args=[twin.public_id])).content.decode()

    assert {item.status_code for item in (*pages, *endpoints)} == {403}
    assert all(item.json()["detail"].startswith(WHY) for item in endpoints)
    assert ("What a spill" in detail, trace.uid in detail, WHY in detail) == (False, False, True)

    close_campaign(campaign=campaign, actor=owner)
    shown = owner_client.get(reverse("campaign-detail", args=[twin.public_id])).content.decode()
    assert "What a spill" in shown


def test_who_could_read_another_campaign_over_the_data_is_marked(owner, trace, outsider):
    twin = create_campaign(
        new=NewCampaign("Twin", is_shared=True, phase=Phase.MAIN),
        datasets=[trace.dataset],
        actor=owner,
    )
    spring = create_campaign(
        new=NewCampaign("Spring", phase=Phase.MAIN), datasets=[trace.dataset], actor=owner
    )

    add_raters(campaign=spring, raters=[outsider], actor=owner)

    assert outsider.assignments.get().is_informed is True
    assert twin.is_shared
