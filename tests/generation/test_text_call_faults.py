"""A process that asks is killed for real in mid-run: what was answered is never asked again.

Requests are counted at the server, which stands for the one who sends the bill.
"""

import math
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from django.conf import settings

from tests.fakes.openai_server import OpenAiServer
from tests.generation.asking_process import POLICY, THREADS
from tests.generation.misbehaving import KINDS, MisbehavingServer, kind_of, prompt_of
from tests.leases import let_leases_run_out
from tests.migrated import DATABASE, give_tables

QUESTION_COUNT = 60
ASKED_BEFORE_KILL = 20
LIMIT_S = 300
# The time-out where one kind of question is never answered; all others are, on a busy machine too.
SHORT_S = 8
PAUSE_S = 0.005


@pytest.fixture
def state(tmp_path):
    """Return the environment of a site of its own, with its tables made."""
    environment = {**os.environ, "PIEV_STATE": str(tmp_path), "LOG_LEVEL": "ERROR"}
    environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "JOB_LEASE_SECONDS": "1"}
    environment |= {"SECRET_KEY": "only-for-tests"}
    environment.pop("DATABASE_URL", None)
    give_tables(tmp_path)
    return environment


def asking(server, state, count=QUESTION_COUNT, style="chat", timeout_s=120):
    command = [sys.executable, "-m", "tests.generation.asking_process", server.url]
    return subprocess.Popen(
        [*command, str(count), style, str(timeout_s)], cwd=settings.BASE_DIR, env=state
    )


def kill_when_asked(server, process, count):
    server.most_answered = count
    deadline = time.monotonic() + LIMIT_S
    while len(server.asked) < count and time.monotonic() < deadline:
        time.sleep(PAUSE_S)
    os.kill(process.pid, signal.SIGKILL)
    server.most_answered = math.inf


def database_of(state):
    return Path(state["PIEV_STATE"]) / DATABASE


def rows(state, statement):
    with sqlite3.connect(database_of(state), timeout=30) as connection:
        return connection.execute(statement).fetchall()


# What the running sum of the payer says, and its attempts one by one.
SPENT = """
    select units, (
        select sum(cast(round(coalesce(price, reserved_price) * 1e8) as integer))
        from generation_textattempt where not is_free
    ) from generation_payersum
"""


def assert_same(spent):
    [(running_sum, sum_of_attempts)] = spent
    assert running_sum == sum_of_attempts > 0


def times_asked(server):
    return Counter(prompt_of(asked.body) for asked in server.asked)


def test_killed_process_pays_again_for_no_recorded_answer(state):
    good = {"do": "answer", "text": '{"steps": ["Get a bowl"]}'}
    with OpenAiServer([good], latency_s=0.05) as server:
        with asking(server, state) as process:
            kill_when_asked(server, process, ASKED_BEFORE_KILL)
        let_leases_run_out(database_of(state))
        answered_at_kill = {
            prompt
            for (prompt,) in rows(
                state, "select prompt from generation_textcall where status = 'answered'"
            )
        }
        with asking(server, state) as process:
            assert process.wait(LIMIT_S) == 0

        asked = times_asked(server)
        lost = rows(
            state,
            "select call.prompt from generation_textattempt attempt join generation_textcall call "
            "on call.id = attempt.call_id where attempt.outcome = 'lost'",
        )
        answered = rows(state, "select count(*) from generation_textcall where status = 'answered'")
        spent = rows(state, SPENT)

    assert answered == [(QUESTION_COUNT,)]
    assert ASKED_BEFORE_KILL - 2 * THREADS < len(answered_at_kill) < QUESTION_COUNT
    assert {prompt: asked[prompt] for prompt in answered_at_kill} == dict.fromkeys(
        answered_at_kill, 1
    )
    # Only what was under way at the kill can have been paid twice, and it is told.
    twice = {prompt for prompt, count in asked.items() if count > 1}
    assert twice <= {prompt for (prompt,) in lost}
    assert len(lost) <= THREADS
    assert max(asked.values()) <= 2
    assert_same(spent)


ENDS = "select prompt, status, error_kind, error from generation_textcall"
ATTEMPTS = """
    select call.prompt, attempt.outcome from generation_textattempt attempt
    join generation_textcall call on call.id = attempt.call_id
"""


def test_every_misbehaviour_has_a_recorded_reason_whichever_process_is_killed(state):
    assert_misbehaviour_is_recorded(state, "chat", "chat/completions")


def assert_misbehaviour_is_recorded(state, style, path):
    """Two processes are killed while a server misbehaves to them; every call has its reason."""
    count = 3 * len(KINDS)
    with MisbehavingServer(latency_s=0.05) as server:
        for asked_before in (len(KINDS), 2 * len(KINDS)):
            with asking(server, state, count, style, SHORT_S) as process:
                kill_when_asked(server, process, asked_before)
            let_leases_run_out(database_of(state))
        with asking(server, state, count, style, SHORT_S) as process:
            assert process.wait(LIMIT_S) == 0
        asked = times_asked(server)
        with asking(server, state, count, style, SHORT_S) as process:
            assert process.wait(LIMIT_S) == 0
        again = times_asked(server) - asked
        assert {one.path for one in server.asked} == {f"/v1/{path}"}

    ends = {prompt: (status, kind, error) for prompt, status, kind, error in rows(state, ENDS)}
    assert len(ends) == count
    for prompt, (status, kind, error) in ends.items():
        _, wanted_status, wanted_kind = kind_of(prompt)
        assert (status, kind) == (wanted_status, wanted_kind), prompt
        assert bool(error) is (wanted_kind != ""), prompt
    assert_same(rows(state, SPENT))
    outcomes = rows(state, ATTEMPTS)
    lost = Counter(prompt for prompt, outcome in outcomes if outcome == "lost")
    paid = {prompt for prompt, (status, _, _) in ends.items() if status != "failed"}
    # What was paid for is asked once, and once more where its process died while it was under way.
    assert all(asked[prompt] <= 1 + lost[prompt] for prompt in paid)
    assert sum(lost.values()) <= 2 * THREADS
    # Asked again when all is recorded: only what never brought an answer.
    assert paid.isdisjoint(again)
    assert max(again.values()) <= POLICY.max_attempts
    # Every request that arrived is an attempt in the record; a killed one may not have arrived.
    recorded = Counter(prompt for prompt, _ in outcomes)
    assert all(recorded[prompt] >= times for prompt, times in (asked + again).items())
