"""A stock client of the SDK has an agent assessed, and gets what page and files show."""

import csv
import io
import threading
import time

import httpx
import pytest
from a2a.helpers import new_data_message
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskState,
)
from django.db import connection
from google.protobuf.json_format import MessageToDict

from annotation.analytics.tables.table_writers import TableFormat, write_table
from annotation.models import Job
from benchmarks.management.assessor import StoredSite
from benchmarks.models import AgentCall, AgentTask, Assessment
from benchmarks.selectors.tables import table_of
from benchmarks.services.assessment_work import work_on_assessments
from generation.models import TextCall
from tests.benchmarks.agents.served import AnsweringAgent, agent_at, yes
from tests.benchmarks.agents.served_assessor import (
    ServedAssessor,
    asked,
    assess,
    events_of,
    request_for,
    results_in,
    states_of,
    token_of,
)
from tests.benchmarks.answering_server import AnsweringServer
from tests.benchmarks.asked import model, small_set
from tests.benchmarks.questions.made import questions_frozen, questions_made
from tests.benchmarks.sample_answers import answer_of

pytestmark = pytest.mark.django_db(transaction=True)
ITEMS = 6
# The answer takes that long, and whoever cancels waits for nothing like it.
ANSWER_S, CANCEL_WITHIN_S = 300, 60


class Worker:
    """Works on queued assessments in a thread, as a worker process does."""

    def __enter__(self):
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        return self

    def _work(self):
        while not self._is_over.wait(0.05):
            ids = Job.objects.filter(status="queued", assessment__isnull=False)
            work_on_assessments(job_ids=list(ids.values_list("pk", flat=True)))
        connection.close()

    def __exit__(self, *_):
        self._is_over.set()
        self._thread.join()


@pytest.fixture
def item_set(sample, owner):
    return small_set(sample, owner, item_count=ITEMS)


def test_stock_client_gets_progress_and_the_figures_of_page_and_csv(item_set, owner):
    with AnsweringAgent(yes) as agent, ServedAssessor(StoredSite()) as assessor, Worker():
        agent_at(agent.url, owner)
        events = assess(assessor.url, token_of(owner), request_for(agent.url, item_set))

    results = results_in(events)
    assessment = Assessment.objects.get(kind="agent")
    states = states_of(events)
    assert states[-1] == "COMPLETED"
    assert set(states[:-1]) <= {"SUBMITTED", "WORKING"}
    assert [kind for kind, _ in events].count("artifact_update") == 1
    assert events[-1][1]["metadata"] == {"done": ITEMS, "total": ITEMS}
    assert (results["assessment"], results["counts"]["read"]) == (assessment.public_id, ITEMS)
    assert results["item_set"]["content_hash"] == item_set.content_hash
    names = ("measure", "group", "group_value", "value", "low", "high")
    told = [tuple(row[name] for name in names) for row in results["figures"]]
    assert told == list(assessment.figures.values_list(*names))
    rows = csv.DictReader(io.StringIO(write_table(table_of(item_set), TableFormat.CSV)))
    [line] = [row for row in rows if row["label"] == assessment.name]
    [group] = [it for it in results["table"]["groups"] if it["title"] == "Agents"]
    cells = group["rows"][0]["cells"]
    for column in results["table"]["columns"]:
        value = cells[column["key"]]["value"]
        written = line[column["key"]]
        assert (float(written) if written else None) == value


def test_same_message_joins_its_task_and_a_lost_client_subscribes(item_set, owner):
    with AnsweringAgent(yes) as agent:
        agent_at(agent.url, owner)
        request = request_for(agent.url, item_set)
        with ServedAssessor(StoredSite()) as assessor, Worker():
            first = assess(assessor.url, token_of(owner), request, message_id="one")
            again = assess(assessor.url, token_of(owner), request, message_id="one")
        task = AgentTask.objects.get()

        async def subscribe(client):
            subscribed = client.subscribe(SubscribeToTaskRequest(id=task.task_id))
            events = await events_of(subscribed)
            return events, await client.get_task(GetTaskRequest(id=task.task_id))

        # A server that knows nothing but what is stored.
        with ServedAssessor(StoredSite()) as restarted:
            events, read = asked(restarted.url, token_of(owner), subscribe)

    results = results_in(first)
    assert len(agent.asked) == ITEMS
    assert states_of(again) == states_of(events) == ["COMPLETED"]
    assert again[0][1]["artifacts"][0]["parts"][0]["data"] == results
    assert events[0][1]["artifacts"][0]["parts"][0]["data"] == results
    assert MessageToDict(read)["artifacts"][0]["parts"][0]["data"] == results


def test_cancel_ends_the_task_while_an_answer_is_on_its_way(item_set, owner):
    go_on = threading.Event()

    def slow(request):
        go_on.wait(ANSWER_S)
        return yes(request)

    async def start_and_cancel(client):
        stream = client.send_message(message_of(request))
        task, cancelled_at_s = None, None
        states, cancelled = [], []
        async for event in stream:
            if event.HasField("task"):
                task = event.task.id
            elif event.status_update.status.state:
                states.append(event.status_update.status.state)
            if agent.asked and len(cancelled) == 0:
                cancelled_at_s = time.monotonic()
                cancelled.append(await client.cancel_task(CancelTaskRequest(id=task)))
        taken_s = time.monotonic() - cancelled_at_s
        return MessageToDict(cancelled[0])["status"]["state"], states[-1], taken_s

    with (
        AnsweringAgent(slow) as agent,
        ServedAssessor(StoredSite()) as assessor,
        Worker() as worker,
    ):
        agent_at(agent.url, owner, timeout_s=ANSWER_S)
        request = request_for(agent.url, item_set)
        cancelled, last, taken_s = asked(assessor.url, token_of(owner), start_and_cancel)
        # The worker gives the answer up, or leaving its block would wait for it.
        worker.__exit__()
        go_on.set()

    assert (cancelled, last) == ("TASK_STATE_CANCELED", TaskState.TASK_STATE_CANCELED)
    assert taken_s < CANCEL_WITHIN_S


def message_of(request):
    return SendMessageRequest(message=new_data_message(request, role=Role.ROLE_USER))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"participants": {}}, "participants: expected one role with the address of an agent"),
        ({"more": 1}, "'more' is not known; expected participants and config"),
        ({"config": {"item_set": "none@1"}}, "config.item_set: you have no frozen set 'none@1'"),
        ({"config": {"item_set": "x", "pictures": "two"}},
         "config.pictures is 'two'; expected a whole number"),
        ({"config": {"item_set": "x", "seed": 1}},
         "config.seed is not known; expected item_set, pictures, picture_side, repeats, limit,"
         " concurrency, timeout_s, budget_usd, judges, variant"),
    ],
)  # fmt: skip
def test_request_with_a_problem_is_rejected_with_its_words(item_set, owner, changes, problem):
    with ServedAssessor(StoredSite()) as assessor:
        request = {**request_for("http://127.0.0.1:9", item_set), **changes}
        events = assess(assessor.url, token_of(owner), request)

    assert states_of(events) == ["REJECTED"]
    assert problem in events[0][1]["status"]["message"]["parts"][0]["text"].split("\n")
    assert not Assessment.objects.filter(kind="agent").exists()


def test_others_learn_nothing_of_a_task(item_set, owner, outsider, annotator):
    with AnsweringAgent(yes) as agent, ServedAssessor(StoredSite()) as assessor, Worker():
        agent_at(agent.url, owner, is_shared=True)
        assess(assessor.url, token_of(owner), request_for(agent.url, item_set))
        task = AgentTask.objects.get()

        async def read(client):
            return MessageToDict(await client.get_task(GetTaskRequest(id=task.task_id)))

        with pytest.raises(Exception, match="Task not found"):
            asked(assessor.url, token_of(outsider), read)
        refused = assess(assessor.url, token_of(outsider), request_for(agent.url, item_set))
        statuses = [
            httpx.post(f"{assessor.url}/a2a/", headers=headers, json={}, timeout=60).status_code
            for headers in ({}, {"Authorization": f"Bearer {token_of(annotator)}"},
                            {"Authorization": f"Bearer {'0' * 40}"})
        ]  # fmt: skip
        cards = [
            httpx.get(f"{assessor.url}/.well-known/{name}.json", timeout=60).json()["name"]
            for name in ("agent-card", "agent")
        ]

    assert states_of(refused) == ["REJECTED"]
    assert statuses == [401, 401, 401]
    assert cards == ["PIE-V assessor", "PIE-V assessor"]


SENT = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("ListTasks", {"pageSize": -1}, "pageSize is -1; expected 1 to 100"),
        ("ListTasks", {"pageSize": 0}, "pageSize is 0; expected 1 to 100"),
        ("ListTasks", {"pageSize": 101}, "pageSize is 101; expected 1 to 100"),
        ("ListTasks", {"historyLength": -1}, "historyLength is -1; expected 0 or more"),
        ("ListTasks", {"pageToken": "next"}, "pageToken is of no page"),
        *(
            ("SendMessage", {"message": SENT | left_out}, "a message has a messageId, a role")
            for left_out in ({"messageId": ""}, {"role": "ROLE_UNSPECIFIED"}, {"parts": []})
        ),
    ],
)
def test_parameters_that_the_protocol_does_not_allow_are_named(owner, method, params, words):
    headers = {"Authorization": f"Bearer {token_of(owner)}", "A2A-Version": "1.0"}
    sent = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with ServedAssessor(StoredSite()) as assessor:
        told = httpx.post(f"{assessor.url}/a2a/", headers=headers, json=sent, timeout=60).json()

    assert told["error"]["code"] == -32602
    assert words in told["error"]["message"]


def test_size_of_a_request_is_limited(owner):
    with ServedAssessor(StoredSite()) as assessor:
        headers = {"Authorization": f"Bearer {token_of(owner)}", "A2A-Version": "1.0"}
        large = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "SendMessage",
            "params": {"x": "y" * 1_100_000},
        }
        answer = httpx.post(f"{assessor.url}/a2a/", headers=headers, json=large, timeout=60).json()

    assert answer["error"]["message"] == "Payload too large"


def test_config_says_how_many_at_once_and_how_long_to_wait(item_set, owner):
    go_on, inside, most = threading.Event(), [], []

    def slow(request):
        inside.append(request)
        most.append(len(inside))
        go_on.wait(0.3)
        inside.remove(request)
        return yes(request)

    with AnsweringAgent(slow) as agent, ServedAssessor(StoredSite()) as assessor, Worker():
        agent_at(agent.url, owner, concurrency=4)
        asked_so = request_for(agent.url, item_set, concurrency=1, timeout_s=20)
        states = states_of(assess(assessor.url, token_of(owner), asked_so))
        wrong = request_for(agent.url, item_set, concurrency=0, timeout_s=901)
        refused = assess(assessor.url, token_of(owner), wrong)

    settings = Assessment.objects.get(kind="agent").settings
    assert (states[-1], max(most)) == ("COMPLETED", 1)
    assert (settings["concurrency"], settings["timeout_s"]) == (1, 20)
    assert states_of(refused) == ["REJECTED"]
    assert refused[0][1]["status"]["message"]["parts"][0]["text"].split("\n") == [
        "config.concurrency: It is 0; expected 1 to 256.",
        "config.timeout_s: It is 901; expected 1 to 900.",
    ]


def test_time_out_of_the_config_is_the_one_that_counts(item_set, owner):
    go_on = threading.Event()

    def late(request):
        go_on.wait(60)
        return yes(request)

    with AnsweringAgent(late) as agent, ServedAssessor(StoredSite()) as assessor, Worker():
        agent_at(agent.url, owner, timeout_s=60)
        asked_so = request_for(agent.url, item_set, limit=1, timeout_s=1)
        results = results_in(assess(assessor.url, token_of(owner), asked_so))
        go_on.set()

    assert results["counts"]["failed"] == 1
    reasons = Assessment.objects.get(kind="agent").answers.values_list("reason", flat=True)
    assert list(reasons) == ["timed out: no answer within 1 s"]


def test_open_questions_about_mistakes_are_answered_and_judged(sample, owner):
    questions = questions_frozen(questions_made(sample, owner), owner)
    source = questions.public_id
    open_set = small_set(None, owner, "error_questions", ITEMS, source=source)
    with (
        AnsweringServer(answers=answer_of) as server,
        AnsweringAgent(lambda request: "They put the wrong thing in.") as agent,
        ServedAssessor(StoredSite()) as assessor,
        Worker(),
    ):
        agent_at(agent.url, owner)
        judge = model(server, owner, name="Judge", model_name="judge")
        request = request_for(agent.url, open_set, judges=[judge.public_id])
        events = assess(assessor.url, token_of(owner), request)

    assert states_of(events)[-1] == "COMPLETED"
    results = results_in(events)
    assert results["counts"]["read"] == open_set.item_count
    # Two items with the same words are one question.
    assert len(agent.asked) == AgentCall.objects.count()
    assert len(server.asked) == TextCall.objects.count() > 0
    graded = [row for row in results["figures"] if row["measure"] == "graded_share"]
    assert {row["value"] for row in graded} == {1.0}
