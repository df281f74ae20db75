"""A worker is killed (SIGKILL) while it stores uploaded features, and what it leaves is swept."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from django.conf import settings

from tests.leases import let_leases_run_out
from tests.migrated import give_tables

LIMIT_S, PAUSE_S = 300, 0.002
KILLED_AFTER = 4
DATABASE = "piev.sqlite3"
SETS = "select name, content_hash, finished_at is not null, width from benchmarks_featureset"
ARRAYS = (
    "select f.name, a.recording, a.rows, a.content_hash from benchmarks_featurearray a"
    " join benchmarks_featureset f on f.id = a.feature_set_id order by 1, 2"
)
JOBS = "select status, attempt from annotation_job order by id"


def rows(folder, words):
    with closing(sqlite3.connect(folder / DATABASE, timeout=30)) as connection:
        return connection.execute(words).fetchall()


def files_in(folder):
    """Return the files of every feature set, hidden ones included, by their place in its folder."""
    sets = (folder / "media" / "features").glob("*")
    return [sorted(names_below(one)) for one in sets]


def names_below(folder):
    """Return the places of all files; `os.walk` bears that the process removes folders."""
    return [
        str(Path(place, name).relative_to(folder))
        for place, _, names in os.walk(folder)
        for name in names
    ]


def worked(folder, environment, name, is_over=None):
    """Run the process until it ends, or until `is_over` and it is killed; return what it says."""
    command = [sys.executable, "-m", "tests.benchmarks.features.storing_process", name]
    # Some further than to the kill, which so comes at any moment.
    command += [str(KILLED_AFTER + 3)] if is_over else []
    process = subprocess.Popen(
        command, cwd=settings.BASE_DIR, env=environment, stdout=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + LIMIT_S
    while process.poll() is None and time.monotonic() < deadline:
        if is_over and is_over(files_in(folder)):
            os.kill(process.pid, signal.SIGKILL)
            break
        time.sleep(PAUSE_S)
    said, _ = process.communicate(timeout=LIMIT_S)
    return process.returncode, said


def is_half_stored(found):
    """Whether a draft of an array is under way, with arrays before it."""
    names = [name for one in found for name in one]
    done = [name for name in names if "/" not in name and name.endswith(".npy")]
    return len(done) >= KILLED_AFTER and any(name.endswith(".part") for name in names)


def test_killed_upload_is_stored_as_if_undisturbed_and_leaves_no_file(tmp_path):
    def left_by(folder, is_over=None):
        folder.mkdir()
        give_tables(folder)
        environment = {**os.environ, "PIEV_STATE": str(folder), "LOG_LEVEL": "ERROR"}
        environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings"}
        environment |= {"SECRET_KEY": "only-for-tests", "MEDIA_ROOT": str(folder / "media")}
        environment.pop("DATABASE_URL", None)
        code, said = worked(folder, environment, "Ours", is_over)
        seen = rows(folder, JOBS), rows(folder, ARRAYS), [row[2] for row in rows(folder, SETS)]
        if code == -signal.SIGKILL:
            let_leases_run_out(folder / DATABASE)
            code, said = worked(folder, environment, "Ours")
        assert code == 0
        again = worked(folder, environment, "Again")
        files = files_in(folder)
        return seen, (rows(folder, SETS), rows(folder, ARRAYS), said, again, files)

    _, undisturbed = left_by(tmp_path / "alone")
    (jobs, arrays, finished), killed = left_by(tmp_path / "killed", is_half_stored)

    # The kill met the work in the middle, and no row says that anything is stored.
    assert (jobs, arrays, finished) == ([("running", 1)], [], [0])
    # Both uploads have the files of the arrays and none besides; its owner has the same room left.
    assert killed == undisturbed
    assert [len(names) for names in undisturbed[-1]] == [12, 12]
