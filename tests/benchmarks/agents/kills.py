"""Assessments of an agent whose worker is really killed, repeatedly."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter

from django.conf import settings

from tests.benchmarks.agents.served import AnsweringAgent, yes
from tests.benchmarks.kills import PAUSE_S
from tests.migrated import give_tables

LATENCY_S = 0.05
LIMIT_S = 300
ANSWERS = (
    "select i.key, a.status, a.value from benchmarks_answer a"
    " join benchmarks_item i on i.id = a.item_id join benchmarks_assessment s"
    " on s.id = a.assessment_id where s.kind = 'agent' order by 1"
)
FIGURES = (
    'select f.measure, f."group", f.group_value, f.value, f.low, f.high from benchmarks_figure f'
    " join benchmarks_assessment s on s.id = f.assessment_id where s.kind = 'agent'"
    " order by 1, 2, 3"
)
LOST = "select count(*) from benchmarks_agentattempt where outcome = 'lost'"


def left_by(folder, item_count, kill_count):
    """Answers, figures, questions with how often they were asked, lost requests, and kills."""
    environment = {**os.environ, "PIEV_STATE": str(folder), "LOG_LEVEL": "ERROR"}
    environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "JOB_LEASE_SECONDS": "1"}
    environment |= {"SECRET_KEY": "only-for-tests"}
    environment.pop("DATABASE_URL", None)
    folder.mkdir()
    give_tables(folder)
    share, kills = max(2, item_count // (kill_count + 1)), 0

    def slowly(request):
        time.sleep(LATENCY_S)
        return yes(request)

    with AnsweringAgent(slowly) as agent:
        command = [sys.executable, "-m", "tests.benchmarks.agents.asked_process"]
        command += [agent.url, str(item_count)]
        while True:
            process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment)
            asked, ends_at = len(agent.asked), time.monotonic() + LIMIT_S
            while process.poll() is None and time.monotonic() < ends_at:
                if kills < kill_count and len(agent.asked) >= asked + share:
                    os.kill(process.pid, signal.SIGKILL)
                    kills += 1
                    break
                time.sleep(PAUSE_S)
            if process.wait(LIMIT_S) == 0:
                break
        asked = Counter((request.system, request.prompt) for request in agent.asked)
    with sqlite3.connect(folder / "piev.sqlite3", timeout=30) as connection:
        rows = [connection.execute(words).fetchall() for words in (ANSWERS, FIGURES, LOST)]
    answers, figures, [(lost,)] = rows
    return answers, figures, asked, lost, kills
