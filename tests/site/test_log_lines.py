"""Lines of the log as JSON, which name the request or job that they belong to, and error mails."""

import json
import logging
import logging.config
import sys
from contextlib import contextmanager

import pytest
from django.core import mail
from django.db import OperationalError

from annotation.backends.log_context import logged_with
from annotation.management.commands import sweep_jobs
from annotation.models import Role
from annotation.services.records.jobs import enqueue_jobs, work_on_jobs
from piev_site.log_filters import WithoutTokens
from piev_site.log_lines import ErrorMails, JsonLines, MailedLines
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


def test_a_line_about_what_is_not_there_names_its_request_too(client, lines):
    """Django logs it when all middleware is through."""
    user = UserFactory(role=Role.RESEARCHER)
    client.force_login(user)

    answers = [client.get("/nowhere/"), client.get("/traces/nowhere/")]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert [(line["request"], line["message"]) for line in lines] == [
        (answer.headers["X-Request-ID"], f"Not Found: {answer.wsgi_request.path}")
        for answer in answers
    ]
    assert lines[1]["user"] == user.pk


def test_a_line_names_its_job_and_holds_its_traceback(lines):
    user = UserFactory()
    [job_id] = enqueue_jobs(kind="test", payload_by_key={"1": {}}, created_by=user)

    def fail(claim):
        raise ValueError("no such file")

    work_on_jobs(job_ids=[job_id], handler=fail)

    [line] = [line for line in lines if line["level"] == "ERROR"]
    assert (line["job"], line["kind"], line["user"]) == (job_id, "test", user.pk)
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


def test_a_mail_tells_where_an_error_came_from_and_none_of_its_words(client, settings):
    settings.ADMINS = [("", "pager@example.org")]
    handler = ErrorMails()
    handler.setFormatter(MailedLines())

    def fail():
        try:
            raise KeyError("typed by somebody")
        except KeyError as error:
            raise ValueError("typed, too") from error

    try:
        fail()
    except ValueError:
        with logged_with(job=17, kind="test"):
            record = logging.getLogger("x").makeRecord(
                "x", logging.ERROR, "", 0, "job %s failed", (17,), sys.exc_info()
            )
            handler.handle(record)

    [sent] = mail.outbox
    assert "typed" not in sent.body
    lines = sent.body.splitlines()
    assert lines[1:4] == ["job 17 failed", "job: 17", "kind: test"]
    assert "builtins.ValueError, raised at" in lines
    assert "builtins.KeyError, raised at" in lines
    assert lines[-1].startswith(f"  {__file__}:")
    assert lines[-1].endswith(" in fail")


def test_a_name_that_somebody_typed_begins_no_line(capsys):
    handlers = {"console": {**LOGGING["handlers"]["console"], "formatter": "plain"}}
    with configured({**LOGGING, "handlers": {**LOGGING["handlers"], **handlers}}):
        logging.getLogger("x").error("%s failed", "Model\n2026 ERROR\x1b[2J\u2028forged \u00e9")

    [line] = capsys.readouterr().err.split("\n")[:-1]
    assert line.endswith(" ERROR x: Model\\n2026 ERROR\\x1b[2J\\u2028forged \u00e9 failed")


def test_a_scanner_calls_nobody(client, settings, monkeypatch):
    """Else the mail about a fault could be kept away by asking for another host every minute."""
    told = []
    monkeypatch.setattr(ErrorMails, "emit", lambda handler, record: told.append(record.name))
    with configured(LOGGING):
        answer = client.get("/login/", headers={"host": "scanned.example"})
        logging.getLogger("django.request").error("Internal Server Error: /")

    assert answer.status_code == 400
    assert told == ["django.request"]


@pytest.mark.parametrize("name", ["gunicorn.error", "multiprocessing", "django.security.csrf"])
def test_lines_of_servers_are_json_too(name, capsys):
    """They have handlers of their own where the settings name none."""
    logger = logging.getLogger(name)
    handlers = {"console": {**LOGGING["handlers"]["console"], "formatter": "json"}}
    with configured({**LOGGING, "handlers": {**LOGGING["handlers"], **handlers}}):
        logger.error("Worker was sent SIGKILL at /video/secret/")

    [line] = map(json.loads, capsys.readouterr().err.splitlines())
    assert (line["logger"], line["message"]) == (name, "Worker was sent SIGKILL at /video/…")


@contextmanager
def configured(config):
    """Log as the site does; before and afterwards as the tests do."""
    names = ["", *config["loggers"], "gunicorn.error", "multiprocessing"]
    loggers = [logging.getLogger(name) for name in names]
    before = [(one.level, list(one.handlers), list(one.filters), one.propagate) for one in loggers]
    logging.config.dictConfig(config)
    try:
        yield
    finally:
        for one, (level, handlers, filters, propagate) in zip(loggers, before, strict=True):
            one.setLevel(level)
            one.handlers, one.filters, one.propagate = handlers, filters, propagate


def test_without_an_address_nothing_is_mailed(settings):
    settings.ADMINS = []
    ErrorMails().handle(logging.makeLogRecord({"msg": "job failed", "levelno": 40}))

    assert mail.outbox == []
