"""A watcher and a planner, each a model of its own, over an item set of the sample corpus."""

import json
from collections import Counter

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from benchmarks.engine.tasks.guide.items import PREDICTED
from benchmarks.models import AnswerStage
from benchmarks.selectors.asked import asked_lines
from benchmarks.selectors.reports import details_of
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import reask_failed
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import assessed, model, read_again, small_set, started
from tests.benchmarks.sample_answers import PLAN, PLANNER, answer_of
from tests.fakes.openai_server import OpenAiServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def planned(sample, owner):
    """Return a set whose plan is that of a planner, of two recordings or so."""
    return small_set(sample, owner, "guide", item_count=24, settings={"plan": PREDICTED})


def endpoints(server, owner, **changes):
    watcher = model(server, owner, **changes)
    return watcher, model(server, owner, name="Planner", model_name="plans", price_in=1)


def test_the_planner_is_asked_at_openings_and_after_interrupts_alone(planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        watcher, planner = endpoints(server, owner)
        done = assessed(planned, watcher, owner, roles={"planner": planner.public_id})
        bodies = [asked.body for asked in server.asked]

    rows = list(done.answers.select_related("item").order_by("pk"))
    openings = [row for row in rows if row.item.sequence_position == 0]
    spoken = [
        row for row in rows
        if row not in openings and row.value and row.value["answer"] == "interrupt"
    ]  # fmt: skip
    assert len(rows) == planned.item_count
    assert {row.status for row in rows} == {"read", "malformed"}
    assert {row.item_id for row in rows if row.stages.exists()} == {
        row.item_id for row in [*openings, *spoken]
    }
    outcomes = {row.value["planner"] for row in spoken}
    assert {"renewed", "another goal", "no plan in the answer"} >= outcomes >= {"renewed"}
    plans = [body for body in bodies if PLANNER in words_of(body)]
    assert {body["model"] for body in plans} == {"plans"}
    assert {body["model"] for body in bodies if body not in plans} == {"gpt-x"}
    # Recordings of one goal have the same opening, which was paid for once.
    own, planners = (
        sum(float(price) for price in rows.values_list("call__price", flat=True))
        for rows in (done.answers, AnswerStage.objects.filter(answer__assessment=done))
    )
    assert done.usage["usd"] == pytest.approx(own + planners)
    assert done.usage["roles"]["planner"]["usd"] == pytest.approx(planners)
    assert "planner Planner (plans)" in done.settings["role_names"]
    [planner_table] = [table for table in details_of(done) if table.key == "planner"]
    counts = {str(row.label.value): row.cells["count"].value for row in planner_table.rows()}
    # At an opening without a decision the planner was asked, too; that item has no value to say so.
    assert counts["renewed"] >= sum(row.value["planner"] == "renewed" for row in spoken)


def test_the_plan_of_one_item_is_told_at_the_next_and_everything_can_be_read_again(planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        watcher, planner = endpoints(server, owner)
        done = assessed(planned, watcher, owner, roles={"planner": planner.public_id})

    rows = done.answers.select_related("item", "call").order_by(
        "item__sequence", "item__sequence_position"
    )
    before = None
    for row in rows:
        if row.item.sequence_position and before.state["plan"]:
            assert before.state["plan"]["current"] in row.call.prompt
        before = row
    lines = [json.loads(line) for line in asked_lines(done)]
    asked = [stage for line in lines for stage in line["stages"]]
    assert {stage["role"] for stage in asked} == {"planner"}
    assert all(PLANNER in stage["prompt"] and stage["raw"] for stage in asked)


def test_a_second_assessment_pays_for_nothing_and_a_budget_holds_for_both(planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        watcher, planner = endpoints(server, owner)
        roles = {"planner": planner.public_id}
        first = assessed(planned, watcher, owner, roles=roles)
        paid = len(server.asked)
        second = assessed(planned, watcher, owner, roles=roles)
        poor = assessed(planned, watcher, owner, roles=roles, repeats=2, budget_usd=0.0001)

    assert len(server.asked) == paid
    assert [row.state for row in first.answers.order_by("item")] == [
        row.state for row in second.answers.order_by("item")
    ]
    assert poor.job.stop_reason == "budget_spent"


def test_without_a_name_the_participant_plans_itself(planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        done = assessed(planned, model(server, owner), owner)

    assert done.settings["role_names"] == ["planner Asked (gpt-x)"]


def test_a_role_that_a_set_does_not_have_is_refused(sample, owner):
    made = small_set(sample, owner, "guide", item_count=6)
    with AnsweringServer(answers=answer_of) as server:
        watcher, planner = endpoints(server, owner)
        with pytest.raises(ValidationError, match="no such role; expected none"):
            started(made, watcher, owner, roles={"planner": planner.public_id})


def test_a_planner_that_was_deleted_stops_the_work(planned, owner):
    with AnsweringServer(answers=answer_of) as server:
        watcher, planner = endpoints(server, owner)
        row, job_ids = started(planned, watcher, owner, roles={"planner": planner.public_id})
        planner.delete()
        work_on_assessments(job_ids=job_ids)

    assert "its planner was deleted" in read_again(row).job.error


def test_a_planner_that_gave_no_reply_is_asked_again_and_the_watcher_is_not_paid_twice(
    planned, owner, owner_client
):
    plan = PLAN.format(goal="Goal", step="Begin.")
    watching = AnsweringServer(answers=answer_of)
    planning = OpenAiServer(acts=[{"do": "reject"}, {"do": "answer", "text": plan}])
    with watching as server, planning as other:
        watcher = model(server, owner)
        planner = model(other, owner, name="Planner", model_name="plans")
        done = assessed(planned, watcher, owner, roles={"planner": planner.public_id})
        stages = AnswerStage.objects.filter(answer__assessment=done)
        assert stages.filter(status="failed").count() == 1
        address = reverse("assessment", args=[done.public_id])
        assert "Ask again what failed" in owner_client.get(address).content.decode()
        # The watcher is asked anew only where the plan that it reads is another one.
        first = list(watching.paid)
        work_on_assessments(job_ids=reask_failed(assessment=done, actor=owner))

    done = read_again(done)
    assert not stages.filter(status="failed").exists()
    assert (done.job.status, done.counts["failed"]) == ("done", 0)
    assert max(Counter(watching.paid).values()) == max(Counter(first).values()) == 1
    assert "Ask again what failed" not in owner_client.get(address).content.decode()
    assert reask_failed(assessment=done, actor=owner) == []
