"""Raters who save without a pause and send each change again until it is answered."""

import http.client
import itertools
import json
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager

from django.conf import settings

EVENTS_PER_TRACE = 3
METRICS = ("human_plausibility", "confusability", "sequence_consistency")
ANSWER_LIMIT_S = 60
PAUSE_S = 0.05


def prepare_raters(count, environment):
    """Make the site's tables with so many raters; return their addresses and headers."""
    prepare = [sys.executable, "-m", "bench.saves_site", "prepare", str(count)]
    done = subprocess.run(
        prepare, cwd=settings.BASE_DIR, env=environment, check=True, stdout=subprocess.PIPE
    )
    return json.loads(done.stdout)


def change_body(number, client_id):
    """Return the request body of a rater's change number so and so."""
    change = {
        "sequence": number,
        "event": number % EVENTS_PER_TRACE,
        "metric": METRICS[number // EVENTS_PER_TRACE % len(METRICS)],
        "value": str(number % 5 + 1),
        "confidence": None,
        "base_revision": 0,
        "rated_at": "2026-01-01T00:00:00Z",
    }
    return json.dumps({"client_id": client_id, "changes": [change]})


class RatersAtWork:
    """Raters on kept-open connections, and every change of theirs that was answered."""

    def __init__(self, port, raters, body_of):
        self.port = port
        self.body_of = body_of
        self.saved = []
        self.saved_at = []
        self.resent = 0
        self.refused = []
        self.is_over = threading.Event()
        self.threads = [
            threading.Thread(target=self.rate, args=(f"rater-{number}", rater), daemon=True)
            for number, rater in enumerate(raters)
        ]

    def rate(self, client_id, rater):
        headers = dict(line.split(": ", 1) for line in rater["headers"].splitlines())
        headers["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_LIMIT_S)
        for number in itertools.count(1):
            body = self.body_of(number, client_id)
            while not self.is_saved(connection, rater["path"], body, headers):
                self.resent += 1
                time.sleep(PAUSE_S)
            self.saved_at.append(time.monotonic())
            self.saved.append((client_id, number))
            if self.is_over.is_set():
                break
        connection.close()

    def longest_silence_s(self):
        """Return the longest time in which nobody's save was answered."""
        return max(after - before for before, after in itertools.pairwise(sorted(self.saved_at)))

    def is_saved(self, connection, path, body, headers):
        try:
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return False
        if answer.status != http.HTTPStatus.OK:
            self.refused.append((answer.status, text[:200]))
        return answer.status == http.HTTPStatus.OK


@contextmanager
def raters_at_work(port, raters, body_of=change_body):
    """Let the raters work; at the end each one brings its last change through."""
    load = RatersAtWork(port, raters, body_of)
    for thread in load.threads:
        thread.start()
    try:
        yield load
    finally:
        load.is_over.set()
        for thread in load.threads:
            thread.join(2 * ANSWER_LIMIT_S)


def times_logged(database):
    """Return how often each change of each rater stands in the log."""
    statement = "select client_id, client_sequence from annotation_ratingevent"
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30) as connection:
        return Counter(connection.execute(statement).fetchall())
