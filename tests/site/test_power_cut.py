"""What was answered is on the disk: a power cut takes back nothing."""

import http.client
import os
import shutil
import signal
import sqlite3
import subprocess
import sys

import pytest
from django.conf import settings

from tests.site.power_cut import Disk, count_syncs, cuts_at_answers, strace_command
from tests.site.raters import change_body, prepare_raters
from tests.site.serving import children_of, free_port, site_environment, wait_for_page

SAVES = 30
SEQUENCES = "select client_sequence from annotation_ratingevent order by client_sequence"
COMMITTER = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(f"PRAGMA synchronous={sys.argv[2]}")
for number in range(5):
    connection.execute("insert into saved values (?)", [number])
    os.write(1, b"saved")
os._exit(0)  # A clean end would put the log into the database.
"""


def numbers_after(disk, statement, folder):
    """Return what the statement finds in the database that the disk would hold after a cut."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path, content in disk.files.items():
        (folder / path.rsplit("/", 1)[1]).write_bytes(content)
    (database,) = folder.glob("*.sqlite3")
    with sqlite3.connect(database) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
        numbers = [number for (number,) in connection.execute(statement)]
    connection.close()
    return numbers


@pytest.mark.parametrize(
    ("synchronous", "kept"),
    [
        ("FULL", [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4]]),
        ("NORMAL", [[], [], [], [], []]),
    ],
)
def test_the_replay_tells_a_synced_commit_from_one_that_is_not(tmp_path, synchronous, kept):
    database, log = tmp_path / "a.sqlite3", tmp_path / "strace"
    with sqlite3.connect(database) as connection:
        connection.execute("pragma journal_mode=wal")
        connection.execute("create table saved (number)")
    connection.close()
    disk = Disk({str(database): bytearray(database.read_bytes())})
    command = [*strace_command(str(log)), sys.executable, "-c", COMMITTER]
    subprocess.run([*command, str(database), synchronous], check=True)

    found = [
        numbers_after(cut, "select number from saved", tmp_path / "cut")
        for cut in cuts_at_answers(log, disk, answer=b"saved")
    ]

    assert found == kept


def test_every_answered_save_survives_a_power_cut(tmp_path):
    environment = site_environment(tmp_path)
    [rater] = prepare_raters(1, environment)
    database, log = tmp_path / "state" / "piev.sqlite3", tmp_path / "strace"
    assert not database.with_name("piev.sqlite3-wal").exists()
    disk = Disk({str(database): bytearray(database.read_bytes())})
    port = free_port()
    gunicorn = [sys.executable, "-m", "gunicorn", "--config", "python:piev_site.web_server"]
    command = [*strace_command(str(log)), *gunicorn, "--bind", f"127.0.0.1:{port}"]
    server = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment)
    try:
        wait_for_page(f"http://127.0.0.1:{port}/nowhere/", server, log)
        statuses = save_one_by_one(port, rater)
    finally:
        os.kill(children_of(server.pid)[0], signal.SIGTERM)
        server.wait(120)

    found = [
        numbers_after(cut, SEQUENCES, tmp_path / "cut")
        for cut in cuts_at_answers(log, disk, answer=b"HTTP/1.1 200")
    ]

    assert statuses == [200] * SAVES
    assert found == [list(range(1, count + 1)) for count in range(1, SAVES + 1)]
    assert count_syncs(log, f"{database}-wal") >= SAVES


def save_one_by_one(port, rater):
    headers = dict(line.split(": ", 1) for line in rater["headers"].splitlines())
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    statuses = []
    for number in range(1, SAVES + 1):
        body = change_body(number, "rater")
        connection.request(
            "POST", rater["path"], body, {**headers, "Content-Type": "application/json"}
        )
        answer = connection.getresponse()
        answer.read()
        statuses.append(answer.status)
    connection.close()
    return statuses
