"""Raters over the API: the same figures as on the page, screening with its decisions, plans."""

import json
from dataclasses import asdict

import pytest
from rest_framework.test import APIClient

from annotation import launch
from annotation.analytics.raters.raters import pair_figures
from annotation.analytics.raters.screening_terms import Rule
from annotation.selectors.figures.rater_figures import rater_data
from annotation.selectors.figures.stored_raters import confusion_of
from bench.planted_raters import Kind
from tests.annotation.planted_rounds import planted_round


@pytest.fixture
def made(owner):
    return planted_round([Kind.FAST, Kind.HONEST, Kind.HONEST, Kind.HONEST], owner=owner, traces=16)


@pytest.fixture
def api(owner):
    client = APIClient()
    client.force_authenticate(owner)
    return client


def address(made, end):
    return f"/api/v1/campaigns/{made.campaign.public_id}/rounds/{made.number}/{end}"


def test_figures_name_every_rater_metric_and_pair(api, made):
    found = api.get(address(made, "raters/"), {"page_size": 3}).json()
    last = api.get(found["next"]).json()

    assert (found["count"], last["next"]) == (4, None)
    found["raters"] += last["raters"]
    assert [item["name"] for item in found["raters"]] == list("abcd")
    assert {len(item["metrics"]) for item in found["raters"]} == {9}
    assert found["raters"][0]["seconds_per_event"] == pytest.approx(54 / 20 * 3 / 4)
    data = rater_data(made)
    own = [asdict(item) | {"self_agreement": item.self_agreement} for item in data.figures]
    assert found["raters"] == json.loads(json.dumps(own))


def test_pairs_come_in_pages(api, made):
    found = api.get(address(made, "raters/pairs/")).json()
    rest = api.get(found["next"]).json()

    data, pairs = rater_data(made), [*found["pairs"], *rest["pairs"]]
    assert (len(found["pairs"]), found["count"], rest["next"]) == (50, 54, None)
    assert [(pair["metric"], pair["first"], pair["second"], pair["alpha"]) for pair in pairs] == [
        (item.metric, data.names[pair.first], data.names[pair.second], pair.alpha)
        for item in data.answers
        for pair in pair_figures(item)
    ]


def test_figures_that_a_worker_has_yet_to_compute_are_asked_for_again(api, made, monkeypatch):
    monkeypatch.setattr(launch, "RATERS_AT_ONCE", 10)

    ends = ("raters/", "raters/pairs/", "screening/", "plan/")
    answers = [api.get(address(made, end)) for end in ends]

    assert [answer.status_code for answer in answers] == [202, 202, 202, 202]
    assert "being computed" in answers[0].json()["detail"]


@pytest.mark.parametrize("metric", ["taxonomy_fit", "text_video_grounding", "error_validity"])
def test_two_raters_are_compared_by_what_is_read_of_them_alone(made, metric):
    data = rater_data(made)
    answers = next(item for item in data.answers if item.metric == metric)

    table = confusion_of(made, answers.metric, data.rater_ids[2], data.rater_ids[1])

    assert (table == answers.counted.confusion(2, 1)).all()


def test_rules_are_run_with_thresholds_and_people_decide(api, made):
    before = api.get(address(made, "screening/")).json()
    ran = api.post(address(made, "screening/"), {"gold_share": 0.9}, format="json").json()
    decided = api.post(
        address(made, "screening/decisions/"),
        {"rater": "a", "decision": "excluded", "why": "Clicked through."},
        format="json",
    )
    after = api.get(address(made, "screening/")).json()

    assert (before["run_at"], before["results"]) == (None, [])
    assert (ran["thresholds"]["gold_share"], ran["thresholds"]["z"]) == (0.9, 3.29)
    assert len(ran["results"]) == 4 * len(Rule)
    flagged = [item for item in ran["results"] if item["state"] == "flagged"]
    assert [(item["rater"], item["rule"]) for item in flagged] == [("a", "speed")]
    assert decided.json()["made_by"] == "owner"
    assert (before["not_accepted"], after["not_accepted"]) == ([], ["a"])
    sides = {
        (item["everybody"]["raters"], item["accepted"]["raters"]) for item in after["agreement"]
    }
    assert (len(after["agreement"]), sides) == (9, {(4, 3)})
    assert [item for item in after["results"] if item["rule"] == "decision"] == [decided.json()]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"rater": "a", "decision": "shrugged", "why": "x"}, "decision"),
        ({"rater": "a", "decision": "excluded", "why": ""}, "why"),
    ],
)
def test_a_decision_names_what_is_wrong(api, made, body, field):
    answer = api.post(address(made, "screening/decisions/"), body, format="json")

    assert (answer.status_code, list(answer.json())) == (400, [field])


def test_a_threshold_out_of_range_is_named(api, made):
    answer = api.post(address(made, "screening/"), {"gold_share": 2}, format="json")

    assert answer.status_code == 400
    assert answer.json() == {"gold_share": ["Ensure this value is less than or equal to 1."]}


def test_the_plan_has_widths_and_who_meets_whom(api, made):
    found = api.get(address(made, "plan/"), {"alpha": 0.8}).json()
    wrong = api.get(address(made, "plan/"), {"alpha": "high"})

    assert (found["traces"], found["raters"], found["events_per_trace"]) == (16, 4, 4.0)
    assert found["meetings"]["raters"] == list("abcd")
    assert found["meetings"]["table"][0] == [None, 8, 8, 8]
    assert len(found["metrics"][0]["widths"]) == 16
    assert (wrong.status_code, wrong.json()) == (400, {"alpha": ["A valid number is required."]})


def test_hours_are_listed_by_round(api, made):
    found = api.get(f"/api/v1/campaigns/{made.campaign.public_id}/hours/").json()

    assert [(item["rater"], item["round"], item["traces"]) for item in found] == [
        ("a", 1, 12), ("b", 1, 12), ("c", 1, 12), ("d", 1, 12),
    ]  # fmt: skip


def test_another_number_is_not_there(api, made):
    made.number = 9

    assert api.get(address(made, "raters/")).status_code == 404
