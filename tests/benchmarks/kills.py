"""Assessments whose process is really killed, repeatedly, compared with an undisturbed one."""

import math
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass

from django.conf import settings

from benchmarks.services.asking import JUDGE_ATTEMPTS
from tests.benchmarks.answering_server import AnsweringServer
from tests.benchmarks.sample_answers import answer_of
from tests.leases import let_leases_run_out
from tests.migrated import give_tables

LIMIT_S = 300
PAUSE_S = 0.005
LEASE_PAUSE_S = 0.2
ANSWERS = (
    "select i.key, a.repeat, a.status, a.value, a.raw, a.judged, a.state from benchmarks_answer a"
    " join benchmarks_item i on i.id = a.item_id join benchmarks_assessment s"
    " on s.id = a.assessment_id where s.kind = 'endpoint' order by 1, 2"
)
STAGES = (
    "select i.key, a.repeat, g.number, c.prompt, c.text from benchmarks_answerstage g"
    " join benchmarks_answer a on a.id = g.answer_id join benchmarks_item i on i.id = a.item_id"
    " join generation_textcall c on c.id = g.call_id order by 1, 2, 3"
)
FIGURES = (
    'select f.measure, f."group", f.group_value, f.value, f.low, f.high from benchmarks_figure f'
    " join benchmarks_assessment s on s.id = f.assessment_id where s.kind = 'endpoint'"
    " order by 1, 2, 3"
)
CALLS = "select count(*) from generation_textcall"
LOST = "select count(*) from generation_textattempt where outcome = 'lost'"


@dataclass
class Address:
    """The address of a server that runs in another process."""

    url: str


@dataclass
class Left:
    """The results of an assessment: answers, the stages before them, figures, and paid calls."""

    answers: list
    stages: list
    figures: list
    paid: Counter
    calls: int
    lost: int
    kills: int


def left_by(folder, task, item_count, kill_count, bad_share=0.3, share=None):
    """Work on an assessment in a process that is killed repeatedly, and return the results.

    Each kill comes when `share` questions more were asked.
    """
    share = share or max(2, item_count // (kill_count + 1))
    environment = {**os.environ, "PIEV_STATE": str(folder), "LOG_LEVEL": "ERROR"}
    environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "JOB_LEASE_SECONDS": "1"}
    environment |= {"SECRET_KEY": "only-for-tests"}
    environment.pop("DATABASE_URL", None)
    folder.mkdir()
    give_tables(folder)
    command = [sys.executable, "-m", "tests.benchmarks.assessing_process"]
    with AnsweringServer(
        answers=answer_of, bad_share=bad_share, latency_s=0.03 if kill_count else 0
    ) as server:
        command += [server.url, task, str(item_count)]
        kills = 0
        while True:
            # For each worker: on a busy machine twenty of them take long to start.
            deadline = time.monotonic() + LIMIT_S
            process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment)
            asked = len(server.asked)
            server.most_answered = asked + share if kills < kill_count else math.inf
            while process.poll() is None and time.monotonic() < deadline:
                if kills < kill_count and len(server.asked) >= asked + share:
                    os.kill(process.pid, signal.SIGKILL)
                    kills += 1
                    break
                time.sleep(PAUSE_S)
            ended = process.wait(LIMIT_S)
            if ended == 0:
                break
            assert ended == -signal.SIGKILL
            assert time.monotonic() < deadline
            let_leases_run_out(folder / "piev.sqlite3")
        paid = Counter(server.paid)
    with sqlite3.connect(folder / "piev.sqlite3", timeout=30) as connection:
        queries = ANSWERS, STAGES, FIGURES, CALLS, LOST
        rows = [connection.execute(words).fetchall() for words in queries]
    answers, stages, figures, [(calls,)], [(lost,)] = rows
    return Left(answers, stages, figures, paid, calls, lost, kills)


def differences(killed, undisturbed):
    """The differences of the two by name, except for requests under way at a kill.

    Such a request may have been answered, so it is counted as lost. A grade that cannot be read is
    asked for once more with the same prompt, which is another call.
    """
    calls = undisturbed.calls
    should_hold = {
        "answers": killed.answers == undisturbed.answers,
        "stages": killed.stages == undisturbed.stages,
        "figures": killed.figures == undisturbed.figures,
        "requests": set(killed.paid) == set(undisturbed.paid),
        "paid twice, not lost": (killed.paid - undisturbed.paid).total() <= killed.lost,
        "calls": undisturbed.paid.total() == calls == killed.calls,
        "asked again": max(undisturbed.paid.values()) <= JUDGE_ATTEMPTS,
    }
    return {name: (killed, undisturbed) for name, holds in should_hold.items() if not holds}
