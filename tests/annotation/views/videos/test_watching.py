"""The rater's view of a trace for researchers: who may open it, and that it knows no more."""

import json
import re

import pytest
from django.urls import reverse

from annotation.engine.taxonomy import Mod
from annotation.models import Assignment, Campaign
from tests.annotation.conftest import client_of
from tests.factories import (
    DatasetFactory,
    EventFactory,
    StepFactory,
    TakeFactory,
    TraceFactory,
    TraceStepFactory,
    VideoFactory,
)


@pytest.fixture
def trace(owner):
    dataset = DatasetFactory(owner=owner, name="Secret source")
    video, clean = VideoFactory(dataset=dataset), VideoFactory(dataset=dataset)
    take = TakeFactory(dataset=dataset, video=clean)
    step = StepFactory(take=take)
    trace = TraceFactory(dataset=dataset, take=take, video=video, provenance={"run": "hush"})
    event = EventFactory(trace=trace, index=0, proposed_type="WE")
    TraceStepFactory(trace=trace, mod=Mod.ERROR, event=event, reference_step=step)
    return trace


def data_of(response, name):
    found = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>',
                      response.content.decode())  # fmt: skip
    return json.loads(found[1])


def test_preview_is_the_page_of_a_rater_and_makes_nothing(owner_client, trace):
    response = owner_client.get(reverse("trace-preview", args=[trace.public_id]))
    payload = data_of(response, "audit-data")

    assert response.status_code == 200
    assert payload["is_preview"] is True
    assert payload["urls"].keys() == {"pictures"}
    assert [event["name"] for event in payload["events"]] == ["Mistake 1"]
    assert (Assignment.objects.count(), Campaign.objects.count()) == (0, 0)
    for secret in ("Secret source", "hush", "proposed"):
        assert secret not in response.content.decode()


@pytest.mark.parametrize(
    ("person", "status"),
    [("owner", 200), ("administrator", 200), ("outsider", 404), ("annotator", 403)],
)
def test_preview_is_open_to_who_sees_the_trace(request, trace, person, status):
    client = client_of(request.getfixturevalue(person))

    assert client.get(reverse("trace-preview", args=[trace.public_id])).status_code == status


def test_preview_asks_somebody_without_a_login_to_log_in(client, trace):
    response = client.get(reverse("trace-preview", args=[trace.public_id]))

    assert response.status_code == 302
    assert response.url.startswith(reverse("login"))


def test_trace_page_numbers_its_rows_as_its_players_do(owner_client, trace):
    response = owner_client.get(reverse("trace-detail", args=[trace.public_id]))
    payload = data_of(response, "watching-data")

    rows = re.findall(r'<tr[^>]* data-row="(\d+)"', response.content.decode())
    assert [int(row) for row in rows] == list(range(len(payload["rows"])))
    assert payload["rows"][0]["trace"] == [0.0, 2.0]


def test_pages_without_recordings_have_no_players(owner_client, owner):
    take = TakeFactory(dataset=DatasetFactory(owner=owner))
    trace = TraceFactory(dataset=take.dataset, take=take)

    pages = [
        owner_client.get(reverse("take-detail", args=[take.public_id])),
        owner_client.get(reverse("trace-detail", args=[trace.public_id])),
    ]

    assert ["watching-data" in page.content.decode() for page in pages] == [False, False]
