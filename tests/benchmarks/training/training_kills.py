"""Trainings whose process is really killed, repeatedly, compared with an undisturbed one."""

import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass

from django.conf import settings

from benchmarks.engine.training.recipes import MLP, V1
from tests.migrated import give_tables

LIMIT_S, PAUSE_S = 300, 0.005
EPOCHS = "select seed, epochs from benchmarks_trainedseed order by seed, fold"
SCORES = (
    "select seed, fold, threshold, answering_epoch, said from benchmarks_trainedseed order by 1, 2"
)
ANSWERS = (
    "select i.key, a.repeat, a.status, a.value from benchmarks_answer a"
    " join benchmarks_item i on i.id = a.item_id join benchmarks_assessment s"
    " on s.id = a.assessment_id where s.kind = 'trained' order by 1, 2"
)
FIGURES = (
    'select f.measure, f."group", f.group_value, f.value, f.low, f.high, f.spread'
    " from benchmarks_figure f join benchmarks_assessment s on s.id = f.assessment_id"
    " where s.kind = 'trained' order by 1, 2, 3"
)
# The item set has a job of its own, which made it and then froze it.
ATTEMPTS = (
    "select j.attempt from annotation_job j join benchmarks_assessment s on s.job_id = j.id"
    " where s.kind = 'trained'"
)


@dataclass
class Trained:
    """The results of a training: its log without seconds, scores, answers, figures, files."""

    epochs: list
    scores: list
    answers: list
    figures: list
    weights: list
    kills: int
    attempts: int


def trained_with_kills(folder, epochs, kill_count, model=V1):
    """Train in a process that is killed repeatedly, at all moments, and return the results.

    MLP is trained in four folds and stored after every 50 epochs, others after each.
    """
    environment = {**os.environ, "PIEV_STATE": str(folder), "LOG_LEVEL": "ERROR"}
    environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "JOB_LEASE_SECONDS": "1"}
    environment |= {"SECRET_KEY": "only-for-tests"}
    environment.pop("DATABASE_URL", None)
    folder.mkdir()
    give_tables(folder)
    process_name = "tests.benchmarks.training.training_process"
    command = [sys.executable, "-m", process_name, str(epochs), model]
    stored_count = 2 * 4 * epochs / 50 if model == MLP else 2 * epochs
    kills, share = 0, stored_count / (kill_count + 1)
    deadline = time.monotonic() + LIMIT_S
    while True:
        # A little further than to the kill, which so comes at any moment.
        most = [str(math.ceil(share * (kills + 1)) - epochs_done(folder) + 2)]
        held = command + most * (kills < kill_count)
        process = subprocess.Popen(held, cwd=settings.BASE_DIR, env=environment)
        while process.poll() is None and time.monotonic() < deadline:
            if kills < kill_count and epochs_done(folder) >= share * (kills + 1):
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
                break
            # Not always just after an epoch was stored.
            time.sleep(PAUSE_S * (kills + 1))
        ended = process.wait(LIMIT_S)
        if ended == 0:
            break
        assert ended == -signal.SIGKILL
        assert time.monotonic() < deadline
    [epochs_of, scores, answers, figures, [[attempts]]] = rows(
        folder, EPOCHS, SCORES, ANSWERS, FIGURES, ATTEMPTS
    )
    logs = [[seed, [epoch[:-1] for epoch in json.loads(log)]] for seed, log in epochs_of]
    weights = list((folder / "media" / "training").rglob("*.npz"))
    return Trained(logs, scores, answers, figures, weights, kills, attempts)


def rows(folder, *questions):
    with closing(sqlite3.connect(folder / "piev.sqlite3", timeout=30)) as connection:
        return [connection.execute(words).fetchall() for words in questions]


def epochs_done(folder):
    [found] = rows(folder, EPOCHS)
    return sum(len(json.loads(epochs)) for _, epochs in found)


def differences(killed, undisturbed):
    """The names of all results that are not equal bit for bit."""
    names = ("epochs", "scores", "answers", "figures", "weights")
    return [name for name in names if getattr(killed, name) != getattr(undisturbed, name)]
