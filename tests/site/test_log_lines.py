"""Lines of the log as JSON, which name the request or job that they belong to, and error mails."""

import json
import logging

import pytest
from django.core import mail
from django.db import OperationalError

from annotation.management.commands import sweep_jobs
from annotation.services.records.jobs import enqueue_jobs, work_on_jobs
from piev_site.log_filters import WithoutTokens
from piev_site.log_lines import ErrorMails, JsonLines
from piev_site.settings import LOGGING
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines(caplog):
    """The lines that are logged meanwhile, as they were written at that moment."""
    written = []

    class Writer(logging.Handler):
        def emit(self, record):
            written.append(json.loads(JsonLines().format(record)))

    handler = Writer()
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


def test_a_line_names_its_request_and_who_asked(client, lines):
    user = UserFactory()
    client.force_login(user)

    answer = client.get("/campaigns/nowhere/")
    other = client.get("/queue/", headers={"X-Request-ID": "front-server-17"})
    forged = client.get("/queue/", headers={"X-Request-ID": 'x"}\n{"level": "none'})

    [line] = [line for line in lines if line["logger"] == "django.request"]
    assert line["request"] == answer.headers["X-Request-ID"]
    assert (line["user"], line["level"]) == (user.pk, "WARNING")
    assert other.headers["X-Request-ID"] == "front-server-17"
    assert "level" not in forged.headers["X-Request-ID"]


def test_a_line_names_its_job_and_holds_its_traceback(lines):
    [job_id] = enqueue_jobs(kind="test", payload_by_key={"1": {}}, created_by=None)

    def fail(claim):
        raise ValueError("no such file")

    work_on_jobs(job_ids=[job_id], handler=fail)

    [line] = [line for line in lines if line["level"] == "ERROR"]
    assert (line["job"], line["kind"]) == (job_id, "test")
    assert line["error"].endswith("ValueError: no such file")
    assert "request" not in line


def test_a_sweeper_says_in_the_log_that_the_database_is_away(lines, monkeypatch, capsys):
    def refuse(**arguments):
        raise OperationalError("connection refused")

    monkeypatch.setattr(sweep_jobs, "note_process", refuse)

    assert sweep_jobs.Command().sweep(verbosity=1) == 0
    [line] = lines
    assert (line["level"], line["message"]) == (
        "WARNING",
        f"sweep failed, next try in {sweep_jobs.PAUSE_S:.1f} s: connection refused",
    )
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Not Found: /video/abc.def:1x/", "Not Found: /video/…"),
        ("Not Found: /video/abc/sheet/", "Not Found: /video/…"),
        ("Gone: /password/link/MQ/token-1/", "Gone: /password/link/…"),
        ("Not Found: /join/token/ again", "Not Found: /join/… again"),
        ("Not Found: /campaigns/abc/", "Not Found: /campaigns/abc/"),
    ],
)
def test_addresses_that_open_something_are_cut(written, kept):
    record = logging.makeLogRecord({"msg": "%s", "args": (written,)})

    assert WithoutTokens().filter(record)
    assert record.getMessage() == kept
    assert LOGGING["handlers"]["console"]["filters"] == ["without_tokens"]
    assert LOGGING["handlers"]["mail"]["filters"] == ["without_tokens"]
    assert LOGGING["loggers"]["botocore.credentials"] == {"level": "WARNING"}


def test_errors_are_mailed_without_what_was_typed_and_not_all_at_once(settings):
    settings.ADMINS = [("", "pager@example.org")]
    handler = ErrorMails()

    for number in range(3):
        handler.handle(logging.makeLogRecord({"msg": f"job {number} failed", "levelno": 40}))

    [sent] = mail.outbox
    assert (sent.subject, sent.to) == ("[PIE-V] job 0 failed", ["pager@example.org"])


def test_without_an_address_nothing_is_mailed(settings):
    settings.ADMINS = []
    ErrorMails().handle(logging.makeLogRecord({"msg": "job failed", "levelno": 40}))

    assert mail.outbox == []
