"""`manage.py serve` brings up web and worker, and takes everything down again."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys

import httpx
from django.conf import settings

from tests.migrated import give_tables
from tests.site.raters import prepare_raters, raters_at_work, times_logged
from tests.site.serving import (
    children_of,
    is_running,
    parts_of,
    serving,
    site_environment,
    wait_until,
)

RATERS = 20
SAVES_BEFORE_KILL = 40


def test_serve_without_redis_answers_from_a_relative_path(tmp_path):
    environment = site_environment(tmp_path, has_redis=False, has_tables=False)
    environment |= {"DATABASE_URL": "sqlite:///audit.sqlite3"}
    give_tables(tmp_path, "audit.sqlite3")
    with serving(environment, log=tmp_path / "log", folder=tmp_path) as server:
        # Two workers, sweeper, web.
        assert_all_is_up(server, tmp_path / "audit.sqlite3", part_count=4)

    assert open_to_others(tmp_path / "state") == []
    assert sorted(tmp_path.rglob("*.sqlite3")) == [tmp_path / "audit.sqlite3"]


def assert_all_is_up(server, database, *, part_count):
    answer = server.first_answer
    assert (answer.status_code, "Log in" in answer.text) == (200, True)
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert httpx.get(f"{server.url}health/", timeout=60).status_code == 200
    with sqlite3.connect(database, timeout=30) as connection:
        seen = "select kind from annotation_process where kind = 'sweeper'"
        wait_until(lambda: connection.execute(seen).fetchall())
    assert len(children_of(server.pid)) == part_count


def open_to_others(state):
    """Return what other accounts of the machine may read, where they get into the folder."""
    files = (path for path in state.rglob("*") if path.is_file())
    return [str(path) for path in (state, *files) if path.stat().st_mode & 0o077]


def test_a_port_in_use_ends_it_at_once_with_one_line(tmp_path):
    environment = site_environment(tmp_path, has_tables=False, has_static_files=False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "manage.py", "serve", "--port", str(port)]
        done = subprocess.run(
            command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    said = f"CommandError: port {port} of 127.0.0.1 is in use; choose another one with --port\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    assert (tmp_path / "state" / "piev.sqlite3").stat().st_size == 0  # not migrated


def test_a_kill_under_load_loses_no_save_and_one_of_all_leaves_nothing(tmp_path):
    environment = site_environment(tmp_path)
    raters = prepare_raters(RATERS, environment)
    with serving(environment, log=tmp_path / "log") as server:
        # Redis, worker, sweeper, web.
        assert_all_is_up(server, tmp_path / "state" / "piev.sqlite3", part_count=4)
        with raters_at_work(server.port, raters) as load:
            wait_until(lambda: len(load.saved) >= SAVES_BEFORE_KILL)
            [master] = parts_of(server, "gunicorn")
            orphans = children_of(master)
            os.kill(master, signal.SIGKILL)
            wait_until(lambda: not any(map(is_running, orphans)))
            [new_master] = wait_until(lambda: parts_of(server, "gunicorn"))
            saved_by_orphans = len(load.saved)
            wait_until(lambda: len(load.saved) >= saved_by_orphans + SAVES_BEFORE_KILL)
        parts = children_of(server.pid)
        processes = [process for part in parts for process in (part, *children_of(part))]
        server.kill()
        wait_until(lambda: not any(map(is_running, processes)))

    assert new_master != master
    assert len(orphans) == 2
    assert load.refused == []
    assert times_logged(tmp_path / "state" / "piev.sqlite3") == dict.fromkeys(load.saved, 1)
    assert open_to_others(tmp_path / "state") == []
    assert "web was ended by SIGKILL; starting it again" in (tmp_path / "log").read_text()
    with socket.create_server(("127.0.0.1", server.port)) as again:
        assert again.getsockname()[1] == server.port
