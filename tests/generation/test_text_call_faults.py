"""A process that asks is killed for real in mid-run: what was answered is never asked again.

Requests are counted at the server, which stands for the one who sends the bill.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter

import pytest
from django.conf import settings

from tests.fakes.openai_server import OpenAiServer
from tests.generation.asking_process import THREADS

QUESTION_COUNT = 60
ASKED_BEFORE_KILL = 20
LIMIT_S = 60
PAUSE_S = 0.005


@pytest.fixture
def state(tmp_path):
    """Return the environment of a site of its own, with its tables made."""
    environment = {**os.environ, "PIEV_STATE": str(tmp_path), "LOG_LEVEL": "ERROR"}
    environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "JOB_LEASE_SECONDS": "1"}
    environment |= {"SECRET_KEY": "only-for-tests"}
    environment.pop("DATABASE_URL", None)
    migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(migrate, cwd=settings.BASE_DIR, env=environment, check=True)
    return environment


def asking(server, state):
    command = [sys.executable, "-m", "tests.generation.asking_process"]
    return subprocess.Popen(
        [*command, server.url, str(QUESTION_COUNT)], cwd=settings.BASE_DIR, env=state
    )


def rows(state, statement):
    with sqlite3.connect(f"{state['PIEV_STATE']}/piev.sqlite3", timeout=30) as connection:
        return connection.execute(statement).fetchall()


def times_asked(server):
    return Counter(asked.body["messages"][1]["content"] for asked in server.asked)


def test_killed_process_pays_again_for_no_recorded_answer(state):
    good = {"do": "answer", "text": '{"steps": ["Get a bowl"]}'}
    with OpenAiServer([good], latency_s=0.05) as server:
        with asking(server, state) as process:
            deadline = time.monotonic() + LIMIT_S
            while len(server.asked) < ASKED_BEFORE_KILL and time.monotonic() < deadline:
                time.sleep(PAUSE_S)
            os.kill(process.pid, signal.SIGKILL)
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
