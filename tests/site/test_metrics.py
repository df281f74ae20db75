"""What programs that watch the site read, by the parser of Prometheus' own client and as JSON."""

from datetime import timedelta

import httpx
import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from annotation.models import Job, JobStatus, Process, ProcessKind, Role
from annotation.selectors.records.status import installed_version
from piev_site import metrics
from tests.factories import UserFactory
from tests.site.serving import serving, site_environment

TOKEN = "only-for-tests"
LIMIT_S = 120


def figures(text):
    """Every figure by its name and labels."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def scraped(client, settings, db):
    settings.METRICS_TOKEN = TOKEN

    def scrape():
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.status_code == 200
        return figures(answer.content.decode())

    return scrape


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer ", "Bearer other", TOKEN])
@pytest.mark.parametrize("token", ["", TOKEN])
def test_nobody_without_the_token_finds_them(client, settings, db, given, token):
    settings.METRICS_TOKEN = token

    assert client.get("/metrics", headers={"Authorization": given}).status_code == 404


def test_the_state_of_jobs_workers_and_disks_is_told(scraped, settings, tmp_path):
    settings.BACKUP_FOLDER = tmp_path
    (tmp_path / "monday.dump").touch()
    hour_ago = timezone.now() - timedelta(hours=1)
    for key, status in (("1", JobStatus.QUEUED), ("2", JobStatus.QUEUED), ("3", JobStatus.FAILED)):
        Job.objects.create(kind="ingest", key=key, payload={}, status=status, queued_at=hour_ago)
    seen = {"version": "1", "started_at": hour_ago}
    Process.objects.create(kind=ProcessKind.WORKER, name="a", seen_at=timezone.now(), **seen)
    Process.objects.create(kind=ProcessKind.WORKER, name="b", seen_at=hour_ago, **seen)

    found = scraped()

    assert found["piev_jobs", "ingest", "queued"] == 2
    assert found["piev_jobs", "ingest", "failed"] == 1
    assert 3600 <= found["piev_oldest_queued_job_seconds", "ingest"] < 7200
    workers = [found["piev_process_up", ProcessKind.WORKER.label, name] for name in "ab"]
    assert workers == [1, 0]
    assert 0 <= found["piev_backup_age_seconds",] < 3600
    assert found["piev_database_up",] == 1
    [free] = [value for name, value in found.items() if name[0] == "piev_disk_free_bytes"]
    assert free > 0


def test_requests_are_counted_by_route_and_never_by_address(scraped, client):
    before = scraped()
    for token in ("secret-one", "secret-two"):
        client.get(f"/join/{token}/")
    client.generic("BREW", "/nowhere/")

    found = scraped()

    joined = ("piev_requests_total", "GET", "join", "404")
    assert found[joined] - before.get(joined, 0) == 2
    assert found["piev_requests_total", "other", "none", "404"] >= 1
    assert not [name for name in found if "secret" in " ".join(name)]


def test_a_database_that_does_not_answer_is_a_figure(scraped, monkeypatch):
    def refused():
        raise DatabaseError

    monkeypatch.setattr(metrics, "queue_lines", refused)

    assert scraped()["piev_database_up",] == 0


@pytest.fixture
def client_with_token(settings):
    settings.METRICS_TOKEN = TOKEN
    return Client(headers={"Authorization": f"Bearer {TOKEN}"})


def test_the_state_of_the_site_is_told_as_json(client_with_token, settings, tmp_path, db):
    settings.BACKUP_FOLDER = tmp_path
    hour_ago = timezone.now() - timedelta(hours=1)
    Job.objects.create(kind="ingest", key="1", payload={}, queued_at=hour_ago)
    failed = Job.objects.create(
        kind="ingest", key="2", payload={}, status=JobStatus.FAILED, queued_at=hour_ago,
        error="No space left on device", finished_at=hour_ago, attempt=3,
    )  # fmt: skip
    Process.objects.create(
        kind=ProcessKind.WORKER, name="a", seen_at=hour_ago, version="1", started_at=hour_ago
    )

    told = client_with_token.get("/status.json").json()

    assert (told["database_answers"], told["version"]) == (True, installed_version())
    assert [sentence[:21] for sentence in told["advice"]] == [
        "No worker is running:",
        "No sweeper is running",
    ]
    [process] = told["processes"]
    assert (process["name"], process["is_late"]) == ("a", True)
    [line] = told["queue"]
    assert (line["kind"], line["queued_count"], line["failed_count"]) == ("ingest", 1, 1)
    assert told["failed_count"] == 1
    assert told["failed"] == [
        {
            "public_id": failed.public_id, "kind": "ingest", "key": "2", "attempt": 3,
            "error": "No space left on device", "finished_at": told["queue"][0]["oldest_at"],
        }
    ]  # fmt: skip
    assert told["backup"] == {
        "folder": str(tmp_path), "name": "", "made_at": None, "is_old": True
    }  # fmt: skip
    assert {"label", "folder", "total_bytes", "free_bytes", "is_low"} == set(told["disks"][0])
    assert "Django" in told["versions"]


def test_the_state_as_json_is_for_administrators_and_the_token(
    client, settings, admin_client, client_with_token
):
    researcher = Client()
    researcher.force_login(UserFactory(role=Role.RESEARCHER))

    clients = (client_with_token, admin_client, researcher, client)
    assert [one.get("/status.json").status_code for one in clients] == [200, 200, 404, 404]

    settings.METRICS_TOKEN = ""
    assert [one.get("/status.json").status_code for one in clients] == [404, 200, 404, 404]


def test_the_state_is_told_as_json_where_the_database_does_not_answer(
    client_with_token, monkeypatch
):
    def refused():
        raise DatabaseError

    monkeypatch.setattr(metrics, "seen_processes", refused)

    told = client_with_token.get("/status.json").json()

    assert told["database_answers"] is False
    assert told["advice"] == ["The database does not answer."]


def test_the_processes_of_a_web_server_count_together(tmp_path):
    environment = site_environment(tmp_path, has_redis=False, METRICS_TOKEN=TOKEN)
    with serving(environment, log=tmp_path / "log") as server:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        for _ in range(20):
            httpx.get(f"{server.url}health/", timeout=LIMIT_S).raise_for_status()
        counts = [
            figures(httpx.get(f"{server.url}metrics", headers=headers, timeout=LIMIT_S).text)
            for _ in range(6)
        ]

    # Every process tells the same: its own requests and those of the others.
    assert [count["piev_requests_total", "GET", "health", "200"] for count in counts] == [20] * 6
