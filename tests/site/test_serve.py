"""`manage.py serve` brings up web and worker, and takes everything down again."""

import os
import shutil
import signal
import subprocess
import sys

import pytest
from django.conf import settings

from tests.site.serving import children_of, free_port, wait_for_page


def is_running(process_id):
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(params=["private redis", "files"])
def server(request, tmp_path):
    """Run `manage.py serve` on a fresh state folder, with and without a redis-server in reach."""
    environment = {**os.environ, "PIEV_STATE": str(tmp_path / "state")}
    environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "LOG_LEVEL": "WARNING"}
    for name in ("REDIS_URL", "DATABASE_URL"):
        environment.pop(name, None)
    if request.param == "files":
        environment["PATH"] = str(tmp_path)
    elif shutil.which("redis-server") is None:
        pytest.fail("redis-server is missing; on Debian: apt-get install redis-server")
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", str(port)],
        cwd=settings.BASE_DIR,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    process.url = f"http://127.0.0.1:{port}/"
    process.expects_redis = request.param == "private redis"
    with process:
        yield process
        process.kill()


def test_serve_answers_and_leaves_nothing_running(server):
    answer = wait_for_page(server.url + "login/", server)
    children = children_of(server.pid)

    server.send_signal(signal.SIGTERM)
    server.wait(30)

    assert (answer.status_code, "Log in" in answer.text) == (200, True)
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    # Redis, worker, sweeper, web; without Redis two workers, sweeper, web.
    assert len(children) == 4
    assert [child for child in children if is_running(child)] == []
