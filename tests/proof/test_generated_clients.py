"""Other people's programs against the API: a client made from its schema, and an attacker."""

import importlib
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rest_framework.authtoken.models import Token

from annotation.engine.taxonomy import Mod
from annotation.models import Role
from tests.annotation.rating_changes import EVENT_ANSWERS
from tests.api_contract import document
from tests.factories import (
    PASSWORD,
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    EventFactory,
    SegmentationFactory,
    TakeFactory,
    TraceFactory,
    TraceStepFactory,
    UserFactory,
)

PROGRAMS = Path(sys.executable).parent
ATTACK_S = 300
GENERATOR_CONFIG = """
post_hooks: []
content_type_overrides:
  video/mp4: application/octet-stream
  image/png: application/octet-stream
  image/jpeg: application/octet-stream
  image/svg+xml: application/octet-stream
  application/pdf: application/octet-stream
  application/x-ndjson: text/plain
"""
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance"
)
# How busy the machine is says nothing about the site.
PATIENCE_S = 60
TRACE_COUNT = 3


@pytest.fixture
def schema_file(tmp_path):
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(document()))
    return file


@pytest.fixture
def site(transactional_db, settings, tmp_path):
    """Return what is there: a data set with traces of a mistake each, a researcher, a rater."""
    settings.MEDIA_ROOT = tmp_path / "media"
    researcher = UserFactory(username="researcher", role=Role.RESEARCHER)
    dataset = DatasetFactory(owner=researcher)
    for _ in range(TRACE_COUNT):
        trace = TraceFactory(dataset=dataset)
        event = EventFactory(trace=trace, index=0)
        TraceStepFactory(trace=trace, event=event, mod=Mod.ERROR)
    return dataset


@pytest.fixture
def generated(schema_file, tmp_path, monkeypatch):
    """Return a function that imports a module of the client that was made from the schema."""
    config = tmp_path / "config.yml"
    config.write_text(GENERATOR_CONFIG)
    made = subprocess.run(
        [
            PROGRAMS / "openapi-python-client", "generate", "--path", schema_file,
            "--output-path", tmp_path / "made_client", "--config", config, "--meta", "none",
            "--fail-on-warning",
        ],
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stdout + made.stderr
    monkeypatch.syspath_prepend(str(tmp_path))
    return lambda name: importlib.import_module(f"made_client.{name}")


class Caller:
    """Calls operations of the generated client as one person."""

    def __init__(self, generated, url, username):
        self.generated = generated
        plain = generated("client").Client(base_url=url)
        credentials = self.model("CredentialsRequest", username=username, password=PASSWORD)
        token = generated("api.account.token_create").sync(client=plain, body=credentials).token
        plain.get_httpx_client().close()
        self.client = generated("client").AuthenticatedClient(
            base_url=url, token=token, prefix="Token"
        )

    def close(self):
        self.client.get_httpx_client().close()

    def model(self, name, /, **fields):
        return getattr(self.generated("models"), name)(**fields)

    def call(self, operation, *args, **named):
        answer = self.generated(f"api.{operation}").sync_detailed(
            *args, client=self.client, **named
        )
        assert 200 <= answer.status_code < 300, (operation, answer.status_code, answer.content)
        return answer.parsed


@pytest.fixture
def caller(generated, live_server):
    """Return a function that logs somebody in; what it opened is closed after the test."""
    callers = []

    def log_in(username):
        callers.append(Caller(generated, live_server.url, username))
        return callers[-1]

    yield log_in
    for made in callers:
        made.close()


def rate_all(rater, assignment_id):
    """Answer what is missing until nothing is; returns the last state that the site told."""
    metrics = rater.generated("models").MetricEnum
    sheet = rater.call("assignments.assignment_ratings", assignment_id)
    sequence = 0
    while sheet.missing_count:
        key = sheet.missing[0]
        answer = EVENT_ANSWERS[key.metric.value]
        change = rater.model(
            "ChangeRequest",
            sequence=sequence,
            event=key.event,
            metric=metrics(key.metric.value),
            value=answer.value,
            confidence=answer.confidence,
            base_revision=0,
            rated_at=datetime.now(UTC),
        )
        body = rater.model("SaveRequest", client_id="script", changes=[change])
        saved = rater.call("assignments.assignment_changes_save", assignment_id, body=body)
        assert saved.saved == [sequence]
        sequence += 1
        sheet = rater.call("assignments.assignment_ratings", assignment_id)
    return sheet


def test_a_generated_client_runs_a_campaign(site, caller):
    UserFactory(username="mara")
    researcher = caller("researcher")
    [dataset] = researcher.call("datasets.datasets_list").results
    # Without a phase it would be a draft, whose round somebody has to open.
    main = researcher.generated("models").PhaseEnum("main")
    named = {"name": "Audit", "datasets": [dataset.id], "overlap": 1, "phase": main}
    new = researcher.model("NewCampaignRequest", **named)
    campaign = researcher.call("campaigns.campaign_create", body=new)
    people = researcher.model("NewRatersRequest", usernames=["mara"])
    added = researcher.call("campaigns.campaign_raters_add", campaign.id, body=people)
    assert added.added_count == TRACE_COUNT

    rater = caller("mara")
    queue = rater.call("assignments.assignments_list").results
    assert {(item.campaign, item.campaign_name) for item in queue} == {(campaign.id, "Audit")}
    for item in queue:
        rate_all(rater, item.id)
        assert rater.call("assignments.assignment_submit", item.id).status == "submitted"

    table = researcher.call("campaigns.campaign_ratings_csv", campaign.id)
    assert len(table.splitlines()) > TRACE_COUNT * len(EVENT_ANSWERS)
    rows = researcher.call("campaigns.campaign_agreement", campaign.id)
    assert {row.dataset for row in rows} == {dataset.id}
    assert researcher.call("campaigns.campaigns_retrieve", campaign.id).submitted_count == 3


def attack(url, schema_file, *, person, seconds, ids):
    """Have schemathesis ask everything in every way as one person; returns what it says."""
    operations = "".join(
        f'[[operations]]\ninclude-path-regex = "^/api/v1/{noun}/"\n'
        f'parameters = {{ "path.public_id" = "{public_id}" }}\n'
        for noun, public_id in ids.items()
    )
    config = schema_file.with_name("schemathesis.toml")
    config.write_text(operations)
    token = Token.objects.get_or_create(user=person)[0].key
    # Trials ask servers of the internet.
    return subprocess.run(
        [
            PROGRAMS / "schemathesis", "--config-file", config, "run", schema_file, "--url", url,
            "--header", f"Authorization: Token {token}", "--checks", CHECKS,
            "--exclude-path-regex", "/test/$", "--max-time", str(seconds),
            "--request-timeout", str(PATIENCE_S), "--continue-on-failure",
            "--suppress-health-check", "all", "--no-color",
        ],
        cwd=schema_file.parent,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip


def attack_as(role, *, site, url, schema_file, seconds):
    """Attack the objects of the site as its researcher or its rater; what broke, "" for nothing."""
    campaign = CampaignFactory(owner=site.owner)
    campaign.datasets.add(site)
    trace = site.traces.earliest("pk")
    assignment = AssignmentFactory(campaign=campaign, trace=trace)
    ids = {
        "datasets": site.public_id,
        "campaigns": campaign.public_id,
        "traces": trace.public_id,
        "takes": TakeFactory(dataset=site).public_id,
        "assignments": assignment.public_id,
    }
    person = site.owner if role == Role.RESEARCHER else assignment.rater
    ids["segmentations"] = SegmentationFactory(person=person).public_id

    said = attack(url, schema_file, person=person, seconds=seconds, ids=ids)
    return "" if said.returncode == 0 else said.stdout[-20_000:] + said.stderr[-5_000:]


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ANNOTATOR])
def test_nothing_that_can_be_sent_breaks_the_site_or_its_schema(
    site, live_server, schema_file, role
):
    broken = attack_as(
        role, site=site, url=live_server.url, schema_file=schema_file, seconds=ATTACK_S
    )

    assert broken == "", broken
