"""Questions to an agent over loopback, four at a time, their answers stored.

The agent answers at once, in a process of its own. The peer is the bare SDK: its client makes and
sends the very same messages, four at a time, to an agent behind the SDK's own request handler, and
nothing is stored. Ours is the job of a worker on a site with SQLite, which asks the same agent:
claims before each request, records after it, answers. The figures of the same job, which come once
at its end, are timed by computing them again, and printed in and out. All is measured again with an
agent behind `take_part`'s handler, which keeps no tasks and takes half the time for an answer, so
that what the client takes weighs more. Of the sample's mistakes to describe only those are asked
about that read differently: what reads like another is answered from the record, and not sent. They
take turns; the ratio is that of the medians.

With `--memory` a client has the assessor, a process of its own, assess the agent until so many
questions were answered, and follows; printed is by how much the assessor's memory grew meanwhile.

    python -m bench.agents [--repeats 20] [--runs 9]
    python -m bench.agents --memory [--questions 5000]
"""

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

os.environ.setdefault("PIEV_STATE", tempfile.mkdtemp(prefix="piev-bench-agents-"))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "piev_site.settings")
os.environ.setdefault("SECRET_KEY", "only-for-the-bench")
os.environ.setdefault("LOG_LEVEL", "ERROR")

import django

django.setup()

import httpx
import uvicorn
from a2a.client import ClientConfig, create_client
from a2a.helpers import new_data_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import Message, Role, SendMessageRequest
from a2a.utils.errors import UnsupportedOperationError
from django.core.management import call_command
from rest_framework.authtoken.models import Token

from annotation.models import Dataset, Job, User
from annotation.models import Role as AccountRole
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.backends.a2a.agent import message_request
from benchmarks.backends.a2a.messages import answer_parts, question_message, read_question
from benchmarks.backends.a2a.participant import participant_app, participant_card
from benchmarks.backends.a2a.serving import app_of
from benchmarks.engine.task import Prompt
from benchmarks.models import AgentCall, AgentEndpoint, ItemSet
from benchmarks.selectors.assessments import answers_of, sampled
from benchmarks.selectors.item_sets import engine_item, task_of
from benchmarks.services.agents import read_agent_card
from benchmarks.services.asking import request_of
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import MOST_REPEATS, AskRequest, start_assessment
from benchmarks.services.figures import figures_of_answers
from benchmarks.services.item_set_work import work_on_item_sets
from benchmarks.services.item_sets import ItemSetRequest, start_freezing, start_making
from generation.backends.text.model import TextRequest
from sample.corpus import load_corpus

AT_ONCE = 4
LEAST_SHARE = 0.6
MOST_GROWTH_MB = 20
ANSWER = json.dumps({"description": "The cup was not rinsed before the milk was poured."})
HOST = "127.0.0.1"
SDK_AGENT, OUR_AGENT = "the SDK's own", "take_part's"


class SdkAgent(AgentExecutor):
    """Answers as the SDK has it: with a message that is put into the queue of events."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        sent = context.message
        assert sent is not None
        question_id, _ = read_question(sent)
        answer = Message(
            role=Role.ROLE_AGENT,
            message_id=f"answer-{sent.message_id}",
            context_id=sent.context_id,
            parts=answer_parts(question_id, ANSWER),
        )
        await event_queue.enqueue_event(answer)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise UnsupportedOperationError


def serve_agent(port: int, kind: str) -> None:
    card = participant_card(
        name="Bench", version="1", url=f"http://{HOST}:{port}", takes_pictures=False
    )
    if kind == SDK_AGENT:
        app = app_of(card, DefaultRequestHandler(SdkAgent(), InMemoryTaskStore(), card))
    else:
        app = participant_app(card, lambda request: ANSWER)
    uvicorn.run(app, host=HOST, port=port, log_level="error")


def free_port() -> int:
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


def made_set() -> ItemSet:
    call_command("migrate", verbosity=0)
    target = ImportTarget(name="Everyday", format="native", owner=None, is_shared=True)
    import_reading(load_corpus(), target=target)
    source = Dataset.objects.get().public_id
    request = ItemSetRequest(name="Bench", task="describe_mistake", source=source)
    item_set, job_ids = start_making(request=request, actor=None)
    work_on_item_sets(job_ids=job_ids)
    item_set.refresh_from_db()
    work_on_item_sets(job_ids=start_freezing(item_set=item_set, actor=None))
    item_set.refresh_from_db()
    return item_set


def agent_at(url: str) -> AgentEndpoint:
    agent = AgentEndpoint(name=url, base_url=url, model_name="-", concurrency=AT_ONCE)
    agent.save()
    while reason := read_agent_card(agent):
        print(f"waiting for the agent: {reason}")
        time.sleep(0.5)
    return agent


def prompts_of(item_set: ItemSet) -> list[Prompt]:
    """The questions about the first items, as asked, up to the one that reads like one before."""
    task, prompts = task_of(item_set), dict[str, Prompt]()
    for [row] in sampled(item_set, None):
        prompt = task.prompt(engine_item(row, with_truth=False), ())
        if prompt.text in prompts:
            break
        prompts[prompt.text] = prompt
    return list(prompts.values())


async def _bare(url: str, questions: list[TextRequest]) -> float:
    async with httpx.AsyncClient(timeout=30) as http:
        client = await create_client(url, ClientConfig(httpx_client=http, streaming=False))
        rest = enumerate(questions)

        async def ask() -> None:
            for number, question in rest:
                message = question_message(question, f"{number:032}", "bench")
                async for _ in client.send_message(message_request(message)):
                    pass

        began_s = time.monotonic()
        await asyncio.gather(*(ask() for _ in range(AT_ONCE)))
        return len(questions) / (time.monotonic() - began_s)


def ours(
    item_set: ItemSet, agent: AgentEndpoint, repeats: int, item_count: int
) -> tuple[float, float]:
    """Questions a second until all answers are stored, and until they are scored, too."""
    AgentCall.objects.all().delete()
    request = AskRequest(endpoint=agent.public_id, repeats=repeats, limit=item_count)
    assessment, job_ids = start_assessment(item_set=item_set, request=request, actor=None)
    began_s = time.monotonic()
    work_on_assessments(job_ids=job_ids)
    taken_s = time.monotonic() - began_s
    asked_count = AgentCall.objects.count()
    assessment.refresh_from_db()
    assert asked_count == assessment.counts["read"] == item_count * repeats
    began_s = time.monotonic()
    figures_of_answers(assessment, answers_of(assessment))
    scoring_s = time.monotonic() - began_s
    return asked_count / (taken_s - scoring_s), asked_count / taken_s


def resident_mb(process_id: int) -> float:
    lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
    [size] = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return int(size) / 1024


async def _followed(url: str, token: str, request: dict[str, Any]) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(headers=headers, timeout=120) as http:
        client = await create_client(url, ClientConfig(httpx_client=http, streaming=True))
        message = new_data_message(request, role=Role.ROLE_USER)
        async for _ in client.send_message(SendMessageRequest(message=message)):
            pass


def work(is_over: threading.Event) -> None:
    """Work on what the assessor queues, as a worker does."""
    while not is_over.wait(0.2):
        jobs = Job.objects.filter(status="queued", assessment__isnull=False)
        work_on_assessments(job_ids=list(jobs.values_list("pk", flat=True)))


def growth(item_set: ItemSet, agent: AgentEndpoint, question_count: int) -> int:
    """Print by how many megabytes the assessor grew."""
    user = User.objects.create(username="bench", role=AccountRole.ADMINISTRATOR)
    token = Token.objects.create(user=user).key
    port, is_over = free_port(), threading.Event()
    url = f"http://{HOST}:{port}"

    def asked(repeats: int) -> dict[str, Any]:
        config = {"item_set": item_set.public_id, "repeats": repeats}
        return {"participants": {"it": agent.base_url}, "config": config}

    worker = threading.Thread(target=work, args=(is_over,), daemon=True)
    command = [sys.executable, "manage.py", "serve_assessor", "--port", str(port)]
    with subprocess.Popen(command) as assessor:
        try:
            wait_for(f"{url}/.well-known/agent-card.json")
            worker.start()
            # The first of everything is loaded before.
            asyncio.run(_followed(url, token, asked(1)))
            before_mb, asked_count = resident_mb(assessor.pid), 0
            while asked_count < question_count:
                AgentCall.objects.all().delete()
                asyncio.run(_followed(url, token, asked(MOST_REPEATS)))
                asked_count += AgentCall.objects.count()
            grown_mb = resident_mb(assessor.pid) - before_mb
        finally:
            is_over.set()
            assessor.terminate()
    print(
        f"{asked_count:,} questions: the assessor had {before_mb:.0f} MB and grew by {grown_mb:.1f}"
    )
    print(f"goal: less than {MOST_GROWTH_MB} MB")
    return 0 if grown_mb < MOST_GROWTH_MB else 1


def wait_for(address: str) -> None:
    while True:
        try:
            httpx.get(address)
        except httpx.TransportError:
            time.sleep(0.2)
        else:
            return


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=20, help="of each item of the sample")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--memory", action="store_true", help="measure the assessor's instead")
    parser.add_argument("--questions", type=int, default=5000, help="with --memory: at least")
    parser.add_argument("--serve", type=int, help="only serve the agent, at this port")
    parser.add_argument("--agent", choices=[SDK_AGENT, OUR_AGENT], default=SDK_AGENT)
    options = parser.parse_args()
    if options.serve:
        serve_agent(options.serve, options.agent)
        return 0
    item_set = made_set()
    if options.memory:
        with served(OUR_AGENT) as agent:
            return growth(item_set, agent, options.questions)
    shares = {}
    for kind in (OUR_AGENT, SDK_AGENT):
        with served(kind) as agent:
            shares[kind] = share_of_bare(item_set, agent, kind, options)
    print(f"share with the SDK's own agent {shares[SDK_AGENT]:.2f}, goal {LEAST_SHARE}")
    return 0 if shares[SDK_AGENT] >= LEAST_SHARE else 1


@contextmanager
def served(kind: str) -> Iterator[AgentEndpoint]:
    """An agent in a process of its own."""
    port = free_port()
    command = [sys.executable, "-m", "bench.agents", "--serve", str(port), "--agent", kind]
    with subprocess.Popen(command) as server:
        try:
            yield agent_at(f"http://{HOST}:{port}")
        finally:
            server.terminate()


def share_of_bare(
    item_set: ItemSet, agent: AgentEndpoint, kind: str, options: argparse.Namespace
) -> float:
    """Print the speeds with one agent; return what part of the bare client's is ours."""
    task, prompts = task_of(item_set), prompts_of(item_set)
    questions = [
        request_of(task, prompt, repeat=repeat)
        for repeat in range(options.repeats)
        for prompt in prompts
    ]
    speeds = []
    for _ in range(options.runs):
        bare = asyncio.run(_bare(agent.base_url, questions))
        speeds.append((bare, *ours(item_set, agent, options.repeats, len(prompts))))
    bare, stored, scored = (median(of_runs) for of_runs in zip(*speeds, strict=True))
    print(
        f"{len(questions)} questions to an agent behind {kind} handler, {AT_ONCE} at a time, "
        f"median of {options.runs} runs"
    )
    print(f"  bare client of the SDK  {bare:7.1f} questions a second")
    print(f"  asked and stored        {stored:7.1f} questions a second: {stored / bare:.2f} of it")
    print(f"  asked, stored, scored   {scored:7.1f} questions a second: {scored / bare:.2f} of it")
    return stored / bare


if __name__ == "__main__":
    sys.exit(main())
