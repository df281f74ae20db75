"""Gold, checks, training and qualifications over the API, as a script would use them."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotation.models import Assignment, GoldItem, Phase
from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.rounds import close_round
from annotation.services.ratings.rounds import NewRound, plan_round
from tests.annotation.training import training_campaign, with_event
from tests.factories import TraceFactory, UserFactory


def api(user):
    client = APIClient()
    client.force_authenticate(user)
    return client


def address(made, end):
    return f"/api/v1/campaigns/{made.campaign.public_id}/{end}"


def test_gold_is_marked_changed_and_retired(owner):
    made = training_campaign(owner)
    trace = with_event(TraceFactory(dataset=made.campaign.datasets.get()))
    client = api(owner)
    new = {
        "trace": trace.public_id, "event": 0, "metric": "sequence_consistency",
        "accepted": ["2"], "band": 1, "reason": "One step waits for another.",
    }  # fmt: skip

    created = client.post(address(made, "gold/"), new, format="json")
    item = created.json()["id"]
    answers = {"accepted": ["4"], "reason": "Looked again.", "source": "trap"}
    changed = client.put(f"/api/v1/gold/{item}/", answers, format="json")
    retired = client.post(f"/api/v1/gold/{item}/retire/")

    assert (created.status_code, created.json()["band"]) == (201, 1)
    assert {name: changed.json()[name] for name in (*answers, "band", "made_by")} == {
        **answers,
        "band": 0,
        "made_by": "owner",
    }
    assert retired.json()["retired_at"]
    assert len(client.get(address(made, "gold/")).json()) == 7
    again = client.put(f"/api/v1/gold/{item}/", answers, format="json")
    assert (again.status_code, again.json()) == (
        400,
        {"accepted": ["This gold was retired; mark the question anew."]},
    )


def test_consensus_of_no_number_of_raters_is_refused(owner):
    made = training_campaign(owner)

    refused = api(owner).get(address(made, "rounds/1/consensus/"), {"raters": "null"})

    assert (refused.status_code, refused.json()) == (
        400,
        {"raters": ["'null': expected a number from 2 to 1000"]},
    )


@pytest.mark.parametrize(
    ("wrong", "field", "message"),
    [
        ({"metric": "confusability"}, "accepted", "Confusability asks for an opinion"),
        ({"metric": "colour"}, "metric", '"colour" is not a valid choice'),
        ({"accepted": ["n/a"]}, "accepted", "expected no, yes"),
        ({"trace": "nowhere"}, "trace", "nowhere: expected the id of a trace of the campaign"),
        ({"event": 9}, "accepted", "event 9 is not one of"),
        ({"source": "consensus"}, "source", "is not a valid choice"),
        ({"reason": ""}, "reason", "may not be blank"),
    ],
)
def test_bad_gold_is_named(owner, wrong, field, message):
    made = training_campaign(owner)
    count = GoldItem.objects.count()
    new = {
        "trace": made.gold[0].public_id, "event": 0, "metric": "error_validity",
        "accepted": ["yes"], "reason": "The tea is cold.", **wrong,
    }  # fmt: skip

    answer = api(owner).post(address(made, "gold/"), new, format="json")

    assert answer.status_code == 400
    assert message in answer.json()[field][0]
    assert GoldItem.objects.count() == count


def test_checks_are_planned_before_the_round_opens(owner):
    made = training_campaign(owner)
    close_round(closing=made.main, actor=owner)
    planned = plan_round(
        campaign=made.campaign, new=NewRound(Phase.MAIN, made.main.guideline), actor=owner
    )
    client = api(owner)
    checks = address(made, f"rounds/{planned.number}/checks/")

    stored = client.patch(checks, {"repeat_gap": 4, "qualified_by": 1}, format="json")
    too_many = client.patch(checks, {"gold_count": 5}, format="json")
    no_training = client.patch(checks, {"qualified_by": 2}, format="json")

    assert stored.json() == client.get(checks).json()
    assert (stored.json()["repeat_gap"], stored.json()["qualified_by"]) == (4, 1)
    assert "more than a tenth" in too_many.json()["gold_count"][0]
    assert no_training.json() == {
        "qualified_by": ["expected the number of a training round of this campaign"]
    }


def test_a_rater_trains_over_the_api_and_reads_the_feedback(owner):
    made = training_campaign(owner)
    [rater] = made.raters
    client = api(rater)
    row = made.queue(rater)[0]
    feedback = f"/api/v1/assignments/{row.public_id}/feedback/"
    assert client.get(feedback).status_code == 404
    made.finish(rater, right=0)

    shown = client.get(feedback).json()
    [training] = client.get("/api/v1/trainings/").json()
    again = client.post(f"/api/v1/trainings/{training['id']}/again/")
    refused = client.post(f"/api/v1/trainings/{training['id']}/again/")

    assert (shown["attempt"], [item["is_right"] for item in shown["answers"]]) == (1, [False] * 2)
    assert shown["answers"][0] == {
        "event": 0, "metric": "procedure_logic", "value": "no", "accepted": ["yes"],
        "is_right": False, "reason": "The kettle stays empty.",
    }  # fmt: skip
    assert (training["may_try_again"], training["attempts"][0]["right"]) == (
        True,
        {"procedure_logic": 0, "taxonomy_fit": 0},
    )
    assert len(again.json()["attempts"]) == 2
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "Finish the traces of this attempt first.",
    )
    # Of a trace that is to be answered again, the feedback of the attempt before stays readable.
    assert client.get(feedback).json() == shown


def test_an_ordinary_trace_has_no_feedback_not_even_submitted(owner):
    made = training_campaign(owner)
    [rater] = made.raters
    made.finish(rater)
    row = Assignment.objects.filter(round=made.main, rater=rater).first()
    made.answer(row)

    assert api(rater).get(f"/api/v1/assignments/{row.public_id}/feedback/").status_code == 404


def test_somebody_is_let_in_over_the_api(owner):
    made = training_campaign(owner)
    [rater] = made.raters
    client = api(owner)
    body = {"round": 1, "username": rater.username, "reason": "Rated the pilot"}
    nobody = {"round": 2, "username": "nobody", "reason": "x"}

    wrong = client.post(address(made, "qualifications/"), nobody, format="json")
    answer = client.post(address(made, "qualifications/"), body, format="json")
    twice = client.post(address(made, "qualifications/"), body, format="json")

    assert set(wrong.json()) == {"round", "username"}
    [found] = answer.json()
    assert (found["let_in_by"], found["let_in_reason"], found["passed_at"]) == (
        "owner",
        "Rated the pilot",
        None,
    )
    assert twice.status_code == 409


@pytest.mark.parametrize("end", ["gold/", "qualifications/"])
def test_more_rows_need_no_more_queries(owner, end):
    made = training_campaign(owner)
    client = api(owner)
    counts = []
    for _ in range(3):
        with CaptureQueriesContext(connection) as seen:
            client.get(address(made, end))
        counts.append(len(seen))
        trace = with_event(TraceFactory(dataset=made.campaign.datasets.get()))
        new = {
            "trace": trace.public_id, "event": 0, "metric": "error_validity",
            "accepted": ["yes"], "reason": "The tea is cold.",
        }  # fmt: skip
        assert client.post(address(made, "gold/"), new, format="json").status_code == 201
        people = UserFactory.create_batch(2)
        add_raters(campaign=made.campaign, raters=people, actor=owner)
        for rater in people:
            made.finish(rater)

    assert counts[1] == counts[2]
