"""The one next act on the page of a campaign, from draft to release."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, AssignmentStatus, Phase
from annotation.services.campaigns.campaigns import (
    NewCampaign,
    add_datasets,
    add_raters,
    create_campaign,
)
from annotation.services.campaigns.rounds import ProtocolError, close_round
from annotation.services.ratings.rounds import (
    NewRound,
    freeze_protocol,
    open_round,
    plan_round,
    release_campaign,
)
from tests.annotation.campaigns import make_dataset
from tests.factories import EventFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(owner):
    return create_campaign(new=NewCampaign("Spring", phase=None), datasets=[], actor=owner)


def act(client, campaign):
    page = client.get(reverse("campaign-detail", args=[campaign.public_id]))
    found = page.context["next_act"]
    return (found.words, found.reason) if found else None


def test_every_state_of_a_campaign_has_one_next_act(owner_client, owner, campaign):
    seen = [act(owner_client, campaign)]
    dataset = make_dataset(4)
    for trace in dataset.traces.all():
        EventFactory(trace=trace, index=0)
    add_datasets(campaign=campaign, datasets=[dataset], actor=owner)
    seen.append(act(owner_client, campaign))
    version = campaign.guideline_versions.get()
    pilot = plan_round(
        campaign=campaign, new=NewRound(Phase.PILOT, version, overlap=2, per_dataset=2), actor=owner
    )
    seen.append(act(owner_client, campaign))
    add_raters(campaign=campaign, raters=UserFactory.create_batch(2), actor=owner)
    seen.append(act(owner_client, campaign))
    open_round(planned=pilot, actor=owner)
    seen.append(act(owner_client, campaign))
    Assignment.objects.update(
        status=AssignmentStatus.SUBMITTED, started_at=timezone.now(), submitted_at=timezone.now()
    )
    seen.append(act(owner_client, campaign))
    pilot.refresh_from_db()
    close_round(closing=pilot, actor=owner)
    seen.append(act(owner_client, campaign))
    campaign.refresh_from_db()
    main = plan_round(campaign=campaign, new=NewRound(Phase.MAIN, version), actor=owner)
    seen.append(act(owner_client, campaign))
    page = owner_client.get(reverse("round-detail", args=[campaign.public_id, main.number]))
    assert "Open the round" not in page.content.decode()
    with pytest.raises(ProtocolError, match="Freeze the guideline for the main round first"):
        open_round(planned=main, actor=owner)
    main.delete()
    freeze_protocol(campaign=campaign, guideline=version, actor=owner)
    seen.append(act(owner_client, campaign))

    assert [words for words, _ in seen] == [
        "Add a data set", "Add people", "Add people", "Open the pilot",
        "See how far the pilot is", "Close the pilot", "Discuss what raters disagree on",
        "Freeze the guideline", "Plan the main round",
    ]  # fmt: skip
    assert seen[2][1] == "nobody would get the traces of the pilot."
    assert seen[3][1] == "2 traces, 2 events."
    assert seen[4][1] == "0 of 4 are done; close it when all are."
    main = plan_round(campaign=campaign, new=NewRound(Phase.MAIN, version), actor=owner)
    open_round(planned=main, actor=owner)
    main.refresh_from_db()
    close_round(closing=main, actor=owner)
    assert act(owner_client, campaign)[0] == "Release the campaign"
    campaign.refresh_from_db()
    release_campaign(campaign=campaign, actor=owner)
    assert act(owner_client, campaign) is None
