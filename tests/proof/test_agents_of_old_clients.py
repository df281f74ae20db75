"""A client on the SDK of protocol 0.3, in an environment of its own, completes an assessment."""

import json
import subprocess
import sys

import pytest

from benchmarks.management.assessor import StoredSite
from benchmarks.models import Assessment
from tests.benchmarks.agents.served import AnsweringAgent, agent_at, yes
from tests.benchmarks.agents.served_assessor import ServedAssessor, request_for, token_of
from tests.benchmarks.agents.test_assessor import Worker
from tests.benchmarks.asked import small_set
from tests.benchmarks.conftest import owner, sample  # noqa: F401
from tests.conftest import REPOSITORY

pytestmark = [pytest.mark.proof, pytest.mark.django_db(transaction=True)]
CLIENT = REPOSITORY / "tests" / "benchmarks" / "agents" / "old_client.py"
OLD_SDK = "a2a-sdk[http-server]==0.3.26"


@pytest.fixture(scope="session")
def old_python(tmp_path_factory):
    folder = tmp_path_factory.mktemp("old-sdk")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", OLD_SDK], check=True)
    return python


def test_client_of_protocol_0_3_completes_an_assessment(sample, owner, old_python):  # noqa: F811
    item_set = small_set(sample, owner, item_count=6)
    with AnsweringAgent(yes) as agent, ServedAssessor(StoredSite()) as assessor, Worker():
        agent_at(agent.url, owner)
        request = json.dumps(request_for(agent.url, item_set))
        ended = subprocess.run(
            [old_python, CLIENT, assessor.url, token_of(owner), request],
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip

    assert ended.stderr == ""
    told = json.loads(ended.stdout)
    assert told["states"][-1] == "completed"
    assert told["results"]["assessment"] == Assessment.objects.get(kind="agent").public_id
    assert len(agent.asked) == item_set.item_count
