"""A worker is killed while it films: the next one makes only the clips that are missing."""

import os
import signal
import sqlite3
import subprocess
import sys

import pytest
from django.conf import settings

from tests.leases import let_leases_run_out
from tests.migrated import DATABASE, give_tables

MANY_CLIPS = 1000
OUTCOMES = """
    select job.status, video.path, video.clip_count from generation_takevideo video
    join generation_runtake run_take on run_take.id = video.run_take_id
    join annotation_job job on job.id = run_take.job_id
"""


@pytest.fixture
def state(tmp_path):
    """Return the environment of a site of its own, with its tables made."""
    environment = {**os.environ, "PIEV_STATE": str(tmp_path / "state"), "LOG_LEVEL": "ERROR"}
    environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "SECRET_KEY": "only-for-tests"}
    for name in ("DATABASE_URL", "MEDIA_ROOT", "REDIS_URL"):
        environment.pop(name, None)
    give_tables(tmp_path / "state")
    return environment


def film(state, folder, clip_count):
    command = [sys.executable, "-m", "tests.generation.filming_process", folder, str(clip_count)]
    return subprocess.run(
        command, cwd=settings.BASE_DIR, env=state, capture_output=True, text=True, check=False
    )


def test_killed_worker_leaves_its_clips_to_the_next_and_no_half_file(state, tmp_path):
    media = tmp_path / "state" / "media"

    killed = film(state, tmp_path / "recordings", 1)
    left = {path.name for path in media.rglob("*") if path.is_file()}
    let_leases_run_out(tmp_path / "state" / DATABASE)
    finished = film(state, tmp_path / "recordings", MANY_CLIPS)

    made = set(finished.stdout.split())
    with sqlite3.connect(f"{state['PIEV_STATE']}/piev.sqlite3", timeout=30) as connection:
        [(status, path, clip_count)] = connection.execute(OUTCOMES).fetchall()
    assert (killed.returncode, finished.returncode) == (-signal.SIGKILL, 0), finished.stderr
    assert len(left) == 1
    assert not left & made
    assert (status, clip_count) == ("done", 1 + len(made))
    assert [str(item.relative_to(media)) for item in media.rglob("*") if item.is_file()] == [path]


def test_killed_splice_of_uploaded_clips_is_made_by_the_next_worker(state, tmp_path):
    media = tmp_path / "state" / "media"
    command = [sys.executable, "-m", "tests.generation.splicing_process", tmp_path / "recordings"]

    def run():
        return subprocess.run(
            command, cwd=settings.BASE_DIR, env=state, capture_output=True, text=True, check=False
        )

    killed = run()
    halves = [path for path in media.rglob("*.part") if path.read_bytes() == b"half a file"]
    uploads = {path.name for path in media.rglob("upload-*")}
    let_leases_run_out(tmp_path / "state" / DATABASE)
    finished = run()

    with sqlite3.connect(f"{state['PIEV_STATE']}/piev.sqlite3", timeout=30) as connection:
        [(status, path, clip_count)] = connection.execute(
            f"{OUTCOMES} where video.path != ''"
        ).fetchall()
    left = {str(item.relative_to(media)) for item in media.rglob("*") if item.is_file()}
    kept = {name for name in left if "/.clips/" in name}
    assert (killed.returncode, finished.returncode) == (-signal.SIGKILL, 0), finished.stderr
    assert (status, clip_count) == ("done", 4)
    assert (len(halves), len(uploads)) == (1, 3)
    assert uploads <= {name.rpartition("/")[2] for name in kept}
    # Each upload and its conformed form; the half file went.
    assert (len(kept), left - kept) == (6, {path})
