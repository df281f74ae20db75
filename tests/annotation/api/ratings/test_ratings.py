"""The endpoints of the audit page: what they answer, to whom, and in which form."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.authtoken.models import Token

from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, CampaignRater, Rating
from tests.annotation.conftest import client_of
from tests.factories import AssignmentFactory, EventFactory

AT = "2026-01-02T03:04:05.123456Z"
REST = {
    "error_validity": "yes",
    "human_plausibility": "4",
    "confusability": "2",
    "taxonomy_fit": "WE",
}


@pytest.fixture
def assignment(annotator) -> Assignment:
    assignment = AssignmentFactory(rater=annotator)
    EventFactory(trace=assignment.trace, index=0)
    return assignment


def address(assignment: Assignment, page: str) -> str:
    return f"/api/v1/assignments/{assignment.public_id}/{page}/"


def change(sequence: int, metric: str, value: object, **fields) -> dict:
    return {
        "sequence": sequence,
        "event": 0,
        "metric": metric,
        "value": value,
        "confidence": None,
        "base_revision": 0,
        "rated_at": AT,
        **fields,
    }


def post(client: Client, assignment: Assignment, *changes: dict, client_id: str = "tab"):
    return client.post(
        address(assignment, "changes"),
        {"client_id": client_id, "changes": list(changes)},
        content_type="application/json",
    )


def rating(metric: str, value, confidence=None, *, is_implied=False, revision=1) -> dict:
    return {
        "event": 0,
        "metric": metric,
        "value": value,
        "confidence": confidence,
        "cannot_judge": None,
        "is_implied": is_implied,
        "revision": revision,
    }


def test_changes_answers_every_touched_rating(annotator_client, assignment):
    answer = post(annotator_client, assignment, change(7, "procedure_logic", "no", confidence=2))

    expected = {
        "saved": [7],
        "ratings": [
            rating("procedure_logic", "no", 2),
            rating("sequence_consistency", "5", is_implied=True),
            rating("state_change_coherence", "no", is_implied=True),
        ],
        "missing_count": 4,
        "status": "open",
    }
    assert (answer.status_code, answer.json()) == (200, expected)
    again = post(annotator_client, assignment, change(7, "procedure_logic", "no", confidence=2))
    assert again.json() == expected


def test_changes_answers_a_conflict_with_both_sides(annotator_client, assignment):
    post(annotator_client, assignment, change(1, "sequence_consistency", "4"), client_id="other")

    answer = post(
        annotator_client,
        assignment,
        change(1, "confusability", None),
        change(2, "sequence_consistency", "2"),
    )

    assert (answer.status_code, answer.json()) == (
        409,
        {
            "code": "conflict",
            "detail": "sequence_consistency has been changed elsewhere since",
            "saved": [1],
            "conflicts": [
                {
                    "sequence": 2,
                    "event": 0,
                    "metric": "sequence_consistency",
                    "mine": {"value": "2", "confidence": None, "cannot_judge": None},
                    "theirs": {
                        "value": "4",
                        "confidence": None,
                        "cannot_judge": None,
                        "is_implied": False,
                        "revision": 1,
                        "rated_at": "2026-01-02T03:04:05.123456+00:00",
                    },
                }
            ],
        },
    )


def test_changes_of_a_replaced_trace_answer_conflict_and_save_nothing(annotator_client, assignment):
    body = {"client_id": "tab", "content": "0" * 16, "changes": [change(1, "confusability", "3")]}

    answer = annotator_client.post(
        address(assignment, "changes"), body, content_type="application/json"
    )

    assert (answer.status_code, answer.json()) == (
        409,
        {
            "code": "replaced",
            "detail": (
                "this trace was replaced by another version after the page was opened, so"
                " the answers may no longer fit"
            ),
        },
    )
    assert not Rating.objects.exists()


def test_changes_names_metric_value_and_expectation_of_a_wrong_value(annotator_client, assignment):
    answer = post(annotator_client, assignment, change(3, "confusability", "9"))

    assert (answer.status_code, answer.json()) == (
        400,
        {
            "code": "invalid",
            "detail": "confusability: value is '9'; expected one of 1, 2, 3, 4, 5",
            "sequence": 3,
            "event": 0,
            "metric": "confusability",
            "field": "value",
            "value": "9",
            "expected": "one of 1, 2, 3, 4, 5",
        },
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"sequence": -1},
        {"event": "x"},
        {"metric": "beauty"},
        {"base_revision": 2**40},
        {"rated_at": "yesterday"},
        {"value": ["5"]},
        {"value": "x" * 100_000},
        {"confidence": 2.5},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_changes_refuses_malformed_changes(annotator_client, assignment, wrong):
    answer = post(annotator_client, assignment, change(1, "confusability", "5") | wrong)

    assert answer.status_code == 400
    assert len(answer.content) < 1000
    assert next(iter(wrong)) in answer.content.decode()
    assert not Rating.objects.exists()


@pytest.mark.parametrize(("minutes", "status"), [(4, 200), (6, 400)])
def test_changes_take_no_answer_from_the_future(annotator_client, assignment, minutes, status):
    at = timezone.now() + timedelta(minutes=minutes)
    good = change(1, "confusability", "5")
    late = change(2, "human_plausibility", "4") | {"rated_at": at.isoformat()}

    answer = post(annotator_client, assignment, good, late)

    assert answer.status_code == status
    assert Rating.objects.count() == (2 if status == 200 else 0)
    if status == 400:
        [[place, faults]] = answer.json()["changes"].items()
        assert (place, list(faults)) == ("1", ["rated_at"])
        assert faults["rated_at"][0].startswith(f"{at.isoformat()} is in the future; it is ")


@pytest.mark.parametrize("body", ["[" * 100_000, '{"changes":' + "[" * 3000 + "]" * 3000 + "}"])
def test_changes_refuses_json_that_is_nested_too_deeply(annotator_client, assignment, body):
    answer = annotator_client.post(
        f"/api/v1/assignments/{assignment.public_id}/changes/",
        body,
        content_type="application/json",
    )

    assert answer.status_code == 400
    assert answer.json() == {"detail": "JSON parse error - nested too deeply"}


def test_changes_names_the_metrics_where_one_is_unknown(annotator_client, assignment):
    answer = post(annotator_client, assignment, change(1, "beauty", "5"))

    [[message]] = [item["metric"] for item in answer.json()["changes"].values()]
    assert message == '"beauty" is not a metric; expected one of ' + ", ".join(Metric) + "."


def test_changes_answers_404_for_an_event_of_another_trace(annotator_client, assignment):
    answer = post(annotator_client, assignment, change(1, "confusability", "5", event=1))

    assert (answer.status_code, answer.json()) == (404, {"detail": "this trace has no event 1"})


def test_changes_answers_409_when_closed_or_submitted(annotator_client, assignment):
    Assignment.objects.update(status="submitted", submitted_at=timezone.now())
    submitted = post(annotator_client, assignment, change(1, "confusability", "5"))
    assignment.round.closed_at = timezone.now()
    assignment.round.save()
    closed = post(annotator_client, assignment, change(1, "confusability", "5"))

    assert (submitted.status_code, submitted.json()) == (
        409,
        {
            "code": "submitted",
            "detail": "submitted; reopen it to change ratings",
            "saved": [],
        },
    )
    assert (closed.status_code, closed.json()) == (
        409,
        {"code": "closed", "detail": "this round is closed", "saved": []},
    )


def test_ratings_lists_values_and_what_is_missing(annotator_client, assignment):
    post(annotator_client, assignment, change(1, "procedure_logic", "yes"))

    answer = annotator_client.get(address(assignment, "ratings"))

    metrics = [
        "error_validity", "human_plausibility", "confusability", "procedure_logic",
        "sequence_consistency", "state_change_coherence", "taxonomy_fit",
    ]  # fmt: skip
    assert answer.json() == {
        "ratings": [rating("procedure_logic", "yes")],
        "missing": [{"event": 0, "metric": metric} for metric in metrics],
        "missing_count": 7,
        "status": "open",
    }


def test_ratings_costs_the_same_whatever_the_number_of_events(
    annotator_client, assignment, django_assert_num_queries
):
    for event_count in (1, 3):
        for index in range(1, event_count):
            EventFactory(trace=assignment.trace, index=index)
            post(annotator_client, assignment, change(index, "confusability", "5", event=index))
        with django_assert_num_queries(5):  # session, user, assignment, events, ratings
            annotator_client.get(address(assignment, "ratings"))


def test_submit_then_reopen(annotator_client, assignment):
    changes = [change(i, metric, value) for i, (metric, value) in enumerate(REST.items())]
    post(annotator_client, assignment, *changes)

    incomplete = annotator_client.post(address(assignment, "submit"))
    post(annotator_client, assignment, change(9, "procedure_logic", "no", confidence=1))
    complete = annotator_client.post(address(assignment, "submit"))
    reopened = annotator_client.post(address(assignment, "reopen"))

    missing = ["procedure_logic", "sequence_consistency", "state_change_coherence"]
    assert (incomplete.status_code, incomplete.json()) == (
        409,
        {
            "code": "incomplete",
            "detail": "3 answers are missing",
            "missing": [{"event": 0, "metric": metric} for metric in missing],
        },
    )
    assert (complete.status_code, complete.json()) == (200, {"status": "submitted"})
    assert (reopened.status_code, reopened.json()) == (200, {"status": "open"})


def _answers(client: Client, assignment: Assignment) -> dict[str, int]:
    return {
        "changes": post(client, assignment, change(1, "confusability", "5")).status_code,
        "ratings": client.get(address(assignment, "ratings")).status_code,
        "submit": client.post(address(assignment, "submit")).status_code,
        "reopen": client.post(address(assignment, "reopen")).status_code,
    }


def test_everybody_else_gets_404(assignment, owner, outsider, administrator, annotator):
    assignment.round.campaign.owner = owner
    assignment.round.campaign.save()
    colleague = AssignmentFactory(campaign=assignment.round.campaign, trace=assignment.trace).rater

    for user in (owner, outsider, administrator, colleague):
        assert set(_answers(client_of(user), assignment).values()) == {404}
    assert set(_answers(Client(), assignment).values()) == {401}
    assert not Rating.objects.exists()

    CampaignRater.objects.filter(rater=annotator).delete()

    assert set(_answers(client_of(annotator), assignment).values()) == {404}


def test_a_session_needs_the_csrf_token_and_an_api_token_does_not(annotator, assignment):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(annotator)
    token = Token.objects.create(user=annotator)
    script = Client(enforce_csrf_checks=True, headers={"Authorization": f"Token {token.key}"})

    refused = post(browser, assignment, change(1, "confusability", "5"))
    accepted = post(script, assignment, change(1, "confusability", "5"))

    assert (refused.status_code, accepted.status_code) == (403, 200)


def test_changes_of_a_body_that_is_null_name_what_is_missing(annotator_client, assignment):
    answer = annotator_client.post(
        address(assignment, "changes"), "null", content_type="application/json"
    )

    assert (answer.status_code, set(answer.json())) == (400, {"client_id", "changes"})
