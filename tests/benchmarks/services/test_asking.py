"""Models that are asked item by item: every answer ends in a status and is paid for once."""

import json
from collections import Counter
from importlib import import_module

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import Sum

from annotation.models import JobStatus
from annotation.services.records.jobs import requeue_jobs
from benchmarks.selectors.tables import table_of
from benchmarks.services.assessment_work import HOPELESS, work_on_assessments
from benchmarks.services.assessments import (
    AssessmentAtWorkError,
    cancel_assessment,
    delete_assessment,
    reask_failed,
    resume_assessment,
)
from generation.models import TextCall
from generation.services.calls import asker as paid_asker
from tests.benchmarks.answering_server import AnsweringServer, step_answer, words_of
from tests.benchmarks.asked import (
    answers_by_key,
    assessed,
    call_count,
    model,
    read_again,
    small_set,
    started,
)
from tests.benchmarks.made import figures_of
from tests.fakes.openai_server import OpenAiServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quick_retries():
    """Pauses between attempts take no time."""
    object.__setattr__(paid_asker.DEFAULT_POLICY, "first_pause_s", 0.001)
    yield
    object.__setattr__(paid_asker.DEFAULT_POLICY, "first_pause_s", 1.0)


def test_assessment_stops_after_twenty_failures_in_a_row(sample, owner):
    made = small_set(sample, owner, item_count=HOPELESS + 10)
    with OpenAiServer([{"do": "reject"}]) as server:
        done = assessed(made, model(server, owner), owner)

    assert len(server.asked) == HOPELESS
    assert (done.job.status, done.frozen_at) == (JobStatus.FAILED, None)
    assert "the first 20 items all failed: rejected" in done.job.error


@pytest.mark.parametrize(
    ("task", "text", "reason"),
    [
        ("describe_mistake", r'{"description": "tea\u0000 spilt"}', "cannot be kept"),
        ("describe_mistake", r'{"description": "tea \ud83d spilt"}', "cannot be kept"),
        ("step_mistakes", '{"answer": "yes", "score": 1%s}' % ("0" * 400), "expected a number"),
        (
            "anomaly",
            '{"intervals": [{"start_s": 0, "end_s": 1%s, "number": 1}]}' % ("0" * 400),
            "a finite number",
        ),
    ],
)
def test_replies_that_cannot_be_stored_are_malformed_and_stop_nothing(
    sample, owner, task, text, reason
):
    made = small_set(sample, owner, task, item_count=2)
    with OpenAiServer([{"do": "answer", "text": text}]) as server:
        done = assessed(made, model(server, owner), owner)

    assert (done.job.status, done.counts["malformed"]) == (JobStatus.DONE, made.item_count)
    assert all(reason in row.reason for row in done.answers.all())


def test_only_what_failed_is_asked_again(sample, owner):
    made = small_set(sample, owner, item_count=12)
    good = {"do": "answer", "text": '{"answer": "yes", "score": 1}'}
    with OpenAiServer([good, {"do": "reject"}, good, {"do": "not_json"}, good]) as server:
        done = assessed(made, model(server, owner), owner)
        before = answers_by_key(done)
        failed = [row[0] for row in before if row[2] == "failed"]
        asked = len(server.asked)
        work_on_assessments(job_ids=reask_failed(assessment=done, actor=owner))
        again = len(server.asked) - asked
        nothing = reask_failed(assessment=read_again(done), actor=owner)

    after = answers_by_key(done)
    assert (len(failed), again, nothing) == (1, 1, [])
    assert [row for row in after if row[0] not in failed] == [
        row for row in before if row[0] not in failed
    ]
    assert read_again(done).counts == {
        "read": 11, "malformed": 1, "refused": 0, "cut_off": 0, "failed": 0, "missing": 0,
    }  # fmt: skip


def test_repeats_are_asked_and_another_assessment_reuses_paid_calls(sample, owner):
    made = small_set(sample, owner, item_count=6)
    with AnsweringServer(answers=step_answer) as server:
        endpoint = model(server, owner)
        first = assessed(made, endpoint, owner, repeats=3)
        asked = len(server.asked)
        second = assessed(made, endpoint, owner, repeats=3)

    assert asked == len(server.asked) == 18 == call_count()
    assert answers_by_key(first) == answers_by_key(second)
    assert first.counts["read"] == 18
    assert figures_of(first) == figures_of(second)


def test_budget_stops_and_a_higher_one_continues(sample, owner):
    made = small_set(sample, owner, item_count=10)
    with AnsweringServer(answers=step_answer) as server:
        endpoint = model(server, owner)
        stopped = assessed(made, endpoint, owner, budget_usd=0.02)
        paid = len(server.paid)
        with pytest.raises(Exception, match="expected more than"):
            resume_assessment(assessment=stopped, actor=owner, budget_usd=0.01)
        job_ids = resume_assessment(assessment=stopped, actor=owner, budget_usd=5.0)
        work_on_assessments(job_ids=job_ids)

    assert stopped.job.status == JobStatus.FAILED
    assert "budget" in stopped.job.error
    assert 0 < paid < 10
    assert read_again(stopped).counts["read"] == 10
    assert set(Counter(server.paid).values()) == {1}


def test_a_budget_that_was_raised_meanwhile_is_not_lowered_again(sample, owner):
    made = small_set(sample, owner, item_count=10)
    with OpenAiServer([{"do": "reject"}]) as server:
        stopped = assessed(made, model(server, owner), owner, budget_usd=0.02)
    # As two people have it on their pages.
    mine, theirs = read_again(stopped), read_again(stopped)
    type(stopped).objects.filter(pk=stopped.pk).update(
        settings={**stopped.settings, "reading_versions": ["old"]}
    )
    reasking = read_again(stopped)

    resume_assessment(assessment=mine, actor=owner, budget_usd=20.0)
    with pytest.raises(ValidationError, match=r"expected more than 20\.0"):
        resume_assessment(assessment=theirs, actor=owner, budget_usd=10.0)
    reask_failed(assessment=reasking, actor=owner)

    now = read_again(stopped).settings
    assert now["budget_usd"] == 20.0
    assert len(now["reading_versions"]) == 2


def test_a_cancelled_assessment_goes_on_where_it_was(sample, owner):
    made = small_set(sample, owner, item_count=10)
    with AnsweringServer() as server:

        def answer(body):
            if len(server.paid) == 4:
                cancel_assessment(assessment=assessment, actor=owner)
                # The server's thread has one of its own, which nobody else gives back.
                connection.close()
            return step_answer(body)

        server.answers = answer
        assessment, job_ids = started(made, model(server, owner), owner)
        with pytest.raises(AssessmentAtWorkError):
            delete_assessment(assessment=assessment, actor=owner)
        work_on_assessments(job_ids=job_ids)
        stopped = read_again(assessment)
        at_cancel = len(server.paid)
        work_on_assessments(job_ids=resume_assessment(assessment=stopped, actor=owner))

    done = read_again(assessment)
    assert (stopped.job.status, at_cancel) == (JobStatus.CANCELLED, 4)
    assert (done.job.status, done.counts["read"]) == (JobStatus.DONE, 10)
    assert set(Counter(server.paid).values()) == {1}


def test_working_twice_changes_nothing(sample, owner):
    made = small_set(sample, owner, item_count=8)
    with AnsweringServer(answers=step_answer, bad_share=0.3) as server:
        done = assessed(made, model(server, owner), owner)
        before = answers_by_key(done), figures_of(done)
        asked = len(server.asked)
        requeue_jobs(job_ids=[done.job_id], with_done=True)
        work_on_assessments(job_ids=[done.job_id])

    assert len(server.asked) == asked
    assert (answers_by_key(done), figures_of(done)) == before


def test_usage_is_stored_once_answers_are_final(sample, owner):
    made = small_set(sample, owner, item_count=6)
    with AnsweringServer(answers=step_answer) as server:
        done = assessed(made, model(server, owner), owner)
    sums = TextCall.objects.aggregate(
        usd=Sum("price"), tokens_in=Sum("tokens_in"), tokens_out=Sum("tokens_out")
    )
    [row] = [row for row in table_of(made).rows() if row.label.value == "Asked"]

    assert {name: done.usage[name] for name in sums} == {**sums, "usd": float(sums["usd"])}
    assert (row.cells["cost_usd"].value, row.cells["tokens"].value) == (
        done.usage["usd"],
        sums["tokens_in"] + sums["tokens_out"],
    )
    # What was finished before it was stored is filled in once.
    done.usage = {}
    done.save()
    import_module("benchmarks.migrations.0005_fill_assessment_usage").fill(apps, None)
    assert read_again(done).usage["usd"] == float(sums["usd"])


def test_the_table_says_who_answered_when_and_how(sample, owner):
    made = small_set(sample, owner, item_count=8)
    with AnsweringServer(answers=step_answer) as server:
        done = assessed(made, model(server, owner), owner)
    table = table_of(made)
    [row] = [row for row in table.rows() if row.label.value == "Asked"]

    assert row.label.notes == (
        f"Asked, {done.frozen_at:%Y-%m-%d}; model gpt-x at 127.0.0.1; text only: it got no"
        " pictures; temperature 0.0; answers read by rule 2.",
    )
    assert made.content_hash in table.notes[0]
    assert row.cells["read"].value == 8


def test_endpoint_of_another_user_is_refused(sample, owner, outsider):
    made = small_set(sample, owner, item_count=4)
    with AnsweringServer(answers=step_answer) as server:
        endpoint = model(server, outsider)
        with pytest.raises(Exception, match="You have no text model"):
            started(made, endpoint, owner)
    assert server.asked == []


def test_a_stream_is_asked_in_order_with_what_was_answered_before(sample, owner):
    made = small_set(sample, owner, "speak_or_stay_silent", item_count=10)
    with AnsweringServer() as server:
        said = iter(range(1000))
        server.answers = lambda body: json.dumps(
            {"decision": "speak", "text": f"Word {next(said)} of mine."}
        )
        done = assessed(made, model(server, owner), owner)
        prompts = [words_of(asked.body) for asked in server.asked]

    rows = done.answers.select_related("item").order_by("pk")
    assert done.counts["read"] == made.item_count
    for place, (prompt, answer) in enumerate(zip(prompts, rows, strict=True)):
        earlier = [
            row.value["text"]
            for row in list(rows)[:place]
            if row.item.sequence == answer.item.sequence
        ]
        later = [row.value["text"] for row in list(rows)[place:]]
        assert [text for text in earlier if text not in prompt] == []
        assert [text for text in later if text in prompt] == []
