"""An agent answers an item set as a model does: asked once, stored, scored."""

import json
import threading
from http.server import BaseHTTPRequestHandler

import pytest
from a2a.helpers import new_data_part, new_text_part
from a2a.types import Message, Role, Task, TaskState, TaskStatus
from django.core.exceptions import ValidationError
from django.urls import reverse
from starlette.responses import Response

from benchmarks.backends.a2a.messages import read_question, words_of
from benchmarks.backends.a2a.participant import participant_app, participant_card
from benchmarks.backends.a2a.serving import PlainHandler, app_of
from benchmarks.models import AgentCall, AgentEndpoint
from benchmarks.services.agents import agent_at as found_agent
from tests.benchmarks.agents.served import AnsweringAgent, Served, agent_at, yes
from tests.benchmarks.asked import answers_by_key, assessed, small_set
from tests.fakes.http_server import FakeServer, JsonAnswers

pytestmark = pytest.mark.django_db(transaction=True)


def test_agent_answers_an_item_set_and_nothing_is_asked_twice(sample, owner):
    item_set = small_set(sample, owner, item_count=6)
    with AnsweringAgent(yes) as server:
        endpoint = agent_at(server.url, owner)
        first = assessed(item_set, endpoint, owner)
        second = assessed(item_set, endpoint, owner)

    assert (first.kind, first.job.status, first.name) == ("agent", "done", "An agent")
    assert second.name == "An agent (run 2)"
    assert [row[2:] for row in answers_by_key(first)] == [
        ("read", {"answer": "yes", "score": 0.75})
    ] * item_set.item_count
    assert answers_by_key(second) == answers_by_key(first)
    assert len(server.asked) == AgentCall.objects.count() == item_set.item_count
    assert list(first.figures.values_list("measure", "value")) == list(
        second.figures.values_list("measure", "value")
    )


class OddAgent(Served, PlainHandler):
    """Answers with the message or task that `reply` makes of the id of a question."""

    def __init__(self, reply):
        self.reply, self.sent = reply, []

    def app_at(self, url):
        card = participant_card(name="Odd", version="1", url=url, takes_pictures=True)
        return app_of(card, self)

    async def on_message_send(self, params, context):
        self.sent.append(params.message)
        return self.reply(read_question(params.message)[0])


def said(*parts):
    return Message(role=Role.ROLE_AGENT, message_id="reply", parts=parts)


def answer(question_id, words="yes"):
    return new_data_part({"question_id": question_id, "answer": words, "score": 0.5})


def failed_task(question_id):
    status = TaskStatus(state=TaskState.TASK_STATE_FAILED, message=said(new_text_part("no time")))
    return Task(id="t", context_id="c", status=status)


GIVEN_UP = threading.Event()


def late(question_id):
    GIVEN_UP.wait(60)
    return said(answer(question_id))


@pytest.mark.parametrize(
    ("reply", "status", "reason"),
    [
        (late, "failed", "timed out: no answer within 1 s"),
        (lambda _: said(answer("0" * 32)), "malformed",
         "it answers another question: its question_id is not the one sent"),
        (lambda it: said(answer(it), answer(it, "no")), "malformed",
         "it answers 2 times, and differently; expected one answer"),
        (lambda it: said(answer(it), answer(it)), "read", ""),
        (lambda it: said(new_text_part("Yes.")), "read", ""),
        (lambda it: said(new_text_part("I would have to think about that.")), "malformed",
         "says none of the choices clearly: 'I would have to think about that.'"),
        (lambda it: said(), "malformed", "the answer has no text"),
        (lambda it: said(new_text_part("y" * 10_000_000)), "failed",
         "rejected: its answer has more than 1,500,000 bytes"),
        (failed_task, "failed", "rejected: its task ended as failed: no time"),
    ],
)  # fmt: skip
def test_every_reply_of_an_agent_has_a_stated_outcome(sample, owner, reply, status, reason):
    item_set = small_set(sample, owner, item_count=1)
    GIVEN_UP.clear()
    with OddAgent(reply) as server:
        endpoint = agent_at(server.url, owner, timeout_s=1 if reply is late else 60)
        assessment = assessed(item_set, endpoint, owner)
        GIVEN_UP.set()

    [row] = assessment.answers.all()
    assert (row.status, row.reason) == (status, reason)
    assert len(server.sent) == 1


NOTHING = "rejected: the agent reports an error, or nothing of the protocol: "


class RawAgent(Served):
    """Answers each message with the same bytes, whatever the protocol says."""

    def __init__(self, status, body, **headers):
        self.response, self.sent_count = Response(body, status, headers), 0

    def app_at(self, url):
        card = participant_card(name="Raw", version="1", url=url, takes_pictures=True)
        cards = participant_app(card, yes)

        async def app(scope, receive, send):
            is_message = scope["method"] == "POST"
            self.sent_count += is_message
            await (self.response if is_message else cards)(scope, receive, send)

        return app


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (RawAgent(200, b""),
         f"{NOTHING}JSON Decode Error: Expecting value: line 1 column 1 (char 0)"),
        (RawAgent(200, b"<html>Yes.</html>"),
         f"{NOTHING}JSON Decode Error: Expecting value: line 1 column 1 (char 0)"),
        (RawAgent(200, b"[1]"),
         f"{NOTHING}Invalid JSON-RPC response: expected an object, got list"),
        (RawAgent(200, b'{"jsonrpc": "2.0", "id": "1"}'),
         f"{NOTHING}Invalid JSON-RPC response: it has neither 'result' nor 'error'"),
        (RawAgent(200, b'{"jsonrpc": "2.0", "id": "1", "result": {}}'),
         "rejected: its answer is not of the protocol: Response has neither task nor message"),
        (RawAgent(302, b"", location="http://10.0.0.1/a2a/"),
         "rejected: it sends us to another address; expected an answer there"),
    ],
)  # fmt: skip
def test_answer_outside_the_protocol_has_a_stated_outcome(sample, owner, raw, reason):
    item_set = small_set(sample, owner, item_count=1)
    with raw as server:
        assessment = assessed(item_set, agent_at(server.url, owner), owner)

    [row] = assessment.answers.all()
    assert (row.status, row.reason) == ("failed", reason)
    assert server.sent_count == 1


class Redirecting(FakeServer):
    """Sends every request on to another address."""

    def __init__(self, target):
        self.target = target

    @property
    def handler_class(self):
        return RedirectingHandler


class RedirectingHandler(JsonAnswers, BaseHTTPRequestHandler):
    def do_GET(self):
        self.send(302, {}, {"location": self.fake.target + self.path})


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("https://elsewhere.example/a2a/", "which is another server than"),
        ("http://10.0.0.1/a2a/", "which is another server than"),
        ("http://169.254.169.254/a2a/", "which is another server than"),
    ],
)
def test_card_may_name_no_other_server(administrator, address, words):
    with (
        AnsweringAgent(yes, card_url=address) as server,
        pytest.raises(ValidationError, match=words),
    ):
        found_agent(address=server.url, actor=administrator)

    assert not AgentEndpoint.objects.exists()
    assert server.asked == []


def test_redirect_of_a_card_is_not_followed(administrator):
    with (
        AnsweringAgent(yes) as target,
        Redirecting(target.url) as server,
        pytest.raises(ValidationError, match="sends us to another address"),
    ):
        found_agent(address=server.url, actor=administrator)

    assert not AgentEndpoint.objects.exists()


def test_researcher_may_name_only_listed_hosts(owner, settings):
    with AnsweringAgent(yes) as server:
        with pytest.raises(ValidationError, match="Researchers may use only these hosts: none"):
            found_agent(address=server.url, actor=owner)
        settings.AGENT_HOSTS = [server.url.removeprefix("http://")]

        endpoint = found_agent(address=server.url, actor=owner)

    assert (endpoint.owner, endpoint.model_name) == (owner, "Stub 1.2")


def test_messages_tell_neither_truth_nor_names(sample, owner):
    item_set = small_set(sample, owner, item_count=12)
    planted = {"leak": "planted-gold"}
    for item in item_set.items.all():
        item.truth = {**item.truth, **planted}
        item.groups = {**item.groups, **planted}
        item.recording = "planted-file.mp4"
        item.save()
    sample.name = "planted-source"
    sample.save()
    with OddAgent(lambda it: said(answer(it))) as server:
        assessed(item_set, agent_at(server.url, owner), owner)

    sent = "".join(str(message) + words_of(message.parts) for message in server.sent)
    assert len(server.sent) == item_set.item_count
    assert "planted" not in sent
    assert {part.filename for message in server.sent for part in message.parts} == {""}
    assert json.dumps(item_set.public_id) not in sent


def test_agent_is_added_tested_and_asked_over_the_api(sample, administrator, administrator_client):
    item_set = small_set(sample, administrator, item_count=2)
    with AnsweringAgent(yes) as server:
        added = administrator_client.post(
            "/api/v1/agent-endpoints/",
            {"name": "Mine", "base_url": server.url, "api_key": "k", "price_per_question": "0.01"},
            content_type="application/json",
        ).json()
        tested = administrator_client.post(f"/api/v1/agent-endpoints/{added['id']}/test/").json()
        form = administrator_client.get(reverse("item-set", args=[item_set.public_id]))
        ask = {"endpoint": added["id"], "budget_usd": 1}
        price = administrator_client.post(
            f"/api/v1/item-sets/{item_set.public_id}/ask/price/", ask, "application/json"
        ).json()

    assert (added["model_name"], added["has_key"], tested["is_ok"]) == ("Stub 1.2", True, True)
    assert "api_key" not in added
    assert (price["request_count"], price["usd"]) == (2, 0.02)
    assert f'<option value="{added["id"]}">Mine</option>' in form.content.decode()
