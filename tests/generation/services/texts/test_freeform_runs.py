"""Runs whose writer gets no plan: what it claims is stored, judged or not, and published."""

import json
from functools import partial

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from annotation.page_links import provenance_in_words
from generation.backends.retrying import RetryPolicy
from generation.engine.judging.findings import FindingSeverity
from generation.engine.run_options import NO_MODEL, RunOptions
from generation.engine.stages import Stage
from generation.models import JudgeFinding, TakeJudgement, TextCall
from generation.selectors.launching.models import option_faults
from generation.selectors.totals import run_totals
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from generation.services.texts.asker import TextAsker
from tests.fakes.openai_server import OpenAiServer
from tests.generation.tea import TEA_STEPS, request_for
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db(transaction=True)
QUICK = RetryPolicy(max_attempts=2, first_pause_s=0.01, max_pause_s=0.05)
ALL = [Stage.PLAN, Stage.CORRECT, Stage.WRITE, Stage.JUDGE, Stage.PUBLISH]


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(
        "generation.services.texts.run_models.TextAsker", partial(TextAsker, policy=QUICK)
    )


@pytest.fixture
def server():
    with OpenAiServer() as running:
        yield running


def freeform_answer(steps, **changed):
    """Return the steps with some of them done wrongly: text by source index."""
    texts = {int(name.removeprefix("step_")): text for name, text in changed.items()}
    rows = [
        {"source": index, "mod": "we" if index in texts else "u",
         "error_id": "E01" if index in texts else None, "correction_id": None}
        for index in range(len(steps))
    ]  # fmt: skip
    final = [texts.get(index, text) for index, text in enumerate(steps)]
    return {"do": "answer", "text": json.dumps({"final_steps": final, "meta": rows, "del": []})}


def worked(dataset, server, *, stages=ALL, judge=NO_MODEL, **others):
    model = make_endpoint(server.url)
    options = RunOptions(
        writer=model.public_id,
        judge=model.public_id if judge != NO_MODEL else NO_MODEL,
        is_freeform=True,
        **others,
    )
    request = request_for(
        dataset,
        stages=stages,
        takes=dataset.takes.filter(uid="tea-a"),
        options=options.to_dict(),
    )
    run = create_run(request=request, actor=None).run
    work_on_takes(job_ids=[take.job_id for take in run.run_takes.all()])
    run.refresh_from_db()
    return run


def test_freeform_run_has_no_planning_stages_and_publishes_what_the_text_claims(
    tea_dataset, server
):
    server.acts = [freeform_answer(TEA_STEPS, step_0="Fill the kettle with juice")]

    run = worked(tea_dataset, server)

    run_take = run.run_takes.select_related("job", "plan", "judgement").get()
    assert (run_take.job.status, run_take.job.error) == ("done", "")
    assert run.stages == ["write", "judge", "publish"]
    assert (run_take.plan.error_count, run_take.plan.correction_count) == (1, 0)
    assert run_take.plan.document["errors"][0]["type"] == "wrong_execution"
    assert run_take.judgement.status == "ok"
    trace = run.published_dataset.traces.get()
    assert [event.proposed_type for event in trace.events.all()] == ["WE"]
    assert trace.provenance["prompt_version"] == "freeform.v1"
    assert "freeform.v1" in TextCall.objects.get().prompt_version


def test_freeform_run_without_the_judge_keeps_the_text_as_written(tea_dataset, server):
    server.acts = [freeform_answer(TEA_STEPS, step_0="Throw the kettle away")]

    run = worked(tea_dataset, server, stages=[Stage.WRITE, Stage.PUBLISH])

    assert run.stages == ["write", "publish"]
    assert TakeJudgement.objects.count() == 0
    (trace,) = run.published_dataset.traces.all()
    assert trace.steps.get(index=0).text == "Throw the kettle away"


def test_text_with_a_hard_finding_is_published_only_on_request(
    tea_dataset, server, administrator_client, annotator_client
):
    server.acts = [freeform_answer(TEA_STEPS, step_0="Throw the kettle away")]
    run = worked(tea_dataset, server)
    run_take = run.run_takes.get()
    page = reverse("run-detail", args=[run.public_id])
    publish = reverse("run-publish-withheld", args=[run.public_id])

    assert (run_take.job.status, run_take.judgement.hard_left > 0) == ("done", True)
    assert run.published_dataset is None
    assert run_totals(run).texts.withheld_count == 1
    assert "Publish it anyway" in administrator_client.get(page).content.decode()
    text_page = administrator_client.get(reverse("take-text", args=[run.public_id, 0]))
    assert "Not published:" in text_page.content.decode()
    assert annotator_client.post(publish).status_code == 403

    administrator_client.post(publish)
    work_on_takes(job_ids=[run_take.job_id])

    run.refresh_from_db()
    (trace,) = run.published_dataset.traces.all()
    hard_count = run_take.judgement.hard_left
    assert trace.provenance["hard_findings"] == str(hard_count)
    assert f"{hard_count} of them hard" in provenance_in_words(trace.provenance)
    assert run_totals(run).texts.withheld_count == 0
    assert len(server.asked) == 1


def test_run_may_ask_for_texts_with_hard_findings_at_launch(tea_dataset, server):
    server.acts = [freeform_answer(TEA_STEPS, step_0="Throw the kettle away")]

    run = worked(tea_dataset, server, publishes_hard_findings=True)

    assert run.published_dataset.traces.count() == 1


def test_model_repairs_a_freeform_text_and_findings_before_and_after_are_kept(tea_dataset, server):
    mended = {
        "final_steps": ["Fill the kettle with juice", *TEA_STEPS[1:]],
        "meta": [
            {
                "old": index, "new": index, "mod": "u" if index else "e",
                "etype": None if index else "wrong_execution",
                "eid": None if index else "E01", "cid": None,
            }
            for index in range(len(TEA_STEPS))
        ],
    }  # fmt: skip
    server.acts = [
        freeform_answer(TEA_STEPS, step_0="Throw the kettle away"),
        {"do": "answer", "text": json.dumps(mended)},
    ]

    run = worked(tea_dataset, server, judge="model")

    judgement = run.run_takes.get().judgement
    assert (judgement.status, judgement.hard_left) == ("ok", 0)
    found = JudgeFinding.objects.filter(judgement=judgement, is_left=False)
    assert "PREDICATE_CHANGED" in set(found.values_list("code", flat=True))
    assert set(found.values_list("severity", flat=True)) <= set(FindingSeverity)
    assert judgement.document["final_steps"][0] == "Fill the kettle with juice"


def test_answer_that_breaks_the_contract_is_asked_again_and_the_reason_is_kept(tea_dataset, server):
    server.acts = [
        freeform_answer(TEA_STEPS),
        freeform_answer(TEA_STEPS, step_0="Fill the kettle with juice"),
    ]

    run = worked(tea_dataset, server)

    assert run.run_takes.get().rewrite.notes == ["- 0 mistakes; expected 1 to 3"]
    assert len(server.asked) == 2


def test_text_that_breaks_the_contract_three_times_is_judged_and_counted(
    tea_dataset, server, administrator_client
):
    lost = json.loads(freeform_answer(TEA_STEPS, step_0="Fill the kettle with juice")["text"])
    lost = {**lost, "final_steps": lost["final_steps"][:-1], "meta": lost["meta"][:-1]}
    server.acts = [{"do": "answer", "text": json.dumps(lost)}]

    run = worked(tea_dataset, server)

    run_take = run.run_takes.select_related("job", "plan", "judgement", "rewrite").get()
    last = len(TEA_STEPS) - 1
    told = f"source step {last} has no row and no deletion"
    found = JudgeFinding.objects.filter(judgement=run_take.judgement, is_left=False)
    assert (run_take.job.status, len(server.asked)) == ("done", 3)
    assert run_take.rewrite.problems == [told]
    assert next((row.code, row.severity, row.detail) for row in found.order_by("pk")) == (
        "CONTRACT_BROKEN", FindingSeverity.HARD, told,
    )  # fmt: skip
    assert "SOURCE_MISSING" in set(found.values_list("code", flat=True))
    # The rules put the lost step back, so the judged text can be published.
    assert run_take.judgement.document["final_steps"][-1] == TEA_STEPS[-1]
    assert run.published_dataset.traces.count() == 1
    assert run_totals(run).texts.broken_count == 1
    page = administrator_client.get(reverse("take-text", args=[run.public_id, run_take.position]))
    assert f"<li>{told}</li>" in page.content.decode()
    run_page = administrator_client.get(reverse("run-detail", args=[run.public_id]))
    assert "1 breaks the contract" in run_page.content.decode()


def test_rules_cannot_write_freely():
    faults = option_faults(RunOptions(is_freeform=True), [], [])

    assert faults == {
        "writer": (
            "The rules can only write planned mistakes; writing without a plan needs a text model."
        )
    }


def test_freeform_run_needs_to_write(tea_dataset):
    request = request_for(
        tea_dataset, stages=[Stage.PLAN], options=RunOptions("x", is_freeform=True).to_dict()
    )

    with pytest.raises(ValidationError, match="a freeform run needs stage write"):
        create_run(request=request, actor=None)
