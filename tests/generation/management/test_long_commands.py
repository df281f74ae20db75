"""Commands that ask slow models: what they show, how signals end them, whom they wait for."""

import json
import math
import os
import pty
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from decimal import Decimal
from io import StringIO

import pytest
from django.conf import settings
from django.core.management.base import OutputWrapper

from annotation.management import shown_work
from generation.backends.exceptions import CancelledError
from generation.engine.planner.files.plan_files import PlanningInput, plans_to_dict, write_json
from generation.engine.planner.files.representations import NO_REPRESENTATIONS
from generation.engine.planner.procedure_to_plan import procedure_from_take
from generation.engine.planner.profiles import PIEV
from generation.engine.results.plan_runs import correct_file, plan_input
from generation.management.long_work import LongWork
from generation.services.texts.command_budget import CommandCost
from sample.corpus import load_corpus
from tests.fakes.openai_server import OpenAiServer
from tests.migrated import give_tables

TAKE_COUNT = 3
LIMIT_S = 300
EMPTY = {"do": "answer", "text": '{"final_steps": [], "meta": []}'}
# An endpoint, and a data set of one take: stored once for all tests.
STORED = (
    "from tests.generation.text_endpoints import make_endpoint; make_endpoint(); "
    "from sample.corpus import load_corpus; from annotation.models import *; "
    "d = Dataset.objects.create(name='Tea'); "
    "t = Take.objects.create(dataset=d, uid='a', scenario='Tea'); "
    "Step.objects.create(take=t, index=0, text='Boil the water')"
)


@pytest.fixture(scope="module")
def made_state(tmp_path_factory):
    folder = tmp_path_factory.mktemp("state")
    give_tables(folder)
    stored = start(environment_in(folder), "shell", "--verbosity", "0", "-c", STORED)
    _, said = stored.communicate(timeout=LIMIT_S)
    assert stored.returncode == 0, said
    return folder


@pytest.fixture
def state(made_state, tmp_path):
    """Return the environment of a site of its own."""
    folder = tmp_path / "state"
    shutil.copytree(made_state, folder)
    return environment_in(folder)


def environment_in(folder):
    environment = {**os.environ, "PIEV_STATE": str(folder), "LOG_LEVEL": "ERROR"}
    environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "SECRET_KEY": "only-for-tests"}
    environment.pop("DATABASE_URL", None)
    return environment


@pytest.fixture
def plan_path(tmp_path):
    procedures = tuple(procedure_from_take(take) for take in load_corpus().takes[:TAKE_COUNT])
    found = PlanningInput(procedures, NO_REPRESENTATIONS)
    path = tmp_path / "plan.json"
    planned = plan_input(found, profile=PIEV, seed=5)
    write_json(plans_to_dict(correct_file(planned, profile=None, seed=5)), path)
    return path


def start(state, *arguments, stderr=subprocess.PIPE):
    return subprocess.Popen(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=settings.BASE_DIR,
        env=state,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


def set_endpoint(state, url, *, concurrency, timeout_s=900):
    with sqlite3.connect(f"{state['PIEV_STATE']}/piev.sqlite3", timeout=30) as connection:
        connection.execute(
            "update generation_textendpoint set base_url = ?, concurrency = ?, timeout_s = ?",
            (url, concurrency, timeout_s),
        )


def wait_until_asked(server, count, process):
    deadline = time.monotonic() + LIMIT_S
    while len(server.asked) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def attempts(state):
    with sqlite3.connect(f"{state['PIEV_STATE']}/piev.sqlite3", timeout=30) as connection:
        return connection.execute(
            "select outcome, ended_at is null from generation_textattempt order by id"
        ).fetchall()


def test_ended_command_releases_its_claim_for_the_next_one(state, plan_path):
    out = plan_path.with_name("out.json")
    with OpenAiServer([EMPTY], latency_s=3600) as server:
        set_endpoint(state, server.url, concurrency=TAKE_COUNT)
        process = start(state, "write", plan_path, "--model", "Local", "--out", out)
        wait_until_asked(server, TAKE_COUNT, process)

        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=LIMIT_S)

        assert (process.returncode, said) == (
            130,
            f"CommandError: stopped by Ctrl+C. 0 of {TAKE_COUNT} takes are finished; run"
            " the same command again to continue.\n",
        )
        assert attempts(state) == [("lost", 0)] * TAKE_COUNT
        server.latency_s = 0

        again = start(state, "write", plan_path, "--model", "Local", "--out", out)
        told, said = again.communicate(timeout=LIMIT_S)

    # Who had to wait for a lease would have said so.
    assert (again.returncode, said) == (0, "")
    assert told == f"{out}: {TAKE_COUNT} takes, {TAKE_COUNT} written\n"


@pytest.mark.parametrize(
    "command",
    [
        ("judge", "plan.json", "rewrite.json", "--model"),
        ("freeform", "plan.json", "--model"),
        ("represent", "Tea", "--endpoint"),
    ],
)
def test_other_commands_release_their_claims_too(state, plan_path, command):
    nothing = {"final_steps": [], "meta": []}
    takes = {uid: {"rewrite": nothing} for uid in json.loads(plan_path.read_text())["takes"]}
    plan_path.with_name("rewrite.json").write_text(json.dumps({"takes": takes}))
    words = [plan_path.with_name(word) if word.endswith(".json") else word for word in command]
    with OpenAiServer([EMPTY], latency_s=3600) as server:
        set_endpoint(state, server.url, concurrency=1)
        out = plan_path.with_name("out.json")
        process = start(state, *words, "Local", "--out", out)
        wait_until_asked(server, 1, process)

        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 143
    assert said.startswith("CommandError: stopped by SIGTERM. ")
    assert attempts(state) == [("lost", 0)]


def test_command_that_waits_for_another_says_for_whom_and_until_when(state, plan_path):
    with OpenAiServer([EMPTY], latency_s=3600) as server:
        set_endpoint(state, server.url, concurrency=2)
        first = start(
            state, "write", plan_path, "--model", "Local", "--out", plan_path.with_name("1.json")
        )
        wait_until_asked(server, 2, first)
        second = start(
            state, "write", plan_path, "--model", "Local", "--out", plan_path.with_name("2.json")
        )
        line = second.stderr.readline()
        for process in (second, first):
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=LIMIT_S)

    assert re.fullmatch(
        rf"Waiting: manage\.py write \(process {first.pid} on \S+\) is asking "
        r"Local the same question, "
        r"until \d\d:\d\d:\d\d at the latest\.\n",
        line,
    )
    assert len(server.asked) == 2


def test_terminal_shows_progress_tokens_and_cost(state, plan_path):
    reader, writer = pty.openpty()
    out = plan_path.with_name("out.json")
    begun = rf"0 of {TAKE_COUNT} takes, \d+ s so far"
    amid = (
        rf"2 of {TAKE_COUNT} takes, [\d.]+ a minute, \d+ s left, 240 tokens in, 60 out, \$0\.0042"
    )
    with OpenAiServer([EMPTY], most_answered=0) as server:
        set_endpoint(state, server.url, concurrency=1, timeout_s=120)
        process = start(state, "write", plan_path, "--model", "Local", "--out", out, stderr=writer)
        os.close(writer)
        first = read_until(reader, begun)
        server.most_answered = 2
        then = read_until(reader, amid)
        server.most_answered = math.inf
        last = read_until(reader, None)
        told, _ = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 0
    assert told == f"{out}: {TAKE_COUNT} takes, {TAKE_COUNT} written\n"
    assert re.search(begun, first)
    assert re.search(amid, then)
    # Nothing is left on the line.
    assert last.endswith("\r\x1b[K")


def read_until(descriptor, pattern):
    """Return what comes until it matches; all that comes where it never does, or is None."""
    shown = ""
    while pattern is None or not re.search(pattern, shown):
        try:
            shown += os.read(descriptor, 4096).decode()
        except OSError:
            return shown
    return shown


def long_work(**changes):
    work = LongWork("write", "takes", OutputWrapper(StringIO()))
    work.budget.paid = changes.pop("paid", CommandCost())
    for name, value in changes.items():
        setattr(work, name, value)
    return work


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"total_count": 96}, "0 of 96 takes, 2 min 0 s so far"),
        ({"total_count": 96, "done_count": 12}, "12 of 96 takes, 6 a minute, 14 min 0 s left"),
        (
            {"total_count": 96, "done_count": 12, "earlier_count": 60},
            "72 of 96 takes, 6 a minute, 4 min 0 s left",
        ),
        (
            {"total_count": 2, "paid": CommandCost(1, 1200, 30, Decimal("0.5"), 0)},
            "0 of 2 takes, 2 min 0 s so far, 1,200 tokens in, 30 out, $0.5000",
        ),
        (
            {"total_count": 2, "paid": CommandCost(1, 1200, 30, Decimal(0), 1)},
            "0 of 2 takes, 2 min 0 s so far, 1,200 tokens in, 30 out, cost unknown",
        ),
        ({"total_count": 2, "signal": 2}, "0 of 2 takes, 2 min 0 s so far, ending"),
    ],
)
def test_line_shows_the_progress(changes, line):
    assert long_work(**changes).line(120.0) == line


def test_second_ctrl_c_ends_it_at_once(monkeypatch):
    work, before = long_work(), signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(shown_work, "AGAIN_AFTER_S", 0.0)

    def work_on():
        with work.shown():
            os.kill(os.getpid(), signal.SIGINT)
            with pytest.raises(CancelledError, match=r"stopped by Ctrl\+C"):
                work.check()
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        work_on()

    # Python's own, or none at all where a shell has started the tests in the background.
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_that_comes_twice_at_once_is_one(monkeypatch):
    work = long_work()
    # A busy machine may pause for longer than a person between two presses.
    monkeypatch.setattr(shown_work, "AGAIN_AFTER_S", 60.0)

    with work.shown():
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    assert work.signal == signal.SIGINT
