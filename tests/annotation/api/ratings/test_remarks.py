"""Remarks over HTTP: what a page sends, and what the campaign's people read."""

import csv
import io

import pytest
from django.urls import reverse

from annotation.models import Assignment
from tests.factories import AssignmentFactory, CampaignRaterFactory, EventFactory

AT = "2026-01-02T03:04:05Z"


@pytest.fixture
def assignment(annotator) -> Assignment:
    assignment = AssignmentFactory(rater=annotator)
    EventFactory(trace=assignment.trace, index=0, event_id="E-1")
    return assignment


def post(client, assignment, *remarks: dict, client_id="tab"):
    return client.post(
        f"/api/v1/assignments/{assignment.public_id}/remarks/",
        {"client_id": client_id, "remarks": list(remarks)},
        content_type="application/json",
    )


def remark(sequence: int, text: str) -> dict:
    return {
        "sequence": sequence,
        "event": 0,
        "kind": "comment",
        "text": text,
        "base_revision": 0,
        "written_at": AT,
    }


@pytest.mark.django_db
def test_a_remark_is_answered_with_what_stands(annotator_client, assignment):
    answer = post(annotator_client, assignment, remark(3, " =1+1 "))

    assert (answer.status_code, answer.json()) == (
        200,
        {
            "saved": [3],
            "remarks": [{"event": 0, "kind": "comment", "text": " =1+1 ", "revision": 1}],
        },
    )


@pytest.mark.django_db
def test_a_conflict_says_both_texts(annotator_client, assignment):
    post(annotator_client, assignment, remark(1, "first"))

    answer = post(annotator_client, assignment, remark(1, "second"), client_id="other")

    assert (answer.status_code, answer.json()) == (
        409,
        {
            "code": "conflict",
            "detail": "comment has been changed elsewhere since",
            "saved": [],
            "conflicts": [
                {
                    "sequence": 1,
                    "event": 0,
                    "kind": "comment",
                    "mine": {"text": "second"},
                    "theirs": {
                        "text": "first",
                        "revision": 1,
                        "written_at": "2026-01-02T03:04:05+00:00",
                    },
                }
            ],
        },
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"kind": "love letter"}, "kind"),
        ({"text": "x" * 4001}, "text"),
        ({"written_at": "2999-01-01T00:00:00Z"}, "written_at"),
        ({"event": -1}, "event"),
    ],
)
def test_a_malformed_remark_is_refused_by_field(annotator_client, assignment, fields, field):
    answer = post(annotator_client, assignment, remark(1, "x") | fields)

    assert answer.status_code == 400
    assert field in str(answer.json())


@pytest.mark.django_db
def test_a_remark_about_one_event_that_belongs_to_the_whole_trace_is_refused_by_name(
    annotator_client, assignment
):
    answer = post(annotator_client, assignment, remark(7, "jumps") | {"kind": "broken_trace"})

    assert answer.status_code == 400
    assert answer.json() == {
        "code": "invalid",
        "detail": "remark 7 (broken_trace): event: none, because it is about the whole trace",
        "sequence": 7,
        "event": 0,
        "kind": "broken_trace",
        "field": "event",
        "expected": "none, because it is about the whole trace",
    }


@pytest.mark.django_db
def test_a_skipped_assignment_comes_last(annotator_client, assignment, annotator):
    second = AssignmentFactory(
        rater=annotator, campaign=assignment.round.campaign, position=assignment.position + 1
    )
    following = reverse("next-trace", args=[assignment.round.public_id])

    skipped = annotator_client.post(f"/api/v1/assignments/{assignment.public_id}/skip/")
    onward = annotator_client.get(following)

    assert (skipped.status_code, skipped.json()) == (200, {"status": "open"})
    assert onward.url == reverse("audit", args=[second.public_id])


@pytest.mark.django_db
def test_the_owner_reads_what_was_said_as_json_and_as_a_table(
    annotator_client, owner_client, owner, assignment
):
    assignment.round.campaign.owner = owner
    assignment.round.campaign.save()
    post(annotator_client, assignment, remark(1, "=1+1, or\ntwo"))

    said = owner_client.get(f"/api/v1/campaigns/{assignment.round.campaign.public_id}/remarks/")
    page = owner_client.get(reverse("campaign-detail", args=[assignment.round.campaign.public_id]))
    table = owner_client.get(
        reverse("campaign-remarks-csv", args=[assignment.round.campaign.public_id])
    )

    trace = assignment.trace
    assert said.json() == [
        {
            "dataset": trace.dataset.name,
            "take": trace.take.uid,
            "trace": trace.uid,
            "event": "E-1",
            "rater": "annotator",
            "kind": "comment",
            "metric": "",
            "text": "=1+1, or\ntwo",
            "said_at": "2026-01-02T03:04:05Z",
        }
    ]
    assert "What raters said" in page.content.decode()
    rows = list(csv.reader(io.StringIO(table.getvalue().decode())))
    assert rows[0][-2:] == ["text", "said_at"]
    assert rows[1][3:8] == ["E-1", "annotator", "comment", "", "'=1+1, or\ntwo"]


@pytest.mark.django_db
def test_an_owner_who_rates_reads_nothing_of_what_the_others_said(
    annotator_client, owner_client, owner, assignment
):
    campaign = assignment.round.campaign
    campaign.owner = owner
    campaign.save()
    CampaignRaterFactory(campaign=campaign, rater=owner)
    post(annotator_client, assignment, remark(1, "Never poured"))

    said = owner_client.get(f"/api/v1/campaigns/{campaign.public_id}/remarks/")
    page = owner_client.get(reverse("campaign-detail", args=[campaign.public_id]))
    table = owner_client.get(reverse("campaign-remarks-csv", args=[campaign.public_id]))

    assert (said.status_code, table.status_code) == (403, 403)
    assert "Never poured" not in page.content.decode()
