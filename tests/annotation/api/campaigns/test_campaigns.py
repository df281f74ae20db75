"""A whole audit by script: campaign, people, ratings, agreement."""

import krippendorff
import pytest
from rest_framework.test import APIClient

from annotation.forms.campaigns.campaigns import CampaignForm
from annotation.models import Campaign, User
from tests.factories import CampaignFactory, DatasetFactory, EventFactory, TraceFactory, UserFactory

ANSWERS = {"mara": ["1", "3", "5"], "jun": ["1", "4", "5"]}


def client_for(user):
    client = APIClient()
    client.force_authenticate(user)
    return client


@pytest.fixture
def api(owner):
    return client_for(owner)


@pytest.fixture
def dataset(owner):
    dataset = DatasetFactory(owner=owner, name="Bikes")
    trace = TraceFactory(dataset=dataset)
    for index in range(3):
        EventFactory(trace=trace, index=index)
    return dataset


def make_campaign(api, dataset):
    body = {"name": "Spring", "datasets": [dataset.public_id], "overlap": 2, "phase": "main"}
    return api.post("/api/v1/campaigns/", body, format="json").json()


def rate(username, values):
    rater = client_for(User.objects.get(username=username))
    (assignment,) = rater.get("/api/v1/assignments/").json()["results"]
    changes = [
        {
            "sequence": index,
            "event": index,
            "metric": "confusability",
            "value": value,
            "base_revision": 0,
            "rated_at": "2026-02-01T10:00:00Z",
        }
        for index, value in enumerate(values)
    ]
    address = f"/api/v1/assignments/{assignment['id']}/changes/"
    return rater.post(address, {"client_id": username, "changes": changes}, format="json")


def test_an_audit_from_campaign_to_agreement(api, dataset):
    campaign = make_campaign(api, dataset)
    address = f"/api/v1/campaigns/{campaign['id']}/"
    added = api.post(f"{address}raters/", {"new_usernames": ["mara", "jun"]}, format="json").json()
    for username, values in ANSWERS.items():
        assert rate(username, values).status_code == 200

    rows = {row["metric"]: row for row in api.get(f"{address}agreement/").json()}

    expected = krippendorff.alpha(
        reliability_data=[[int(value) for value in values] for values in ANSWERS.values()],
        level_of_measurement="ordinal",
    )
    assert sorted(added["passwords"]) == ["jun", "mara"]
    assert added["added_count"] == 2
    assert rows["confusability"]["alpha"] == pytest.approx(expected, abs=1e-12)
    assert rows["confusability"]["ratings"] == 6
    assert api.get(f"{address}ratings/").getvalue().count(b"\n") == 7
    assert [row["rating_count"] for row in api.get(f"{address}raters/").json()] == [3, 3]


def test_campaign_of_which_no_phase_is_said_is_a_draft_as_on_the_page(api, owner, dataset):
    body = {"name": "Spring", "datasets": [dataset.public_id]}
    made = api.post("/api/v1/campaigns/", body, format="json").json()

    assert made["rounds"] == []
    assert CampaignForm(owner)["phase"].initial == ""


def test_new_people_are_all_added_or_none(api, dataset):
    UserFactory(username="mara")
    campaign = make_campaign(api, dataset)

    answer = api.post(
        f"/api/v1/campaigns/{campaign['id']}/raters/",
        {"new_usernames": ["jun", "mara"]},
        format="json",
    )

    assert answer.status_code == 400
    assert not User.objects.filter(username="jun").exists()


def test_a_closed_campaign_answers_changes_with_409(api, dataset):
    campaign = make_campaign(api, dataset)
    address = f"/api/v1/campaigns/{campaign['id']}/"
    api.post(f"{address}close/")

    answer = api.post(f"{address}raters/", {"new_usernames": ["mara"]}, format="json")

    assert (answer.status_code, answer.json()) == (
        409,
        {"detail": "Spring is closed; plan another round to go on"},
    )


def test_somebody_elses_dataset_is_named_as_unknown(outsider, dataset):
    answer = client_for(outsider).post(
        "/api/v1/campaigns/", {"name": "Mine", "datasets": [dataset.public_id]}, format="json"
    )

    assert answer.status_code == 400
    assert dataset.public_id in answer.json()["datasets"][0]
    assert not Campaign.objects.exists()


@pytest.mark.parametrize("row_count", [1, 3])
def test_list_costs_the_same_queries(api, owner, django_assert_num_queries, row_count):
    for number in range(row_count):
        campaign = CampaignFactory(name=f"Audit {number}", owner=owner)
        campaign.datasets.add(DatasetFactory())

    with django_assert_num_queries(4):
        api.get("/api/v1/campaigns/")


def test_a_name_that_tells_raters_too_much_is_warned_about(api, dataset):
    def made(name):
        body = {"name": name, "datasets": [dataset.public_id]}
        return api.post("/api/v1/campaigns/", body, format="json").json()["warnings"]

    assert made("Spring round") == []
    (warning,) = made("Bikes by Veo")
    assert "where traces come from (Bikes, veo)" in warning
