"""Runs that ask text models: what is asked and recorded, and how misbehaviour is told."""

import json
from functools import partial

import pytest

from annotation.models import AuditEntry, Job, JobStatus, Step
from generation.backends.retrying import RetryPolicy
from generation.engine.planner.files.plan_json import plan_from_dict
from generation.engine.planner.randomness import generator_for
from generation.engine.rewriting.writer import write_rewrite
from generation.engine.run_options import RULES, RunOptions
from generation.engine.stages import Stage
from generation.models import TakeRewrite, TextCall, TextEndpoint
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run, retry_failed_takes
from generation.services.texts.asker import TextAsker
from tests.fakes.openai_server import OpenAiServer
from tests.generation.tea import request_for
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db(transaction=True)

QUICK = RetryPolicy(max_attempts=2, first_pause_s=0.01, max_pause_s=0.05)
WRITING = [Stage.PLAN, Stage.CORRECT, Stage.WRITE]


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(
        "generation.services.texts.run_models.TextAsker", partial(TextAsker, policy=QUICK)
    )


@pytest.fixture
def server():
    with OpenAiServer() as running:
        yield running


@pytest.fixture
def model(server, owner):
    return make_endpoint(server.url, owner=owner)


def launched(dataset, owner, *, uids=("tea-a",), stages=WRITING, **options):
    request = request_for(
        dataset,
        stages=stages,
        takes=dataset.takes.filter(uid__in=uids),
        options=RunOptions(**options).to_dict(),
    )
    return create_run(request=request, actor=owner).run


def work_on(run):
    work_on_takes(job_ids=[take.job_id for take in run.run_takes.all()])


def rewritten_by_rules(dataset, owner):
    """Return what the rules write for the first take: an answer as good as any model's."""
    run = launched(dataset, owner)
    work_on(run)
    document = run.run_takes.get().rewrite.document
    keys = ("old", "new", "mod", "etype", "eid", "cid")
    rows = [{key: None if row[key] == "" else row[key] for key in keys} for row in document["meta"]]
    return {"final_steps": document["final_steps"], "meta": rows}


def answer(parsed):
    return {"do": "answer", "text": json.dumps(parsed)}


def test_model_writes_and_the_call_is_recorded_with_the_take(tea_dataset, owner, server, model):
    good = rewritten_by_rules(tea_dataset, owner)
    server.acts = [answer(good)]
    run = launched(tea_dataset, owner, writer=model.public_id)

    work_on(run)

    row = run.run_takes.get()
    assert row.rewrite.document["final_steps"] == good["final_steps"]
    assert (row.rewrite.model, row.rewrite.prompt_version) == ("Local", "writer.v2")
    call = TextCall.objects.get()
    assert (call.payer, call.part) == (row.run.payer_key, row.position)
    assert (call.status, call.model_name) == ("answered", "gpt-x")
    assert len(server.asked) == 1


def test_takes_of_one_message_wait_for_their_answers_together(tea_dataset, owner, server, model):
    server.acts, server.least_inside = [answer(rewritten_by_rules(tea_dataset, owner))], 2
    TextEndpoint.objects.update(timeout_s=120)
    run = launched(tea_dataset, owner, uids=("tea-a", "tea-b"), writer=model.public_id)

    work_on(run)

    assert server.most_inside == 2
    # The answer belongs to the plan of the first take; whether it can be read for the second is
    # not the matter here.
    ended = dict(run.run_takes.values_list("take__uid", "job__status"))
    assert ended["tea-a"] == "done"
    assert ended["tea-b"] in {"done", "failed"}


def test_retried_take_takes_the_recorded_answer(tea_dataset, owner, server, model):
    server.acts = [answer(rewritten_by_rules(tea_dataset, owner))]
    run = launched(tea_dataset, owner, writer=model.public_id)
    work_on(run)
    # As after a kill between the answer and the rows.
    TakeRewrite.objects.all().delete()
    run.run_takes.update(stages_done=2)
    Job.objects.filter(run_take__run=run).update(status=JobStatus.QUEUED)

    work_on(run)

    assert TakeRewrite.objects.count() == 1
    assert len(server.asked) == 1


def test_second_answer_is_taken_where_the_first_cannot_be_read(tea_dataset, owner, server, model):
    good = rewritten_by_rules(tea_dataset, owner)
    twisted = {**good, "final_steps": good["final_steps"][:-1]}
    server.acts = [answer(twisted), answer(good)]
    run = launched(tea_dataset, owner, writer=model.public_id)

    work_on(run)

    rewrite = run.run_takes.get().rewrite
    assert rewrite.document["final_steps"] == good["final_steps"]
    assert len(rewrite.notes) == 1
    assert "An earlier answer could not be used" in server.asked[1].body["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("act", "reason", "asked"),
    [
        ({"do": "refuse"}, "no readable answer in 3: the model refused", 3),
        ({"do": "empty"}, "no readable answer in 3: the answer has no text", 3),
        ({"do": "truncate"}, "no readable answer in 3:", 3),
        ({"do": "not_json"}, "no readable answer in 3:", 3),
        ({"do": "wrong_schema"}, "no readable answer in 3:", 3),
        (answer({"final_steps": ["Get a cup"], "meta": []}), "no readable answer in 3:", 3),
        ({"do": "reject"}, "Invalid schema", 1),
        ({"do": "quota"}, "current quota", 1),
        ({"do": "server_error"}, "The server had an error", 2),
        ({"do": "rate_limit"}, "Too many requests", 2),
        ({"do": "hang_up"}, "Local gave no text: no connection", 2),
        ({"do": "empty", "latency_s": 30}, "Local gave no text: no answer within", 2),
    ],
)
def test_misbehaviour_of_the_writer_ends_in_a_recorded_reason(
    tea_dataset, owner, server, model, act, reason, asked
):
    server.acts = [act]
    if "latency_s" in act:
        TextEndpoint.objects.update(timeout_s=1)
    run = launched(tea_dataset, owner, writer=model.public_id)

    work_on(run)

    row = run.run_takes.select_related("job").get()
    assert row.job.status == JobStatus.FAILED
    assert reason in row.job.error
    # What was done before the model was asked is kept.
    assert (row.stages_done, TakeRewrite.objects.count()) == (2, 0)
    assert server.count_of(server.asked, asked) == asked
    entry = AuditEntry.objects.get(action="run_take.fail")
    assert entry.detail["reason"] == row.job.error


@pytest.mark.parametrize(
    "act", [{"do": "not_json"}, {"do": "reject"}, {"do": "server_error"}, {"do": "refuse"}]
)
def test_misbehaviour_of_the_judges_model_is_an_attempt_and_not_the_end(
    tea_dataset, owner, server, model, act
):
    server.acts = [act]
    row = judged_with_a_fault(tea_dataset, owner, model)

    assert row.job.status == JobStatus.DONE
    assert row.judgement.status == "judged_with_findings"
    asked = [item for item in row.judgement.attempts if item["kind"] == "model"]
    assert [item["outcome"] for item in asked] == ["no_answer"] * len(asked)
    assert len(asked) == 2
    assert all(item["detail"] for item in asked)
    assert TextCall.objects.filter(payer=row.run.payer_key, part=row.position).exists()


def test_judges_model_heals_what_the_rules_cannot(tea_dataset, owner, server, model):
    server.acts = [answer(rewritten_by_rules(tea_dataset, owner))]

    row = judged_with_a_fault(tea_dataset, owner, model)

    judgement = row.judgement
    assert (judgement.status, judgement.hard_left, judgement.soft_left) == ("ok", 0, 0)
    assert judgement.soft_found + judgement.hard_found > 0
    assert (judgement.model, judgement.prompt_versions) == ("Local", ["repair.v1"])
    assert [item["outcome"] for item in judgement.attempts][-1] == "adopted"
    assert judgement.findings.filter(is_left=True).count() == 0


def judged_with_a_fault(dataset, owner, model, *, writer=None):
    """Return the take of a run, judged with a model: the planned mistake is no sentence at all.

    No rule knows what it was to say.
    """
    run = launched(dataset, owner, stages=[*WRITING, Stage.JUDGE], judge=model.public_id)
    row = run.run_takes.get()
    only_written = launched(dataset, owner)
    work_on(only_written)
    planned = only_written.run_takes.get()
    document = planned.rewrite.document
    mistake = next(item for item in document["meta"] if item["mod"] == "e")
    document["final_steps"][mistake["new"]] = "the the the"
    row.stages_done = 3
    row.save()
    # As if a model had written it: of a text of their own the rules would make another draw.
    planned.rewrite.model = writer or model.name
    for part in (planned.plan, planned.rewrite):
        part.pk, part.run_take = None, row
        part.save()
    work_on(run)
    return run.run_takes.select_related("job").get()


def test_rules_write_again_after_a_finding(tea_dataset, owner, model):
    row = judged_with_a_fault(tea_dataset, owner, model, writer=RULES)

    judgement = row.judgement
    assert (judgement.status, judgement.hard_left, judgement.soft_left) == ("ok", 0, 0)
    assert [item["name"] for item in judgement.attempts][-1] == "write_again"
    assert judgement.soft_found + judgement.hard_found > 0


def test_budget_stops_the_run_before_it_could_be_passed(tea_dataset, owner, server, model):
    uids = ("tea-a", "tea-b", "tea-c")
    run = launched(tea_dataset, owner, uids=uids, writer=model.public_id, budget_usd=0.0001)

    work_on(run)

    # They ask at the same moment: whoever is first to be refused stops the others.
    ended = list(run.run_takes.values_list("job__status", "job__error"))
    reasons = [error for status, error in ended if status == "failed"]
    assert reasons
    assert all(reason.startswith("The run was stopped: the budget is $0.00") for reason in reasons)
    assert {status for status, _ in ended} <= {"failed", "cancelled"}
    assert server.asked == []


def test_deleted_endpoint_is_named_as_the_reason(tea_dataset, owner, server, model):
    run = launched(tea_dataset, owner, writer=model.public_id)
    model.delete()

    work_on(run)

    assert run.run_takes.get().job.error.endswith("of this run was deleted.")


def test_failed_takes_can_be_tried_again(tea_dataset, owner, server, model):
    good = rewritten_by_rules(tea_dataset, owner)
    server.acts = [{"do": "reject"}]
    run = launched(tea_dataset, owner, writer=model.public_id)
    work_on(run)
    server.acts = [answer(good)]

    work_on_takes(job_ids=retry_failed_takes(run=run, actor=owner))

    assert run.run_takes.get().rewrite.document["final_steps"] == good["final_steps"]


def test_take_that_changed_since_its_plan_is_not_written(tea_dataset, owner, server, model):
    server.acts = [{"do": "reject"}]
    run = launched(tea_dataset, owner, writer=model.public_id)
    work_on(run)
    Step.objects.filter(take__uid="tea-a", index=0).update(text="Fill the pot with water")

    work_on_takes(job_ids=retry_failed_takes(run=run, actor=owner))

    reason = run.run_takes.get().job.error
    assert reason == "The take was changed after it was planned. Clone the run instead."


def test_plan_of_the_tests_has_something_to_write(tea_dataset, owner):
    run = launched(tea_dataset, owner)
    work_on(run)

    row = run.run_takes.get()
    plan = plan_from_dict("tea-a", row.plan.document)
    written = write_rewrite(plan, rng=generator_for(run.seed, "tea-a", Stage.WRITE))
    assert plan.errors
    assert list(written.rewrite.final_steps) != [step.text for step in plan.steps]
