"""A site that is served by processes of its own."""

import socket
import sqlite3
import subprocess
import time

import httpx
import pytest

from annotation.sample import load_corpus

START_LIMIT_S = 60
GENERATE_LIMIT_S = 120


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_page(url, server, limit_s=START_LIMIT_S):
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        assert server.poll() is None, server.stdout.read()
        try:
            return httpx.get(url)
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail(f"no answer from {url} in {limit_s} s")


def children_of(process_id):
    """Return the ids of the processes that `process_id` started, read from the process table."""
    listing = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(process_id)], capture_output=True, text=True, check=False
    )
    return [int(line) for line in listing.stdout.split()]


def wait_for_traces(database):
    """Return how many traces with an ingested video each published data set has, once all are."""
    deadline = time.monotonic() + GENERATE_LIMIT_S
    statement = """
        select dataset.name, count(*) from generation_publishedtrace published
        join annotation_trace trace on trace.id = published.trace_id
        join annotation_videoingest ingest on ingest.video_id = trace.video_id
            and ingest.folder <> ''
        join annotation_dataset dataset on dataset.id = trace.dataset_id group by dataset.name
    """
    counts = {}
    while time.monotonic() < deadline and sum(counts.values()) < len(load_corpus().takes):
        time.sleep(0.2)
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30) as connection:
            counts = dict(connection.execute(statement).fetchall())
    return counts
