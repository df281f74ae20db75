"""Features whose process is killed for real, again and again, beside some that are left alone."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from django.conf import settings

from tests.migrated import give_tables

pytestmark = pytest.mark.proof

LIMIT_S = 300
KILLS = 5
ARRAYS = "select recording, rows, content_hash from benchmarks_featurearray order by 1"
SETS = "select content_hash, finished_at is not null from benchmarks_featureset"


def rows_of(folder, words):
    path = f"file:{folder / 'piev.sqlite3'}?mode=ro"
    with closing(sqlite3.connect(path, uri=True, timeout=30)) as connection:
        return connection.execute(words).fetchall()


def left_by(folder, kill_count):
    """What a job leaves behind whose process dies so many times, each after two more arrays."""
    environment = {**os.environ, "PIEV_STATE": str(folder), "LOG_LEVEL": "ERROR"}
    environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "JOB_LEASE_SECONDS": "1"}
    environment |= {"SECRET_KEY": "only-for-tests", "VIDEO_ROOTS": str(folder)}
    environment.pop("DATABASE_URL", None)
    folder.mkdir()
    give_tables(folder)
    command = [sys.executable, "-m", "tests.benchmarks.features.making_process", folder / "films"]
    deadline = time.monotonic() + LIMIT_S
    kills, ended = 0, None
    while ended != 0:
        assert time.monotonic() < deadline
        process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment)
        while process.poll() is None and kills < kill_count:
            if len(rows_of(folder, ARRAYS)) >= 2 * (kills + 1):
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
                break
            time.sleep(0.005)
        ended = process.wait(LIMIT_S)
        assert ended in {0, -signal.SIGKILL}
    return rows_of(folder, ARRAYS), rows_of(folder, SETS), kills


def test_features_are_the_same_however_often_their_worker_dies(tmp_path):
    alone = left_by(tmp_path / "alone", 0)
    killed = left_by(tmp_path / "killed", KILLS)

    assert killed[:2] == alone[:2]
    assert (len(alone[0]), alone[1][0][1]) == (12, 1)
    assert killed[2] == KILLS
