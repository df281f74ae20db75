"""Pages of gold, checks and qualifications: for whom they open, what they show and store."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, GoldItem, Phase, Qualification
from annotation.selectors.ratings.gold import checks_of
from annotation.services.campaigns.campaigns import add_raters
from annotation.services.campaigns.rounds import close_round
from annotation.services.ratings.gold import NewGold, mark_gold, retire_gold
from annotation.services.ratings.rounds import NewRound, plan_round
from tests.annotation.conftest import client_of
from tests.annotation.training import training_campaign
from tests.factories import EventFactory, TraceFactory, UserFactory

FIELDS = {"source": "expert"}


def pages(made):
    """Return the addresses of everything that tells what is gold."""
    of = made.campaign.public_id
    item = GoldItem.objects.first()
    return {
        "list": reverse("gold", args=[of]),
        "trace": reverse("gold-trace", args=[of, made.gold[0].public_id]),
        "checks": reverse("round-checks", args=[of, made.main.number]),
        "qualifications": reverse("qualifications", args=[of]),
        "retire": reverse("gold-retire", args=[item.public_id]),
        "consensus": reverse("gold-proposals", args=[of, made.main.number]),
        "let in": reverse("let-in", args=[of, made.training.number]),
    }


def test_pages_of_gold_open_to_the_owner_and_are_not_there_for_raters(
    owner, owner_client, outsider_client, annotator_client, administrator_client
):
    made = training_campaign(owner)
    rater = client_of(made.raters[0])
    found = pages(made)

    for name in ("list", "trace", "checks", "qualifications"):
        answers = [
            who.get(found[name]).status_code
            for who in (
                owner_client,
                administrator_client,
                outsider_client,
                annotator_client,
                rater,
            )
        ]
        assert answers == [200, 200, 404, 404, 404], name
    for name in ("retire", "let in"):
        answers = [
            who.post(found[name]).status_code for who in (outsider_client, annotator_client, rater)
        ]
        assert answers == [404, 404, 404], name
    # The round is open: nobody reads what its raters agree on.
    assert owner_client.get(found["consensus"]).status_code == 404


def test_gold_is_hidden_from_its_owner_who_rates(owner, owner_client):
    made = training_campaign(owner)
    add_raters(campaign=made.campaign, raters=[owner], actor=owner)

    for name in ("list", "trace", "checks", "qualifications"):
        answer = owner_client.get(pages(made)[name])
        assert (answer.status_code, b"Hidden while you rate" in answer.content) == (403, True), name


def test_an_answer_key_is_stored_changed_and_retired(owner, owner_client):
    made = training_campaign(owner)
    trace = TraceFactory(dataset=made.campaign.datasets.get())
    event = EventFactory(trace=trace, index=0)
    address = reverse("gold-trace", args=[made.campaign.public_id, trace.public_id]) + "?event=0"
    key = {
        **FIELDS,
        "sequence_consistency_accepted": ["2"],
        "sequence_consistency_band": "on",
        "sequence_consistency_reason": "One step waits for another.",
        "error_validity_accepted": ["yes"],
        "error_validity_reason": "The tea is cold.",
    }

    answer = owner_client.post(address, key, follow=True)

    assert b"2 accepted answers saved." in answer.content
    held = GoldItem.objects.filter(event=event, retired_at__isnull=True)
    assert set(held.values_list("metric", "band", "reason", "made_by")) == {
        ("sequence_consistency", 1, "One step waits for another.", owner.pk),
        ("error_validity", 0, "The tea is cold.", owner.pk),
    }
    del key["error_validity_accepted"]
    again = owner_client.post(address, key, follow=True)
    assert b"0 accepted answers saved. 1 retired." in again.content
    assert [item.metric for item in held.all()] == ["sequence_consistency"]


def test_an_answer_without_a_reason_is_refused_and_what_was_typed_stays(owner, owner_client):
    made = training_campaign(owner)
    trace = TraceFactory(dataset=made.campaign.datasets.get())
    EventFactory(trace=trace, index=0)
    address = reverse("gold-trace", args=[made.campaign.public_id, trace.public_id])

    answer = owner_client.post(address, {**FIELDS, "error_validity_accepted": ["yes"]})

    assert b"Error Validity: no reason; expected why these answers are right" in answer.content
    assert not GoldItem.objects.filter(trace=trace).exists()


@pytest.mark.parametrize("event", ["7", "x", "9999999999", "-1"])
def test_an_event_that_is_not_there_is_not_found(owner, owner_client, event):
    made = training_campaign(owner)
    address = pages(made)["trace"]

    assert owner_client.get(f"{address}?event={event}").status_code == 404


def test_questions_of_opinion_are_not_offered(owner, owner_client):
    made = training_campaign(owner)

    shown = owner_client.get(pages(made)["trace"]).content.decode()

    assert [
        item for item in Metric if f'name="{item.value}_accepted"' in shown
    ] == [
        Metric.ERROR_VALIDITY,
        Metric.PROCEDURE_LOGIC,
        Metric.SEQUENCE_CONSISTENCY,
        Metric.STATE_CHANGE_COHERENCE,
        Metric.TAXONOMY_FIT,
    ]  # fmt: skip


def test_the_plan_of_checks_is_stored_and_too_many_are_refused(owner, owner_client):
    made = training_campaign(owner)
    close_round(closing=made.main, actor=owner)
    planned = plan_round(
        campaign=made.campaign,
        new=NewRound(Phase.MAIN, made.main.guideline, overlap=1),
        actor=owner,
    )
    address = reverse("round-checks", args=[made.campaign.public_id, planned.number])
    plan = {"gold_count": "0", "trap_count": "0", "repeat_count": "0", "repeat_gap": "12"}

    stored = owner_client.post(address, {**plan, "qualified_by": made.training.pk})
    refused = owner_client.post(address, {**plan, "gold_count": "1"})

    assert stored.status_code == 302
    planned.refresh_from_db()
    checks = checks_of(planned)
    assert (checks.repeat_gap, checks.qualified_by) == (12, made.training)
    assert b"1 trace on top: more than a tenth of the about 3 ordinary ones" in refused.content
    # An opened round only shows its plan.
    assert owner_client.post(pages(made)["checks"], plan).status_code == 404


def test_somebody_is_let_in_on_the_page(owner, owner_client):
    made = training_campaign(owner)
    [rater] = made.raters
    address = pages(made)["let in"]

    refused = owner_client.post(address, {"rater": rater.username, "reason": ""})
    answer = owner_client.post(
        address, {"rater": rater.username, "reason": "Rated the pilot"}, follow=True
    )

    assert (refused.status_code, b"This field is required" in refused.content) == (400, True)
    assert b"Rated the pilot" in answer.content
    assert Qualification.objects.get().is_qualified
    assert Assignment.objects.filter(round=made.main, rater=rater).count() == 3


def test_agreed_answers_of_a_closed_round_are_taken(owner, owner_client):
    made = training_campaign(owner, raters=2)
    for rater in made.raters:
        made.finish(rater)
    made.main.checks.delete()
    for row in Assignment.objects.filter(round=made.main).select_related("round__campaign"):
        made.answer(row)
        Assignment.objects.filter(pk=row.pk).update(purpose="ordinary")
    close_round(closing=made.main, actor=owner)
    address = f"{pages(made)['consensus']}?raters=2"

    # Every trace has one rater here, so nothing is agreed upon.
    assert b"Nothing to take" in owner_client.get(address).content
    assert owner_client.post(address, {"accept": ["no:0:key"]}, follow=True).status_code == 200
    assert not GoldItem.objects.filter(source="consensus").exists()


@pytest.mark.parametrize("name", ["list", "qualifications", "checks"])
def test_more_rows_need_no_more_queries(owner, owner_client, name):
    counts = []
    made = training_campaign(owner)
    address = pages(made)[name]
    owner_client.get(address)
    for _ in range(3):
        with CaptureQueriesContext(connection) as seen:
            assert owner_client.get(address).status_code == 200
        counts.append(len(seen))
        trace = TraceFactory(dataset=made.campaign.datasets.get())
        EventFactory(trace=trace, index=0)
        new = NewGold(0, Metric.ERROR_VALIDITY, ["yes"], reason="The tea is cold.")
        retire_gold(
            item=mark_gold(campaign=made.campaign, trace=trace, new=new, actor=owner), actor=owner
        )
        more = UserFactory.create_batch(2)
        add_raters(campaign=made.campaign, raters=more, actor=owner)
        for rater in more:
            made.finish(rater)

    assert counts[1] == counts[2]
