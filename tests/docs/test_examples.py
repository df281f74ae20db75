"""The scripts of the documentation do what they say, against a live site."""

import hashlib
import json
import re
import subprocess
import sys

import pytest

from annotation.models import Campaign, Rating, Role
from annotation.services.corpus.imports import ImportTarget, import_reading
from sample.corpus import load_corpus
from sample.site import DATASET_NAME, PASSWORD, RATERS, RESEARCHER
from tests.docs.pages import REPOSITORY
from tests.factories import UserFactory

SCRIPT = REPOSITORY / "docs" / "examples" / "protocol.py"


@pytest.fixture
def sample_people(transactional_db):
    """The sample corpus without its videos, and the demo accounts."""
    people = [UserFactory(username=name) for name in RATERS]
    people.append(UserFactory(username=RESEARCHER, role=Role.RESEARCHER))
    for person in people:
        person.set_password(PASSWORD)
        person.save()
    target = ImportTarget(name=DATASET_NAME, format="native", owner=people[-1])
    import_reading(load_corpus(), target=target, actor=people[-1])


def test_a_whole_audit_over_the_api(sample_people, live_server, tmp_path):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), live_server.url, DATASET_NAME],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    campaign = Campaign.objects.get()
    assert campaign.state == "released"
    pilot, main = campaign.rounds.order_by("number")
    assert (pilot.phase, main.phase) == ("pilot", "main")
    rated = Rating.objects.values_list("assignment__round", "guideline__content_hash").distinct()
    assert set(rated) == {
        (pilot.pk, pilot.guideline.content_hash), (main.pk, main.guideline.content_hash),
    }  # fmt: skip
    assert len({*rated}) == 2
    assert re.search(r"^round 1: alpha .*\nround 2: alpha ", done.stdout, re.MULTILINE)
    assert re.search(r"^before minus after: \S+ \[\S+, \S+\]$", done.stdout, re.MULTILINE)
    for filed in campaign.protocol_files.all():
        content = (tmp_path / f"protocol-{filed.moment}.json").read_bytes()
        assert hashlib.sha256(content).hexdigest() == filed.content_hash
        assert json.loads(content)["analysis"]["metrics"] == ["human_plausibility"]
