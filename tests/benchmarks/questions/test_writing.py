"""Questions by a text model: recorded calls, a budget, one repair, failures shown."""

import json
import re
from collections import Counter
from decimal import Decimal

import pytest

from annotation.models import JobStatus, JobStop
from benchmarks.models import QuestionState
from benchmarks.services.questions.sets import (
    QuestionSetRequest,
    resume_questions,
    start_questions,
)
from benchmarks.services.questions.work import work_on_question_sets
from generation.models import TextEndpoint
from tests.benchmarks.answering_server import AnsweringServer, words_of
from tests.benchmarks.asked import model
from tests.benchmarks.questions.made import questions_made, questions_worked_on

pytestmark = pytest.mark.django_db(transaction=True)
ASKS = {
    "confirm": "Did I do what was asked for with {thing}?",
    "decoy": "Did anything go wrong for me with {thing}?",
    "detect": "Did I manage {thing} {number} properly?",
    "explain": "What happened to me with {thing}, and why?",
    "detail": "Which way did I take for {thing}?",
}


def pairs_of(body, **changes):
    """Good pairs for what a prompt wants, about the longest word of its step behind the verb."""
    text = words_of(body)
    thing = max(re.search(r"The step: (.+)", text)[1].split()[1:], key=len)
    wanted = re.findall(r"\d\. (\w+): .*?; the answer begins (with (\w+)|neither)", text)
    pairs = []
    for number, (kind, _, polarity) in enumerate(wanted):
        start = f"{polarity}, " if polarity else ""
        question = changes.get(kind, ASKS[kind]).format(
            thing=thing, number=("once", "twice")[number % 2]
        )
        pairs.append({"kind": kind, "question": question, "answer": f"{start}so it was."})
    return json.dumps({"pairs": pairs})


def started(dataset, owner, server, **changes):
    endpoint = TextEndpoint.objects.filter(base_url=server.url).first() or model(
        server, owner, name=f"Writer {TextEndpoint.objects.count()}"
    )
    request = QuestionSetRequest(
        name="By a model", source=dataset.public_id, writer=endpoint.public_id, **changes
    )
    return start_questions(request=request, actor=owner)


def test_model_is_asked_once_per_step_and_never_paid_twice(sample, owner):
    with AnsweringServer(answers=pairs_of) as server:
        made = questions_worked_on(*started(sample, owner, server))
        paid = Counter(server.paid)
        again = questions_worked_on(*started(sample, owner, server))

    assert made.written_by == "Writer 0"
    assert not made.questions.filter(state=QuestionState.FAILED).exists()
    assert set(made.questions.values_list("author", flat=True)) == {"model"}
    assert set(paid.values()) == {1}
    assert len(server.asked) == len(paid)
    first, second = (
        list(row.questions.values_list("sample", "kind", "question", "answer"))
        for row in (made, again)
    )
    assert first == second
    templates = questions_made(sample, owner)
    by_template = templates.questions.values_list("position", "sample", "kind", "polarity")
    assert list(made.questions.values_list("position", "sample", "kind", "polarity")) == list(
        by_template
    )


def test_pair_that_fails_a_check_is_asked_for_once_more_and_then_shown_as_failed(sample, owner):
    def answers(body):
        if "These were not good" in words_of(body):
            # The confirmation is mended, the details stay without a thing.
            return pairs_of(body, detail="Which way?")
        return pairs_of(body, confirm="Was the {thing} correct", detail="Which way?")

    with AnsweringServer(answers=answers) as server:
        made = questions_worked_on(*started(sample, owner, server))
        asked = [words_of(one.body) for one in server.asked]

    assert any("does not end with its one question mark" in words for words in asked)
    failed = made.questions.filter(state="failed").exclude(kind="detail")
    assert list(failed.values_list("question", "fault")) == []
    fault = made.questions.filter(state="failed").first().fault
    assert "names no thing of the step" in fault
    assert "not in the first person" in fault
    steps = made.questions.order_by().values("sample").distinct().count()
    repairs = sum("These were not good" in words for words in asked)
    assert repairs <= steps


def test_budget_stops_it_and_more_money_lets_it_go_on(sample, owner):
    with AnsweringServer(answers=pairs_of) as server:
        endpoint = model(server, owner, name="Dear", price_in=Decimal(1), price_out=Decimal(1000))
        request = QuestionSetRequest(
            name="By a model", source=sample.public_id, writer=endpoint.public_id, budget_usd=2.0
        )
        question_set, job_ids = start_questions(request=request, actor=owner)
        work_on_question_sets(job_ids=job_ids)

        question_set.refresh_from_db()
        assert (question_set.job.status, question_set.job.stop_reason) == (
            JobStatus.FAILED, JobStop.BUDGET_SPENT,
        )  # fmt: skip
        assert not question_set.is_made
        job_ids = resume_questions(question_set=question_set, actor=owner, budget_usd=10_000)
        made = questions_worked_on(question_set, job_ids)
    assert made.is_made
    assert set(Counter(server.paid).values()) == {1}


def test_model_that_only_refuses_leaves_every_question_failed(sample, owner):
    with AnsweringServer(answers=pairs_of, fates=("refuse",)) as server:
        made = questions_worked_on(*started(sample, owner, server))

    assert made.is_made
    assert made.questions.exclude(state="failed").count() == 0
