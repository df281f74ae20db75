"""The researchers' page is right about formats, columns, proposals and its own example."""

import json
import re
import shutil
import subprocess

import pytest
from django.utils import timezone

from annotation.engine.corpus.formats import native
from annotation.engine.corpus.formats.native_labels import (
    ASSEMBLY101_PROPOSALS,
    CAPTAINCOOK4D_PROPOSALS,
    EGOOOPS_PROPOSALS,
    EGOPER_PROPOSALS,
)
from annotation.engine.corpus.formats.registry import available_formats
from annotation.engine.ratings.columns import COLUMNS, WRITTEN_COLUMNS
from annotation.models import Rating, Role
from sample.site import PASSWORD, RESEARCHER
from tests.docs.pages import CODE_BLOCK, REPOSITORY, text_of
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    EventFactory,
    TraceFactory,
    UserFactory,
)

PAGE = REPOSITORY / "docs" / "researchers.md"


def section(title):
    """Return what stands under a heading, up to the next one."""
    text = text_of(PAGE)
    start = text.index(f"# {title}\n")
    end = re.search(r"^#+ ", text[start + 2 :], re.MULTILINE)
    return text[start : start + 2 + end.start()] if end else text[start:]


def test_every_format_has_its_row():
    rows = re.findall(r"^\| `(\w+)` \|", section("The formats"), re.MULTILINE)

    assert sorted(rows) == sorted(available_formats())


def test_columns_of_the_rating_table_are_explained_in_order():
    cells = re.findall(r"^\| (`[^|]+`) \|", section("Export and import ratings"), re.MULTILINE)

    assert tuple(re.findall(r"`(\w+)`", " ".join(cells))) == tuple(
        column.name for column in COLUMNS
    )


def test_proposed_types_cover_every_native_label():
    text = section("Proposed types")
    tables = (EGOOOPS_PROPOSALS, CAPTAINCOOK4D_PROPOSALS, ASSEMBLY101_PROPOSALS, EGOPER_PROPOSALS)

    unnamed = [
        label for table in tables for label in table if label.removesuffix(" Error") not in text
    ]

    assert unnamed == []


def test_example_of_the_native_format_can_be_read(tmp_path):
    (example,) = [
        body
        for language, body in CODE_BLOCK.findall(section("Your own data"))
        if language == "json"
    ]
    path = tmp_path / "tea.json"
    path.write_text(json.dumps(json.loads(example)))

    reading = native.read(path)

    counts = (len(reading.takes), len(reading.traces), len(reading.traces[0].events))
    assert counts == (1, 1, 1)


@pytest.fixture
def sample_campaign(transactional_db):
    """The researcher of the sample site, with a campaign that has an answer."""
    researcher = UserFactory(username=RESEARCHER, role=Role.RESEARCHER)
    researcher.set_password(PASSWORD)
    researcher.save()
    trace = TraceFactory(dataset=DatasetFactory(owner=researcher))
    campaign = CampaignFactory(owner=researcher)
    campaign.datasets.add(trace.dataset)
    assignment = AssignmentFactory(campaign=campaign, trace=trace)
    Rating.objects.create(
        assignment=assignment,
        event=EventFactory(trace=trace),
        metric="error_validity",
        value="yes",
        revision=1,
        rated_at=timezone.now(),
    )
    return campaign


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_examples_work_as_they_stand(sample_campaign, live_server, tmp_path):
    blocks = [
        body for kind, body in CODE_BLOCK.findall(section("Scripts: the API")) if kind == "sh"
    ]
    (example,) = [
        body for kind, body in CODE_BLOCK.findall(section("Your own data")) if kind == "json"
    ]
    (tmp_path / "tea.json").write_text(example)
    script = "set -e\n" + "echo\n".join(blocks).replace("CAMPAIGN", sample_campaign.public_id)
    script = script.replace("http://127.0.0.1:8000", live_server.url)

    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    campaigns, figures, imported = done.stdout.splitlines()
    assert json.loads(campaigns)["results"][0]["id"] == sample_campaign.public_id
    assert json.loads(figures)[0]["ratings"] == 1
    assert json.loads(imported)["traces"] == 1
    table = (tmp_path / "ratings.csv").read_text().splitlines()
    assert (table[0], len(table)) == (",".join([*WRITTEN_COLUMNS, "rubric_version"]), 2)
