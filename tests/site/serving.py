"""A site that is served by processes of its own."""

import socket
import subprocess
import time

import httpx
import pytest

START_LIMIT_S = 60


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
