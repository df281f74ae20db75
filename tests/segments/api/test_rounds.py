"""Campaigns of segments through the API: made, planned, filled, opened, followed."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from annotation.models import Campaign
from tests.segments.campaigns import segment_campaign, timed_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(owner):
    client = APIClient()
    client.force_authenticate(owner)
    return client


def address(campaign, end=""):
    return f"/api/v1/campaigns/{campaign.public_id}/segment-rounds/{end}"


def test_predictions_are_audited_from_making_the_campaign_to_its_queue(api, owner):
    dataset = timed_dataset(owner)
    made = api.post(
        "/api/v1/campaigns/",
        {"name": "Kitchen", "kind": "segments", "datasets": [dataset.public_id]},
        format="json",
    )
    assert (made.status_code, made.json()["kind"], made.json()["rounds"]) == (201, "segments", [])
    campaign = Campaign.objects.get()
    people = {"new_usernames": ["mara"]}
    api.post(f"/api/v1/campaigns/{campaign.public_id}/raters/", people, format="json")

    planned = api.post(
        address(campaign),
        {"stage": "audit", "scheme": "partition", "source": "file", "people": ["mara"]},
        format="json",
    )
    assert planned.status_code == 201
    told = ("number", "stage", "source", "recording_count", "opened_at", "left_out")
    assert {name: planned.json()[name] for name in told} == {
        "number": 1, "stage": "audit", "source": "file", "recording_count": 3,
        "opened_at": None, "left_out": [],
    }  # fmt: skip

    def send(text, **more):
        body = {
            "files": [SimpleUploadedFile("model.csv", text.encode())],
            "format": "table",
            "source": "Model 7",
            **more,
        }
        return api.post(address(campaign, "1/import/"), body, format="multipart")

    header = "recording,track,key,start_s,end_s,step_id\n"
    refused = send(header + "take-0,steps,a,0,4,s9\n")
    assert refused.status_code == 400
    assert [item["place"] for item in refused.json()["problems"]] == ["recording take-0, segment a"]
    rows = header + "take-0,steps,a,0,4,s0\ntake-1,steps,a,0,5,s0\n"
    assert send(rows, dry_run=True).json()["new"] == 2
    assert campaign.rounds.get().recordings.exclude(proposals=[]).count() == 0
    assert send(rows).json() | {"recordings": None} == {
        "new": 2, "same": 0, "differing": 0, "begun": 0, "recordings": None,
        "not_in_round": [], "without": 1, "notes": [],
    }  # fmt: skip

    given = api.post(address(campaign, "1/open/")).json()
    assert given == {"added_count": 2, "moved_count": 0, "short_trace_count": 0}
    read = api.get(address(campaign, "1/")).json()
    assert [(item["uid"], item["proposal_source"], item["segment_count"]) for item in
            read["recordings"]] == [("take-0", "Model 7", 1), ("take-1", "Model 7", 1)]  # fmt: skip
    assert [work["username"] for work in read["recordings"][0]["work"]] == ["mara"]
    [listed] = api.get("/api/v1/campaigns/").json()["results"]
    assert (listed["assigned_count"], listed["submitted_count"]) == (2, 0)
    closed = api.post(address(campaign, "1/close/")).json()
    assert closed["closed_at"] is not None
    assert api.post(address(campaign, "1/again/")).status_code == 409


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"scheme": "nothing"}, "scheme"),
        ({"scheme": "egooops", "scheme_version": 9}, "scheme"),
        ({"guideline": 7}, "guideline"),
        ({"people": ["nobody"]}, "people"),
        ({"datasets": ["nothing"]}, "datasets"),
        ({"source_round": 4}, "source_round"),
        ({"source": "round"}, "source_round"),
        ({"has_takes": False, "has_traces": False}, "datasets"),
        ({"stage": "review"}, "source"),
        ({"wrong": 1}, "wrong"),
    ],
)
def test_what_does_not_fit_is_named(api, owner, asked, field):
    campaign, _ = segment_campaign(owner)

    answer = api.post(
        address(campaign), {"stage": "label", "scheme": "egooops", **asked}, format="json"
    )

    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert not campaign.rounds.exists()


def test_a_guideline_is_edited_and_refused_through_the_api(api, owner):
    campaign, _ = segment_campaign(owner)
    api.post(address(campaign), {"stage": "label", "scheme": "egooops"}, format="json")
    base = f"/api/v1/campaigns/{campaign.public_id}/guidelines/"
    [listed] = api.get(base).json()
    assert listed["text"]["scheme"] == "egooops"

    edited = api.put(f"{base}1/", {"text": {"text": "At the cut."}}, format="json")
    assert edited.json()["text"] == {
        "scheme": "egooops", "scheme_version": 1, "text": "At the cut.",
    }  # fmt: skip
    refused = api.put(f"{base}1/", {"text": {"question": "?"}}, format="json")
    assert refused.json() == {"text": ["text is None; expected when a segment begins and ends"]}
    api.post(address(campaign, "1/open/"))
    assert api.put(f"{base}1/", {"text": {"text": "x"}}, format="json").status_code == 409
    draft = api.post(base, {"based_on": 1}, format="json")
    assert draft.json()["text"]["text"] == "At the cut."


RATINGS_ONLY = (
    "rounds/", "protocol/", "gold/", "qualifications/", "agreement/", "ratings/", "comparisons/",
    "viewing/", "remarks/", "hours/", "cases/", "rounds/1/raters/", "tables/3/",
)  # fmt: skip


@pytest.mark.parametrize("end", RATINGS_ONLY)
def test_what_is_of_ratings_is_not_there_for_segments(api, owner, end):
    campaign, _ = segment_campaign(owner)

    assert api.get(f"/api/v1/campaigns/{campaign.public_id}/{end}").status_code == 404
