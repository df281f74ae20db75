"""A client on the SDK of protocol 0.3, in an environment of its own, completes an assessment.

Assessor, agent and worker are processes of their own, too.
"""

import json
import subprocess
import sys

import pytest

from tests.benchmarks.agents.processes import ANSWERS, Site
from tests.benchmarks.answering_server import AnsweringServer
from tests.benchmarks.sample_answers import answer_of
from tests.conftest import REPOSITORY

pytestmark = pytest.mark.proof
CLIENT = REPOSITORY / "tests" / "benchmarks" / "agents" / "old_client.py"
OLD_SDK = "a2a-sdk[http-server]==0.3.26"


@pytest.fixture(scope="session")
def old_python(tmp_path_factory):
    folder = tmp_path_factory.mktemp("old-sdk")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", OLD_SDK], check=True)
    return python


def test_client_of_protocol_0_3_completes_an_assessment(tmp_path, old_python):
    with (
        AnsweringServer(answers=answer_of) as server,
        Site(tmp_path / "site", server, "step_mistakes", 6) as site,
    ):
        ended = subprocess.run(
            [old_python, CLIENT, site.url_of("assessor"), site.token, json.dumps(site.request)],
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        [answers] = site.rows(ANSWERS)

    assert ended.stderr == ""
    told = json.loads(ended.stdout)
    assert told["states"][-1] == "completed"
    assert told["results"]["counts"]["read"] == len(answers) == 6
    assert len(server.asked) == 6
