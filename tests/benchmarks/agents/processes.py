"""The assessor, an agent and a worker as processes, which are killed, and a client that goes on."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from itertools import cycle

import httpx
from a2a.client import ClientConfig, create_client
from a2a.helpers import new_data_message
from a2a.types import Role, SendMessageRequest, SubscribeToTaskRequest
from django.conf import settings
from google.protobuf.json_format import MessageToDict

from tests.benchmarks.agents.served_assessor import run_apart
from tests.benchmarks.answering_server import AnsweringServer
from tests.benchmarks.kills import LEASE_PAUSE_S, LIMIT_S, PAUSE_S
from tests.benchmarks.sample_answers import answer_of
from tests.migrated import give_tables
from tests.site.serving import free_port

HOST = "127.0.0.1"
PROGRAM = [sys.executable, "-m", "tests.benchmarks.agents.site_process"]
ENDS = {"TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"}
ANSWERS = (
    "select i.key, a.repeat, a.status, a.value, a.raw, a.judged from benchmarks_answer a"
    " join benchmarks_item i on i.id = a.item_id join benchmarks_assessment s"
    " on s.id = a.assessment_id where s.kind = 'agent' order by 1, 2"
)
FIGURES = (
    'select measure, "group", group_value, value, low, high from benchmarks_figure order by 1, 2, 3'
)
LOST = "select count(*) from generation_textattempt where outcome = 'lost'"


class Site:
    """A site in a folder of its own, whose model is a server of this process."""

    def __init__(self, folder, server, task, item_count):
        self.folder, self.server = folder, server
        self.ports = {"assessor": free_port(), "agent": free_port()}
        self.commands = {
            "assessor": ["manage.py", "serve_assessor", "--port", str(self.ports["assessor"])],
            "agent": ["manage.py", "take_part", "Mine", "--port", str(self.ports["agent"])],
            "worker": [*PROGRAM[1:], "work"],
        }
        self.processes = {}
        give_tables(folder)
        arguments = ["prepare", server.url, self.url_of("agent"), task, str(item_count)]
        told = subprocess.check_output(
            [*PROGRAM, *arguments], cwd=settings.BASE_DIR, env=self.environment
        )
        known = json.loads(told)
        self.token, self.judge = known["token"], known["judge"]
        config = {"item_set": known["item_set"]}
        self.request = {"participants": {"it": self.url_of("agent")}, "config": config}

    @property
    def environment(self):
        own = {
            "PIEV_STATE": str(self.folder),
            "DJANGO_SETTINGS_MODULE": "piev_site.settings",
            "SECRET_KEY": "only-for-tests",
            "LOG_LEVEL": "ERROR",
            "JOB_LEASE_SECONDS": "1",
        }
        inherited = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL"}}
        return inherited | own

    def url_of(self, name):
        return f"http://{HOST}:{self.ports[name]}"

    def __enter__(self):
        for name in self.commands:
            self.start(name)
        for name in self.ports:
            self.wait_for(name)
        return self

    def __exit__(self, *_):
        for name in self.processes:
            self.kill(name)

    def start(self, name):
        self.processes[name] = subprocess.Popen(
            [sys.executable, *self.commands[name]], cwd=settings.BASE_DIR, env=self.environment,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def wait_for(self, name):
        ends_at = time.monotonic() + LIMIT_S
        while time.monotonic() < ends_at and self.processes[name].poll() is None:
            try:
                httpx.get(f"{self.url_of(name)}/.well-known/agent-card.json")
            except httpx.TransportError:
                time.sleep(LEASE_PAUSE_S)
            else:
                return
        raise AssertionError(f"{name} did not start")

    def kill(self, name):
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes[name].wait()

    def rows(self, *queries):
        with sqlite3.connect(self.folder / "piev.sqlite3", timeout=30) as connection:
            return [connection.execute(words).fetchall() for words in queries]


class Killing(threading.Thread):
    """Kills one process after the other in mid-work and starts it again, `count` times in all.

    Requests wait at the model until the kill, so that there is always something under way.
    """

    def __init__(self, site, count, share):
        super().__init__(daemon=True)
        self.site, self.count, self.share = site, count, share
        self.killed = []
        if count:
            site.server.most_answered = share

    def run(self):
        server = self.site.server
        for name in cycle(self.site.commands):
            if len(self.killed) == self.count:
                break
            reached = server.most_answered
            while len(server.asked) <= reached:
                time.sleep(PAUSE_S)
            self.site.kill(name)
            self.killed.append(name)
            self.site.start(name)
            server.most_answered = reached + self.share
        server.most_answered = float("inf")


async def _assessed(url, token, request):
    """The artifact's data, the last state, and how often the stream was lost."""
    headers = {"Authorization": f"Bearer {token}"}
    task_id, lost_count, artifacts = None, 0, {}
    message = new_data_message(request, role=Role.ROLE_USER)
    ends_at = time.monotonic() + LIMIT_S * 4
    while time.monotonic() < ends_at:
        try:
            async with httpx.AsyncClient(headers=headers, timeout=300) as http:
                client = await create_client(url, ClientConfig(httpx_client=http, streaming=True))
                if task_id is None:
                    events = client.send_message(SendMessageRequest(message=message))
                else:
                    events = client.subscribe(SubscribeToTaskRequest(id=task_id))
                async for event in events:
                    told = MessageToDict(getattr(event, event.WhichOneof("payload")))
                    task_id = told.get("taskId") or told["id"]
                    for artifact in [told.get("artifact"), *told.get("artifacts", [])]:
                        if artifact:
                            artifacts[artifact["name"]] = artifact["parts"][0]["data"]
                    state = told.get("status", {}).get("state")
                    if state in ENDS:
                        return artifacts.get("results"), state, lost_count
        # Whatever a client raises whose server is gone, it comes back.
        except Exception:  # noqa: BLE001
            lost_count += 1
        await asyncio.sleep(LEASE_PAUSE_S)
    raise AssertionError("the assessment did not end")


def left_by(folder, task, item_count, kill_count, share=4, **config):
    """What a stock client got, what is stored, what the model was asked, and who was killed.

    With `judged` the same server grades, as another model.
    """
    with AnsweringServer(answers=answer_of, latency_s=0.05 if kill_count else 0) as server:
        site = Site(folder, server, task, item_count)
        if config.pop("judged", False):
            config["judges"] = [site.judge]
        site.request["config"] |= config
        with site:
            killing = Killing(site, kill_count, share)
            killing.start()
            results, state, lost_streams = run_apart(
                _assessed(site.url_of("assessor"), site.token, site.request)
            )
            killing.join(1)
        answers, figures, [(lost,)] = site.rows(ANSWERS, FIGURES, LOST)
        asked = Counter(server.paid)
    return {
        "state": state,
        "results": results,
        "lost_streams": lost_streams,
        "answers": answers,
        "figures": figures,
        "asked": asked,
        "lost": lost,
        "killed": Counter(killing.killed),
        "repeats": config.get("repeats", 1),
    }


def differences(killed, undisturbed):
    """What differs, except for requests under way at a kill, which may have been answered."""
    should_hold = {
        "ends": killed["state"] == undisturbed["state"] == "TASK_STATE_COMPLETED",
        "answers": killed["answers"] == undisturbed["answers"],
        "figures": killed["figures"] == undisturbed["figures"],
        "told": figures_told(killed) == figures_told(undisturbed),
        "questions": set(killed["asked"]) == set(undisturbed["asked"]),
        "asked again, not lost": (killed["asked"] - undisturbed["asked"]).total() <= killed["lost"],
        "once each": max(undisturbed["asked"].values()) == undisturbed["repeats"],
    }
    return [name for name, holds in should_hold.items() if not holds]


def figures_told(left):
    return left["results"]["figures"], left["results"]["counts"]
