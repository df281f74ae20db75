"""A process that makes and freezes an item set is killed (SIGKILL) in the middle of both."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

from django.conf import settings

from tests.leases import let_leases_run_out
from tests.migrated import give_tables

LIMIT_S, PAUSE_S = 300, 0.002
DATABASE = "piev.sqlite3"
ITEMS = "select count(*) from benchmarks_item"
ANSWERS = "select count(*) from benchmarks_answer"
LEFT = (
    "select content_hash, item_count, made_at is not null, frozen_at is not null"
    " from benchmarks_itemset",
    "select position, key, source_key, payload, truth from benchmarks_item order by 1",
    "select s.name, s.counts, i.key, a.value from benchmarks_answer a"
    " join benchmarks_item i on i.id = a.item_id join benchmarks_assessment s"
    " on s.id = a.assessment_id order by 1, 3",
    'select s.name, f.measure, f."group", f.group_value, f.value, f.low, f.high'
    " from benchmarks_figure f join benchmarks_assessment s on s.id = f.assessment_id"
    " order by 1, 2, 3, 4",
)


def rows(folder, *questions):
    with closing(sqlite3.connect(folder / DATABASE, timeout=30)) as connection:
        return [connection.execute(words).fetchall() for words in questions]


def left_by(folder, kills):
    """What is left in the database; each of `kills` is a question and the count to kill at."""
    environment = {**os.environ, "PIEV_STATE": str(folder), "LOG_LEVEL": "ERROR"}
    environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "SECRET_KEY": "only-for-tests"}
    environment.pop("DATABASE_URL", None)
    folder.mkdir()
    give_tables(folder)
    command = [sys.executable, "-m", "tests.benchmarks.item_set_process", "step_mistakes"]
    deadline, seen = time.monotonic() + LIMIT_S, []
    for kill in [*kills, None]:
        # Some batches further than to the kill, which so comes at any moment.
        held = command + ([kill[0], str(kill[1] + 30)] if kill else [])
        process = subprocess.Popen(held, cwd=settings.BASE_DIR, env=environment)
        while kill and process.poll() is None and time.monotonic() < deadline:
            [[[there]]] = rows(folder, kill[0])
            if there >= kill[1]:
                os.kill(process.pid, signal.SIGKILL)
                break
            time.sleep(PAUSE_S)
        ended = process.wait(LIMIT_S)
        assert ended == (-signal.SIGKILL if kill else 0)
        if kill:
            [state, [[there]]] = rows(folder, LEFT[0], kill[0])
            seen.append((there, state[0][2:]))
            let_leases_run_out(folder / DATABASE)
    return rows(folder, *LEFT), seen


def test_killed_work_leaves_the_same_set_and_nothing_twice(tmp_path):
    undisturbed, _ = left_by(tmp_path / "alone", [])
    items, answers = len(undisturbed[1]), len(undisturbed[2])
    kills = [(ITEMS, items // 3), (ANSWERS, answers // 3)]
    killed, seen = left_by(tmp_path / "killed", kills)

    [(items_then, half_made), (answers_then, half_frozen)] = seen
    # Both kills met the work in the middle of what it wrote.
    assert (items_then < items, half_made) == (True, (0, 0))
    assert (answers_then < answers, half_frozen) == (True, (1, 0))
    assert killed == undisturbed
    assert undisturbed[0][0][2:] == (1, 1)
    assert items > 100
    assert answers > 3 * items
