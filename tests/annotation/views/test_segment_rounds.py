"""Campaigns of segments and their rounds, as pages."""

import pytest
from django.urls import reverse

from annotation.models import Campaign, Round, RoundKind
from tests.annotation.conftest import client_of
from tests.factories import DatasetFactory, StepFactory, TakeFactory, UserFactory, VideoFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(owner):
    """Return a data set of three takes with untimed steps and a video each."""
    made = DatasetFactory(owner=owner)
    for place in range(3):
        take = TakeFactory(dataset=made, uid=f"take-{place}", video=VideoFactory(dataset=made))
        StepFactory(take=take, index=0, step_id="s0", start_s=None, end_s=None)
    return made


def plan(client, campaign, **values):
    data = {
        "stage": "label", "scheme": "egooops", "source": "none", "recordings": "both",
        "takes_become": "reference", "one_in": "1", "needs_video": "on", "overlap": "1",
        "phase": "main", "seed": "0", "hides_author": "on",
    } | values  # fmt: skip
    return client.post(reverse("segment-round-new", args=[campaign.public_id]), data)


def test_a_round_of_labels_is_planned_opened_and_closed_from_the_browser(owner_client, dataset):
    ann = UserFactory(username="ann")
    made = owner_client.post(
        reverse("segment-campaign"), {"name": "Labels", "datasets": [dataset.public_id]}
    )
    campaign = Campaign.objects.get()
    assert made.url == reverse("campaign-detail", args=[campaign.public_id])
    assert (campaign.kind, campaign.state) == (RoundKind.SEGMENTS, "draft")
    people = {"raters": ["ann"], "new_names": ""}
    owner_client.post(reverse("campaign-add-raters", args=[campaign.public_id]), people)

    planned = plan(owner_client, campaign)
    address = reverse("segment-round", args=[campaign.public_id, 1])
    assert planned.url == address
    assert b"given out when it opens" in owner_client.get(address).content
    assert b"Labels" not in client_of(ann).get(reverse("queue")).content
    opened = owner_client.post(
        reverse("segment-round-open", args=[campaign.public_id, 1]), follow=True
    )
    assert b"Round 1 is open: 3 recordings are in the queues." in opened.content

    queue = client_of(ann).get(reverse("queue")).content.decode()
    first = Round.objects.get().segmentations.order_by("position").first()
    assert "Label the recording" in queue
    assert "0 of 3 submitted" in queue
    assert f'href="/segments/{first.public_id}/"' in queue

    closed = owner_client.post(
        reverse("segment-round-close", args=[campaign.public_id, 1]), follow=True
    )
    assert b"it is never reopened" in closed.content
    assert b"Nothing can be changed any more" in client_of(ann).get(reverse("queue")).content
