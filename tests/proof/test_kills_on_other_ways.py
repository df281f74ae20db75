"""Kills that `make test` does in one way, done in the other: Redis as queue, the newer protocol."""

import shutil
import subprocess
from contextlib import contextmanager

import pytest

from tests.annotation.test_ingest_faults import (
    assert_next_worker_goes_on,
    site,  # noqa: F401
    wait_until,
)
from tests.generation.test_text_call_faults import (
    assert_misbehaviour_is_recorded,
    state,  # noqa: F401
)


@contextmanager
def redis_server(folder):
    """Run a Redis of the test's own and give its address."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.fail("redis-server is missing; on Debian: apt-get install redis-server")
    socket = folder / "redis.sock"
    command = [program, "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", folder]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            wait_until(socket.exists)
            yield f"redis+socket://{socket}"
        finally:
            server.terminate()


@pytest.mark.redis
def test_killed_worker_leaves_its_segments_to_the_next_on_redis(site, tmp_path):  # noqa: F811
    with redis_server(tmp_path) as address:
        assert_next_worker_goes_on({**site, "REDIS_URL": address}, tmp_path)


def test_every_misbehaviour_over_responses_is_recorded(state):  # noqa: F811
    assert_misbehaviour_is_recorded(state, "responses", "responses")
