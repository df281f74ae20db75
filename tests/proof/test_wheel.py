"""The wheel, installed by pip into an empty environment, demos and serves from an empty folder."""

import os
import subprocess
import sys

import pytest
from django.conf import settings

from sample.corpus import load_corpus
from sample.management.commands.demo import RUN_NAME
from tests.site.installing import FOREIGN_VARIABLES, build_wheel
from tests.site.serving import free_port, wait_for_page, wait_for_traces

pytestmark = pytest.mark.proof


def test_the_wheel_demos_and_serves_from_an_empty_folder(tmp_path):
    environment = tmp_path / "environment"
    empty = tmp_path / "empty"
    empty.mkdir()
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pip = [environment / "bin" / "pip", "install", "--quiet"]
    constraints = settings.BASE_DIR / "constraints.txt"
    wheel = build_wheel(tmp_path / "wheel")
    subprocess.run([*pip, "--constraint", constraints, wheel], check=True)
    kept = {name: text for name, text in os.environ.items() if name not in FOREIGN_VARIABLES}
    of_the_user = {"cwd": empty, "env": {**kept, "HOME": str(tmp_path)}}
    piev = environment / "bin" / "piev"
    state = tmp_path / ".local" / "share" / "piev"

    demo = subprocess.run(
        [piev, "demo"], **of_the_user, capture_output=True, text=True, check=False
    )
    assert demo.returncode == 0, demo.stderr
    port = free_port()
    with subprocess.Popen(
        [piev, "serve", "--port", str(port)],
        **of_the_user,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        try:
            login = wait_for_page(f"http://127.0.0.1:{port}/login/", server)
            traces = wait_for_traces(state / "piev.sqlite3")
        finally:
            server.terminate()

    assert "password of all: piev-demo" in demo.stdout
    assert "Log in" in login.text
    assert traces == {RUN_NAME: len(load_corpus().takes)}
    assert list(empty.iterdir()) == []
