"""The desk over the API: its queue with filters, discussion, decision, the way to a guideline."""

import pytest
from rest_framework.test import APIClient

from annotation.engine.rubric.rubric import Metric
from annotation.models import AdjudicatedValue, Case, CaseComment, CaseRater
from tests.annotation.disagreements import make_pilot
from tests.annotation.stored_ratings import rate
from tests.factories import EventFactory, VideoFactory


@pytest.fixture
def pilot(owner):
    made = make_pilot(owner)
    made.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    made.answer(Metric.HUMAN_PLAUSIBILITY, "1", "5", "3", event=1)
    made.remark(2, "Is a rag a tool?")
    made.close()
    return made


@pytest.fixture
def asks(owner):
    client = APIClient()
    client.force_authenticate(owner)
    return client


def cases(asks, pilot, **filters):
    return asks.get(f"/api/v1/campaigns/{pilot.campaign.public_id}/cases/", filters)


def case_about(metric):
    return Case.objects.get(metric=metric)


def send(asks, case, what, **body):
    return asks.post(f"/api/v1/cases/{case.public_id}/{what}/", body, format="json")


def test_list_begins_with_the_widest_disagreement(asks, pilot):
    rows = cases(asks, pilot).json()["results"]

    validity = case_about("error_validity")
    places = dict(CaseRater.objects.filter(case=validity).values_list("rater__username", "place"))
    values = {places["ana"]: "yes", places["ben"]: "no", places["cleo"]: "no"}
    assert [row["metric"] for row in rows] == ["error_validity", "human_plausibility", ""]
    assert rows[0] == {
        "id": validity.public_id,
        "campaign": pilot.campaign.public_id,
        "round": 1,
        "dataset": pilot.trace.dataset.public_id,
        "trace": pilot.trace.public_id,
        "scenario": "Making tea",
        "event": 0,
        "metric": "error_validity",
        "score": pytest.approx(2 / 3),
        "is_flagged": False,
        "state": "open",
        "cause": "",
        "answers": [
            {
                "letter": letter,
                "name": None,
                "is_own": False,
                "value": values[place],
                "confidence": None,
                "cannot_judge": None,
                "is_implied": False,
            }
            for place, letter in enumerate("ABC")
        ],
    }


def test_filters_narrow_the_list_and_name_what_there_is(asks, pilot):
    by_metric = cases(asks, pilot, metric="none").json()["results"]
    refused = cases(asks, pilot, state="closed")

    assert [row["is_flagged"] for row in by_metric] == [True]
    assert (refused.status_code, refused.json()) == (
        400,
        {"state": ["'closed'; expected open, discussed, decided"]},
    )


def test_a_rater_cannot_narrow_by_people_or_sources(pilot):
    client = APIClient()
    client.force_authenticate(pilot.raters[0])

    rows = cases(client, pilot, pair="ana,ben", dataset="whatever").json()["results"]

    assert [(row["dataset"], row["trace"]) for row in rows] == [(None, None)] * 3


@pytest.mark.parametrize("event_count", [1, 3])
def test_list_takes_the_same_queries_for_every_length(
    owner, asks, django_assert_num_queries, event_count
):
    pilot = make_pilot(owner)
    for index in range(10, 10 + event_count):
        event = EventFactory(trace=pilot.trace, index=index)
        for assignment, value in zip(pilot.assignments, "153", strict=True):
            rate(assignment, event, Metric.CONFUSABILITY, value)
    pilot.close()

    with django_assert_num_queries(9):
        found = cases(asks, pilot)

    assert found.json()["count"] == event_count


def test_a_comment_with_its_moment_comes_back_with_the_case(asks, pilot):
    pilot.trace.video = VideoFactory(dataset=pilot.trace.dataset, duration_s=10.0)
    pilot.trace.save()
    case = case_about("error_validity")

    answer = send(asks, case, "comments", text="Here", side="trace", time_s=3.2, client_key="k")
    send(asks, case, "comments", text="Here", side="trace", time_s=3.2, client_key="k")

    (comment,) = answer.json()["comments"]
    assert (comment["author"], comment["side"], comment["time_s"]) == ("owner", "trace", 3.2)
    assert (answer.json()["state"], CaseComment.objects.count()) == ("discussed", 1)


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"text": ""}, "text", "may not be blank"),
        ({"text": "a" * 4001}, "text", "no more than 4000"),
        ({"text": "Here", "side": "trace"}, "time_s", "expected both or neither"),
        ({"text": "Here", "time_s": 1}, "side", "expected both or neither"),
        ({"text": "Here", "side": "left", "time_s": 1}, "side", "not a valid choice"),
        ({"text": "Here", "side": "trace", "time_s": 1}, "side", "no video"),
        ({"text": "Here", "side": "trace", "time_s": -1}, "time_s", "greater than or equal to 0"),
    ],
)
def test_what_cannot_be_a_comment_is_refused_by_its_field(asks, pilot, body, field, words):
    answer = send(asks, case_about("error_validity"), "comments", **body)

    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert words in answer.json()[field][0]
    assert not CaseComment.objects.exists()


def test_a_decision_names_the_raters_and_keeps_its_value_apart(asks, pilot):
    case = case_about("error_validity")

    shown = send(asks, case, "decision", cause="slip", value="no", reason="Misread").json()

    assert (shown["state"], shown["cause"], shown["value"], shown["reason"]) == (
        "decided",
        "slip",
        "no",
        "Misread",
    )
    assert {answer["name"] for answer in shown["answers"]} == {"ana", "ben", "cleo"}
    assert AdjudicatedValue.objects.get().case == case


@pytest.mark.parametrize(
    ("metric", "body", "field"),
    [
        ("human_plausibility", {"cause": "slip", "value": "3"}, "value"),
        ("human_plausibility", {"cause": "ambiguous_event"}, "cause"),
        ("error_validity", {"cause": "slip", "value": "3"}, "value"),
        ("error_validity", {"cause": "mood"}, "cause"),
        ("error_validity", {}, "cause"),
        ("", {"cause": "defect", "value": "no"}, "value"),
    ],
)
def test_what_a_case_cannot_end_as_is_refused_by_its_field(asks, pilot, metric, body, field):
    answer = send(asks, case_about(metric), "decision", **body)

    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert not AdjudicatedValue.objects.exists()
    assert set(Case.objects.values_list("state", flat=True)) == {"open"}


def test_a_case_goes_into_a_draft_of_the_guideline_where_it_is_about_a_question(asks, pilot):
    made = send(asks, case_about("error_validity"), "guideline")
    refused = send(asks, case_about(""), "guideline")

    assert (made.status_code, made.json()["number"]) == (200, 2)
    assert refused.status_code == 409
    assert "this case is about none" in refused.json()["detail"]


def test_drawing_again_changes_nothing(asks, pilot):
    address = f"/api/v1/campaigns/{pilot.campaign.public_id}/cases/draw/"
    Case.objects.filter(metric="").delete()

    first, second = asks.post(address).json(), asks.post(address).json()

    assert first == {"added_count": 1, "changed_count": 0, "removed_count": 0}
    assert second == {"added_count": 0, "changed_count": 0, "removed_count": 0}
