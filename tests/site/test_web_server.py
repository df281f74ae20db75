"""gunicorn as `serve` and the documented commands start it."""

import http.client
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest
import yaml
from django.conf import settings

from annotation.management.commands.serve import listening_socket, web_command
from piev_site import web_server
from tests.site.serving import children_of, free_port, wait_for_page, wait_until

SETTINGS_MODULE = "python:piev_site.web_server"
# gunicorn's own keep-alive is 2 s, and it looks once a second.
PAUSE_OF_A_RATER_S = 5


@contextmanager
def slow_app(folder):
    """Serve the slow application with the site's settings for gunicorn."""
    url = f"http://127.0.0.1:{free_port()}/"
    command = [sys.executable, "-m", "gunicorn", "--config", SETTINGS_MODULE]
    command += ["--bind", url.removeprefix("http://").rstrip("/"), "tests.site.slow_app"]
    environment = {**os.environ, "SLOW_APP_FOLDER": str(folder)}
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=settings.BASE_DIR, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    server.url = url
    with server:
        try:
            wait_for_page(url, server, folder / "log")
            yield server
        finally:
            server.terminate()


def test_a_rater_may_think_between_two_saves(tmp_path):
    with slow_app(tmp_path) as server:
        host = httpx.URL(server.url)
        connection = http.client.HTTPConnection(host.host, host.port)
        connection.request("GET", "/")
        connection.getresponse().read()
        first_socket = connection.sock
        time.sleep(PAUSE_OF_A_RATER_S)
        connection.request("GET", "/")
        answer = connection.getresponse()

        assert (answer.status, answer.read()) == (200, b"ok")
        assert connection.sock is first_socket
        connection.close()
    assert web_server.keepalive == 75


def test_a_stopped_server_answers_what_it_was_asked_before(tmp_path):
    with slow_app(tmp_path) as server, ThreadPoolExecutor() as pool:
        asked = pool.submit(httpx.get, f"{server.url}slow", timeout=60)
        wait_until((tmp_path / "STARTED").exists)
        server.send_signal(signal.SIGTERM)
        (tmp_path / "GO").touch()

        assert asked.result().text == "ok"
        assert server.wait(60) == 0


def test_the_code_is_loaded_once_and_not_again_after_a_kill(tmp_path):
    with slow_app(tmp_path) as server:
        workers = wait_until(lambda: children_of(server.pid))
        os.kill(workers[0], signal.SIGKILL)
        wait_until(lambda: set(children_of(server.pid)) - set(workers))

        assert httpx.get(server.url, timeout=60).text == "ok"
        assert (tmp_path / "LOADED").read_text() == f"{server.pid}\n"


def gunicorn_commands():
    compose = yaml.safe_load((settings.BASE_DIR / "docker-compose.yml").read_text())
    image = re.findall(r"^CMD (\[.*\])$", (settings.BASE_DIR / "Dockerfile").read_text(), re.M)
    manual = (settings.BASE_DIR / "docs" / "administrators.md").read_text()
    with listening_socket("127.0.0.1", 0) as listener:
        served = web_command(listener)
    return {
        "serve": " ".join(served),
        "compose": " ".join(compose["services"]["web"]["command"]),
        "image": " ".join(yaml.safe_load(image[0])),
        **{f"docs {line}": line for line in re.findall(r"^.*gunicorn .*$", manual, re.M)},
    }


@pytest.mark.parametrize("command", gunicorn_commands().values(), ids=gunicorn_commands())
def test_every_command_that_starts_the_web_server_takes_its_settings(command):
    assert f"--config {SETTINGS_MODULE}" in command


def test_the_front_server_of_the_docs_keeps_connections_as_long():
    manual = (settings.BASE_DIR / "docs" / "administrators.md").read_text()

    assert f"keepalive_timeout {web_server.keepalive}s;" in manual
