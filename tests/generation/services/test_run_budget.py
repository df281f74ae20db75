"""A run that its budget stopped is given more and goes on; what was answered is not paid again."""

import json
import re
from functools import partial

import pytest
from django.core.exceptions import ValidationError

from annotation.models import AuditEntry, JobStatus
from generation import launch
from generation.backends.retrying import RetryPolicy
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.models import Run, RunTake, TakeRewrite, TextCall
from generation.services.run_work import work_on_takes
from generation.services.runs import cancel_run, create_run, raise_budget
from generation.services.texts.asker import TextAsker
from generation.services.texts.run_models import asker_of
from tests.fakes.openai_server import OpenAiServer
from tests.generation.tea import TEA_STEPS, request_for
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db(transaction=True)
QUICK = RetryPolicy(max_attempts=2, first_pause_s=0.01, max_pause_s=0.05)
WRITING = [Stage.PLAN, Stage.CORRECT, Stage.WRITE]


@pytest.fixture(autouse=True)
def one_by_one(settings):
    """Let the takes be worked on in turn, so that it is known which of them is stopped."""
    settings.TAKES_AT_ONCE = 1


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(
        "generation.services.texts.run_models.TextAsker", partial(TextAsker, policy=QUICK)
    )


@pytest.fixture
def server():
    rows = [
        {"old": index, "new": index, "mod": "u", "etype": None, "eid": None, "cid": None}
        for index in range(len(TEA_STEPS))
    ]
    text = json.dumps({"final_steps": list(TEA_STEPS), "meta": rows})
    with OpenAiServer([{"do": "answer", "text": text}]) as running:
        yield running


def work_on(job_ids):
    work_on_takes(job_ids=job_ids)


def launched(dataset, server, budget_usd):
    options = RunOptions(writer=make_endpoint(server.url).public_id, budget_usd=budget_usd)
    return create_run(
        request=request_for(dataset, stages=WRITING, options=options.to_dict()), actor=None
    )


def states(run):
    return sorted(run.run_takes.values_list("job__status", flat=True))


def price_of_next(run):
    """Return what the next request of a stopped run can cost, as its failed take says."""
    reason = run.run_takes.get(job__status="failed").job.error
    return float(re.search(r"can cost \$(\d+\.\d+)", reason).group(1))


def test_run_resumes_where_it_was_with_a_higher_budget(tea_dataset, owner, server):
    made = launched(tea_dataset, server, 0.01)
    work_on(made.job_ids)
    assert states(made.run) == ["cancelled", "cancelled", "failed"]

    # Enough for one request and not for what it costs and another.
    work_on(raise_budget(run=made.run, budget_usd=price_of_next(made.run) + 0.001, actor=owner))
    assert states(made.run) == ["cancelled", "done", "failed"]
    job_ids = raise_budget(run=made.run, budget_usd=5.0, actor=owner)
    work_on(job_ids)

    made.run.refresh_from_db()
    assert (states(made.run), len(job_ids)) == (["done"] * 3, 2)
    assert (made.run.options["budget_usd"], made.run.cancelled_at) == (5.0, None)
    assert TakeRewrite.objects.count() == len(server.asked) == TextCall.objects.count() == 3
    assert set(TextCall.objects.values_list("status", flat=True)) == {"answered"}
    entry = AuditEntry.objects.filter(action="run.budget").latest("pk")
    assert (entry.detail["budget_usd"], entry.detail["takes"]) == (5.0, 2)


def test_resumed_take_reads_its_recorded_answers(tea_dataset, owner, server):
    good = server.acts[0]
    server.acts = [{"do": "not_json"}, good]
    made = launched(tea_dataset, server, 0.01)
    RunTake.objects.filter(run=made.run).exclude(take__uid="tea-a").delete()
    work_on(made.job_ids[:1])
    # The first answer is paid for and of no use; the money is gone before the second.
    work_on(raise_budget(run=made.run, budget_usd=price_of_next(made.run) + 0.001, actor=owner))
    assert (states(made.run), len(server.asked)) == (["failed"], 1)

    work_on(raise_budget(run=made.run, budget_usd=5.0, actor=owner))

    assert (states(made.run), len(server.asked)) == (["done"], 2)
    statuses = TextCall.objects.order_by("pk").values_list("status", flat=True)
    assert list(statuses) == ["unusable", "answered"]


def test_run_stopped_by_hand_resumes_too_and_other_failures_stay(tea_dataset, owner, server):
    made = launched(tea_dataset, server, 1.0)
    failed, *_ = made.run.run_takes.order_by("position")
    failed.job.status, failed.job.error = JobStatus.FAILED, "The take has no step."
    failed.job.save()
    cancel_run(run=made.run, actor=owner)

    count = launch.raise_budget(run=made.run, budget_usd=2.0, actor=owner)

    assert count == 2
    assert states(made.run).count("failed") == 1


@pytest.mark.parametrize(
    ("before", "wanted", "message"),
    [
        (1.0, 1.0, "The budget is \\$1.00; expected more than that"),
        (1.0, float("inf"), "expected more than that"),
        (1.0, float("nan"), "expected more than that"),
        (None, 5.0, "has no budget"),
    ],
)
def test_budget_only_grows(tea_dataset, owner, server, before, wanted, message):
    made = launched(tea_dataset, server, before)

    with pytest.raises(ValidationError, match=message):
        raise_budget(run=made.run, budget_usd=wanted, actor=owner)

    made.run.refresh_from_db()
    assert made.run.options["budget_usd"] == before


def test_budget_that_is_raised_while_a_take_is_worked_on_counts_for_that_take(
    tea_dataset, owner, server, monkeypatch
):
    made = launched(tea_dataset, server, 0.01)

    def raised_first(*arguments, **named):
        if Run.objects.get().options["budget_usd"] < 5.0:
            raise_budget(run=made.run, budget_usd=5.0, actor=owner)
        return asker_of(*arguments, **named)

    # The worker has read the options of the take when the budget is raised.
    monkeypatch.setattr("generation.services.stages.write.asker_of", raised_first)
    work_on(made.job_ids)

    assert states(made.run) == ["done"] * 3
