"""Ways to ask a model: each is a row of its own, and each of its requests is recorded."""

import csv
import json
from decimal import Decimal
from importlib import import_module
from io import StringIO

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db.models import Sum

from benchmarks.engine.error_classes import CORRECT
from benchmarks.engine.task import AnswerStatus
from benchmarks.engine.tasks.error_types.asking import MISTAKE
from benchmarks.models import AgentCall, AnswerStage, Assessment
from benchmarks.selectors.tables import table_of
from benchmarks.services.asking_prices import asking_price
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import AskRequest, reask_failed
from generation.models import TextCall
from generation.services.calls import asker as paid_asker
from tests.benchmarks.agents.served import AnsweringAgent, agent_at
from tests.benchmarks.answering_server import AnsweringServer, coin, words_of
from tests.benchmarks.asked import assessed, call_count, model, read_again, small_set, started
from tests.benchmarks.sample_answers import answer_of, schema_of
from tests.fakes.openai_server import OpenAiServer

pytestmark = pytest.mark.django_db(transaction=True)
TWO_STAGE, NAME_ONLY = "zero-two-stage-room", "zero-check-list-name"


@pytest.fixture(autouse=True)
def quick_retries():
    """Pauses between attempts take no time."""
    object.__setattr__(paid_asker.DEFAULT_POLICY, "first_pause_s", 0.001)
    yield
    object.__setattr__(paid_asker.DEFAULT_POLICY, "first_pause_s", 1.0)


@pytest.fixture
def steps(sample, owner):
    return small_set(sample, owner, "error_types", item_count=6)


def in_two_stages(body):
    """Say of half the steps that they are right, and of the others that they are not, and what."""
    choices = schema_of(body)["answer"]["enum"]
    is_first = choices == [CORRECT, MISTAKE]
    answer = coin(body, *choices) if is_first else "Wrong object"
    return json.dumps({"reasoning": f"Seen: {len(words_of(body))}", "answer": answer})


def test_each_way_is_a_row_of_its_own_with_its_name(steps, owner):
    with AnsweringServer(answers=lambda body: "Omission") as server:
        endpoint = model(server, owner)
        usual = assessed(steps, endpoint, owner)
        listed = assessed(steps, endpoint, owner, variant=NAME_ONLY)
        again = assessed(steps, endpoint, owner, variant=NAME_ONLY)

    assert [row.name for row in (usual, listed, again)] == [
        "Asked, zero-shot, room to reason",
        "Asked, zero-shot, check-list, name only",
        "Asked, zero-shot, check-list, name only (run 2)",
    ]
    assert (usual.settings["variant"], listed.settings["variant"]) == (
        "zero-plain-room", NAME_ONLY,
    )  # fmt: skip
    rows = {row.label.value for row in table_of(steps).rows()}
    assert {usual.name, listed.name, again.name} <= rows
    # The published reader reads a bare name, which only this way asks for.
    assert {row.value["published"] for row in listed.answers.all()} == {"Omission"}
    assert call_count() == 12


def test_two_requests_are_two_recorded_calls_and_the_second_has_the_first_reply(steps, owner):
    with AnsweringServer(answers=in_two_stages) as server:
        done = assessed(steps, model(server, owner), owner, variant=TWO_STAGE)
        prompts = [words_of(asked.body) for asked in server.asked]

    two = [answer for answer in done.answers.all() if answer.stages.exists()]
    one = [answer for answer in done.answers.all() if not answer.stages.exists()]
    assert (done.counts["read"], len(two) + len(one)) == (6, 6)
    assert two
    assert one
    assert {answer.value["answer"] for answer in two} == {"Wrong object"}
    assert {answer.value["answer"] for answer in one} == {CORRECT}
    assert len(prompts) == call_count() == 6 + len(two)
    for answer in two:
        [stage] = answer.stages.all()
        assert json.loads(stage.call.text)["answer"] == MISTAKE
        assert stage.call.text in answer.call.prompt
        assert answer.seconds == pytest.approx(stage.call.seconds + answer.call.seconds)
    sums = TextCall.objects.aggregate(Sum("tokens_in"), Sum("price"), Sum("seconds"))
    assert done.usage["tokens_in"] == sums["tokens_in__sum"]
    assert Decimal(done.usage["usd"]) == pytest.approx(sums["price__sum"])
    assert done.usage["seconds"] == pytest.approx(sums["seconds__sum"])


def test_seconds_of_an_answer_are_in_table_page_and_api(steps, owner, owner_client):
    with AnsweringServer(answers=in_two_stages) as server:
        done = assessed(steps, model(server, owner), owner, variant=TWO_STAGE)
    each = sorted(done.answers.values_list("seconds", flat=True))

    middle, slow = (each[2] + each[3]) / 2, each[4] + 0.75 * (each[5] - each[4])
    assert done.usage["seconds_median"] == pytest.approx(middle)
    assert done.usage["seconds_p95"] == pytest.approx(slow)
    table = owner_client.get(f"/benchmarks/sets/{steps.public_id}/table/csv/").content.decode()
    [row] = [row for row in csv.DictReader(table.splitlines()) if row["label"] == done.name]
    assert float(row["seconds_median"]) == pytest.approx(middle, abs=1e-6)
    assert float(row["seconds_p95"]) == pytest.approx(slow, abs=1e-6)
    page = owner_client.get(f"/benchmarks/assessments/{done.public_id}/").content.decode()
    assert "Seconds per answer" in page
    answer = owner_client.get(f"/api/v1/assessments/{done.public_id}/").json()
    assert answer["usage"] == done.usage
    rows = owner_client.get(f"/api/v1/assessments/{done.public_id}/answers/").json()
    assert sorted(row["seconds"] for row in rows["results"]) == each
    # What was answered before seconds were stored is filled in once.
    done.answers.update(seconds=None)
    Assessment.objects.filter(pk=done.pk).update(usage={"usd": 0.0})
    import_module("benchmarks.migrations.0020_fill_seconds").fill(apps, None)
    again = read_again(done)
    # Then an answer took one request, as it did before there were more.
    last = sorted(answer.call.seconds for answer in again.answers.select_related("call"))
    assert sorted(again.answers.values_list("seconds", flat=True)) == last
    assert again.usage["seconds_p95"] == pytest.approx(last[4] + 0.75 * (last[5] - last[4]))


def test_an_agent_is_asked_in_two_stages_and_its_calls_are_recorded_once(steps, owner):
    def answer(request):
        choices = request.schema["properties"]["answer"]["enum"]
        is_first = choices == [CORRECT, MISTAKE]
        return json.dumps({"reasoning": "Seen.", "answer": MISTAKE if is_first else "Others"})

    with AnsweringAgent(answer) as server:
        endpoint = agent_at(server.url, owner)
        done = assessed(steps, endpoint, owner, variant=TWO_STAGE)
        again = assessed(steps, endpoint, owner, variant=TWO_STAGE)

    assert done.name == "An agent, zero-shot, two-stage, room to reason"
    assert (done.counts["read"], again.counts["read"]) == (6, 6)
    assert len(server.asked) == AgentCall.objects.count() == 12
    for row in (*done.answers.all(), *again.answers.all()):
        [stage] = row.stages.all()
        assert MISTAKE in stage.agent_call.text
        assert stage.agent_call.text in row.agent_call.prompt
        assert row.seconds == pytest.approx(stage.agent_call.seconds + row.agent_call.seconds)


def test_only_the_second_request_is_sent_again_where_it_failed(sample, owner):
    made = small_set(sample, owner, "error_types", item_count=1)
    said = [json.dumps({"reasoning": "", "answer": answer}) for answer in (MISTAKE, "Others")]
    first, second = ({"do": "answer", "text": text} for text in said)
    with OpenAiServer([first, {"do": "reject"}, second]) as server:
        failed = assessed(made, model(server, owner), owner, variant=TWO_STAGE)
        work_on_assessments(job_ids=reask_failed(assessment=failed, actor=owner))
    done = read_again(failed)

    assert (failed.counts["failed"], len(server.asked), call_count()) == (1, 3, 2)
    [answer] = done.answers.all()
    assert (answer.status, answer.value["answer"]) == (AnswerStatus.READ, "Others")
    assert [stage.call.text for stage in answer.stages.all()] == said[:1]


def test_letters_are_asked_in_two_stages_too(sample, owner):
    letters = {"answers": "letters, in an order of their own for each step"}
    made = small_set(sample, owner, "error_types", item_count=4, settings=letters)

    def answer(body):
        choices = schema_of(body)["answer"]["enum"]
        return json.dumps({"reasoning": "", "answer": choices[0]})

    with AnsweringServer(answers=answer) as server:
        done = assessed(made, model(server, owner), owner, variant=TWO_STAGE)

    # The first stage offers the letter of `correct`, which ends it.
    assert (len(server.asked), AnswerStage.objects.count()) == (4, 0)
    for row in done.answers.select_related("item"):
        assert row.item.payload["options"][row.value["answer"]].startswith(f"{CORRECT}:")


def test_page_of_an_item_and_file_show_all_requests_as_they_were_sent(steps, owner, owner_client):
    with AnsweringServer(answers=in_two_stages) as server:
        done = assessed(steps, model(server, owner), owner, variant=TWO_STAGE)
    answer = next(row for row in done.answers.all() if row.stages.exists())
    [stage] = answer.stages.all()

    page = owner_client.get(f"/benchmarks/sets/{steps.public_id}/items/{answer.item.key}/")
    asked = owner_client.get(f"/api/v1/assessments/{done.public_id}/asked/")

    words = page.content.decode()
    for text in ("Request 1", "Its reply", "Request 2", "Is anything wrong with this step"):
        assert text in words
    lines = [json.loads(line) for line in b"".join(asked.streaming_content).splitlines()]
    [line] = [line for line in lines if line["key"] == answer.item.key]
    assert line["prompt"] == answer.call.prompt
    assert line["stages"] == [
        {
            "system": stage.call.system,
            "prompt": stage.call.prompt,
            "schema": stage.call.schema,
            "raw": stage.call.text,
        }
    ]


def test_price_counts_every_request_that_an_item_may_take(steps, owner):
    with AnsweringServer(answers=in_two_stages) as server:
        endpoint = model(server, owner)

    def price(variant):
        request = AskRequest(endpoint.public_id, variant=variant)
        return asking_price(item_set=steps, request=request, actor=owner)

    one, two = price("zero-plain-room"), price(TWO_STAGE)
    assert (one.request_count, two.request_count, two.item_count) == (6, 12, 6)
    assert two.usd > 2 * one.usd
    assert two.words.startswith("Asked (gpt-x), zero-shot, two-stage, room")


@pytest.mark.parametrize("task", ["error_types", "step_mistakes"])
def test_unknown_way_is_refused_with_the_known_ones(sample, owner, task):
    made = small_set(sample, owner, task, item_count=2)
    with AnsweringServer(answers=answer_of) as server:
        endpoint = model(server, owner)
        known = "zero-plain-room, " if task == "error_types" else "none"
        with pytest.raises(
            ValidationError, match=f"has no variant 'upside-down'; expected {known}"
        ):
            started(made, endpoint, owner, variant="upside-down")
    assert not Assessment.objects.filter(kind="endpoint").exists()


def test_the_way_is_chosen_on_the_page_over_the_api_and_by_the_command(steps, owner, owner_client):
    with AnsweringServer(answers=lambda body: "correct") as server:
        endpoint = model(server, owner)
        page = owner_client.get(f"/benchmarks/sets/{steps.public_id}/").content.decode()
        body = {"endpoint": endpoint.public_id, "variant": NAME_ONLY}
        answer = owner_client.post(
            f"/api/v1/item-sets/{steps.public_id}/ask/", body, content_type="application/json"
        )
        out = StringIO()
        call_command("benchmark", "assess", steps.public_id, "Asked", variant=NAME_ONLY, stdout=out)
        with pytest.raises(CommandError, match="has no variant"):
            call_command("benchmark", "assess", steps.public_id, "Asked", variant="other")

    assert "zero-shot, check-list, name only" in page
    assert (answer.status_code, answer.json()["settings"]["variant"]) == (201, NAME_ONLY)
    assert "Asked, zero-shot, check-list, name only (run 2): done" in out.getvalue()
