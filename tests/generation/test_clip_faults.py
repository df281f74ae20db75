"""A process that orders a clip is killed for real: the clip is not bought twice, or it is told.

Orders are counted at the server, which stands for the one who sends the bill.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import pytest
from django.conf import settings

from tests.fakes.video_provider_server import DONE, JOB, TAKE, WAIT, VideoProviderServer
from tests.leases import let_leases_run_out
from tests.migrated import DATABASE, give_tables
from tests.recordings import CLIP, write_recording

QUERY = f"/contents/generations/tasks/{JOB}"
LIMIT_S = 300
PAUSE_S = 0.01
ATTEMPTS = "select resumes, job_id, outcome, price from generation_clipattempt order by id"
CALLS = "select status, job_id, error_kind from generation_clipcall"


class Site:
    """A site of its own with a provider, and processes that order one and the same clip."""

    def __init__(self, folder, server):
        self.folder, self.server, self.database = folder, server, folder / DATABASE
        self.environment = {**os.environ, "PIEV_STATE": str(folder), "LOG_LEVEL": "ERROR"}
        self.environment |= {
            "DJANGO_SETTINGS_MODULE": "piev_site.settings",
            "SECRET_KEY": "only-for-tests",
        }
        for name in ("DATABASE_URL", "MEDIA_ROOT", "REDIS_URL"):
            self.environment.pop(name, None)
        self.recording = write_recording(folder / "recording.mp4")
        give_tables(folder)

    def _run(self, *command):
        return subprocess.Popen(
            command,
            cwd=settings.BASE_DIR,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ordering(self):
        module = "tests.generation.ordering_process"
        out = str(self.folder / "clip.mp4")
        arguments = [self.server.url, str(self.recording), out]
        return self._run(sys.executable, "-m", module, *arguments)

    def providing(self):
        module = "tests.generation.providing_process"
        folder = str(self.folder / "recordings")
        return self._run(sys.executable, "-m", module, self.server.url, folder)

    def ordered(self):
        """Return what comes of the order in a process that nobody disturbs."""
        return self.undisturbed(self.ordering)

    def undisturbed(self, start):
        with start() as process:
            return process.communicate(timeout=LIMIT_S)[0]

    def killed_when(self, is_time, start=None):
        """Order, and kill the process the moment that something is true."""
        with (start or self.ordering)() as process:
            ends_at = time.monotonic() + LIMIT_S
            while not is_time() and time.monotonic() < ends_at:
                time.sleep(PAUSE_S)
            os.kill(process.pid, signal.SIGKILL)

    def polled(self):
        """Return the jobs that were asked for."""
        return {asked.path for asked in self.server.asked if asked.path.startswith(QUERY)}

    def rows(self, statement):
        with sqlite3.connect(self.database, timeout=30) as connection:
            return connection.execute(statement).fetchall()


@pytest.fixture
def site(tmp_path):
    content = write_recording(
        tmp_path / "made.mp4", replace(CLIP, frame_count=12 * 24)
    ).read_bytes()
    with VideoProviderServer("seedance", content) as server:
        yield Site(tmp_path, server)


def test_job_of_a_killed_process_is_asked_for_and_not_ordered_again(site):
    site.server.polls = [WAIT]
    site.killed_when(lambda: site.server.poll_count)
    at_kill = site.rows(CALLS)
    let_leases_run_out(site.database)
    site.server.polls = [DONE]

    outcome = site.ordered()

    assert (at_kill, outcome) == ([("running", JOB, "")], "made")
    assert len(site.server.submitted) == 1
    assert site.rows(CALLS) == [("made", JOB, "")]
    assert site.rows(ATTEMPTS) == [(0, JOB, "lost", 0.2), (1, JOB, "answered", None)]


def test_order_of_unknown_outcome_is_reported_before_it_may_be_sent_again(site):
    site.server.submissions = [{"do": "take", "latency_s": 60}, TAKE]
    site.killed_when(lambda: site.server.submitted)
    at_kill = site.rows(CALLS)
    let_leases_run_out(site.database)

    told = site.ordered()
    paid_before_retry, known = len(site.server.submitted), site.rows(CALLS)
    retried = site.ordered()

    assert (at_kill, told) == ([("ordering", "", "")], "UnclearSubmissionError")
    assert (paid_before_retry, known) == (1, [("unclear", "", "lost")])
    assert (retried, len(site.server.submitted)) == ("made", 2)
    assert site.rows(ATTEMPTS) == [(0, "", "lost", None), (0, JOB, "answered", 0.2)]


def test_clip_that_was_made_is_read_by_the_next_process(site):
    site.ordered()
    (site.folder / "clip.mp4").unlink()

    assert site.ordered() == "made"

    assert len(site.server.submitted) == 1
    assert (site.folder / "clip.mp4").is_file()


def test_worker_killed_in_the_middle_of_a_run_pays_once_for_every_clip(site):
    # One clip is made, the two others are under way, their jobs known.
    site.server.numbers_jobs = True
    site.server.polls = [DONE, WAIT]
    states = "select status from generation_clipcall"
    site.killed_when(
        lambda: len(site.polled()) == 3 and ("made",) in site.rows(states), site.providing
    )
    at_kill = Counter(status for (status,) in site.rows(states))
    site.server.polls = [DONE]
    let_leases_run_out(site.database)

    status = site.undisturbed(site.providing)

    calls = site.rows(states)
    clips = site.rows("select count(*) from generation_takeclip where maker != 'bridge'")
    lost = site.rows("select count(*) from generation_clipattempt where outcome = 'lost'")
    assert status == "done"
    assert at_kill["made"] == 1
    assert at_kill["running"] == 2
    assert len(site.server.submitted) == len(calls) == clips[0][0] == 3
    assert {status for (status,) in calls} == {"made"}
    assert lost == [(2,)]
