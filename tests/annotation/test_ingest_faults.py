"""A worker is killed while it makes a proxy: the next goes on where it was.

Here with the queue of files; `make proof` does it with Redis.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from django.conf import settings

from tests.annotation.ingesting_process import FRAME_COUNT
from tests.annotation.numbered_frames import numbers_of
from tests.leases import let_leases_run_out
from tests.migrated import DATABASE, give_tables

FINISH_LIMIT_S = 300
KILLED_AT = 300
# Segments of 20 s at 10 frames per second: the first is finished when the process is killed.
KEPT_FRAMES = 200
# A step, and a tile for every second in each kind of sheet.
PICTURES = 1 + 45 + 45
JOBS = "select status, attempt, total_count, error from annotation_job"
FOLDER = "select folder from annotation_videoingest"


@pytest.fixture
def site(tmp_path):
    """Return the environment of a site of its own, with its tables made."""
    environment = {**os.environ, "PIEV_STATE": str(tmp_path / "state"), "LOG_LEVEL": "ERROR"}
    environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "SECRET_KEY": "only-for-tests"}
    for name in ("DATABASE_URL", "MEDIA_ROOT", "REDIS_URL"):
        environment.pop(name, None)
    give_tables(tmp_path / "state")
    return environment


def run(environment, *arguments, check=False):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=check,
    )


def wait_until(is_reached):
    deadline = time.monotonic() + FINISH_LIMIT_S
    while not is_reached():
        if time.monotonic() > deadline:
            pytest.fail(f"not reached after {FINISH_LIMIT_S} s")
        time.sleep(0.1)


@contextmanager
def worker(environment):
    command = ["-m", "celery", "--quiet", "-A", "piev_site", "worker", "--pool", "solo"]
    with subprocess.Popen(
        [sys.executable, *command, "--loglevel", "ERROR"], cwd=settings.BASE_DIR, env=environment
    ) as process:
        try:
            yield
        finally:
            process.terminate()


def test_killed_worker_leaves_its_segments_to_the_next(site, tmp_path):
    assert_next_worker_goes_on(site, tmp_path)


def assert_next_worker_goes_on(site, folder):
    state = folder / "state"

    def rows(statement):
        with sqlite3.connect(state / DATABASE, timeout=30) as connection:
            return connection.execute(statement).fetchall()

    killed = run(
        site, "-m", "tests.annotation.ingesting_process",
        str(folder / "recordings"), str(KILLED_AT),
    )  # fmt: skip
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    left = sorted(path.name for path in (state / "media").rglob("*") if path.is_file())
    let_leases_run_out(state / DATABASE)
    with worker(site):
        run(site, "manage.py", "sweep_jobs", "--once", check=True)
        wait_until(lambda: rows(JOBS)[0][0] in {"done", "failed"})

    [(ingested,)] = rows(FOLDER)
    made = sorted(path.name for path in (state / "media").rglob("*") if path.is_file())
    assert "segment-00000.mp4" in left
    assert "proxy.mp4" not in left
    # The second attempt counts only what the first left over.
    assert rows(JOBS) == [("done", 2, FRAME_COUNT - KEPT_FRAMES + PICTURES, "")]
    assert made == ["frames.npz", "proxy.mp4", "sprite.jpg", "step-0000.jpg", "tiles-0000.jpg"]
    assert numbers_of(state / "media" / ingested / "proxy.mp4") == list(range(FRAME_COUNT))
