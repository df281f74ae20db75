"""The status page: for administrators only, what it tells, and failed jobs tried again."""

import os
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from celery import current_app
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import AuditEntry, Job, JobStatus, Process, ProcessKind
from annotation.selectors.records.status import Disk, newest_backup
from annotation.services.records.processes import note_process, note_worker_for_good
from tests.factories import UserFactory
from tests.vanishing import removed_once_seen

pytestmark = pytest.mark.django_db


def failed(key, error="It broke"):
    return Job.objects.create(
        kind="tests.work", key=key, status=JobStatus.FAILED, error=error, finished_at=timezone.now()
    )


def page_of(client):
    return client.get(reverse("status")).content.decode().replace("\xa0", " ")


# What is sent without a login is kept on a page that offers one.
@pytest.mark.parametrize(("name", "refused"), [("status", 302), ("status-retry", 403)])
def test_status_is_for_administrators(
    owner_client, annotator_client, administrator_client, client, name, refused
):
    call = {"status": "get", "status-retry": "post"}[name]
    codes = [
        getattr(each, call)(reverse(name)).status_code
        for each in (client, annotator_client, owner_client)
    ]

    assert codes == [refused, 403, 403]
    assert getattr(administrator_client, call)(reverse(name)).status_code in {200, 302}


def test_workers_are_shown_with_when_they_were_last_seen(administrator_client):
    assert "No worker has been seen" in page_of(administrator_client)
    note_process(kind=ProcessKind.WORKER, name="celery@here")
    note_process(kind=ProcessKind.WORKER, name="celery@there")
    note_process(kind=ProcessKind.WORKER, name="celery@here")
    late = timezone.now() - timedelta(minutes=5)
    Process.objects.filter(name="celery@there").update(seen_at=late)

    answer = administrator_client.get(reverse("status"))

    seen = [(item.name, item.is_late) for item in answer.context["processes"]]
    assert seen == [("celery@here", False), ("celery@there", True)]
    assert "5 minutes ago" in page_of(administrator_client)


def test_a_worker_of_another_version_is_named(administrator_client):
    note_process(kind=ProcessKind.WORKER, name="celery@here")
    same = page_of(administrator_client)
    Process.objects.update(version="0.0.9.post1")

    other = page_of(administrator_client)

    assert "restart what is older" not in same
    assert "celery@here runs version 0.0.9.post1, this web server " in other


def test_a_process_that_is_started_again_runs_since_then():
    long_ago = timezone.now() - timedelta(days=1)
    sweeper = {"kind": ProcessKind.SWEEPER, "name": "here"}
    note_process(**sweeper)
    Process.objects.update(started_at=long_ago)

    note_process(**sweeper)
    running_since = Process.objects.get().started_at
    note_process(**sweeper, is_new=True)

    assert running_since == long_ago < Process.objects.get().started_at


@pytest.mark.django_db(transaction=True)
def test_worker_says_by_itself_that_it_is_there():
    stop = note_worker_for_good("celery@here")

    for _ in range(6000):
        if Process.objects.filter(name="celery@here").exists():
            break
        time.sleep(0.02)
    stop.set()
    (thread,) = [item for item in threading.enumerate() if item.name == "note-worker"]
    thread.join()
    assert Process.objects.get().kind == ProcessKind.WORKER


def test_failed_jobs_are_found_and_tried_again(administrator_client, monkeypatch, administrator):
    sent = []
    monkeypatch.setattr(
        current_app, "send_task", lambda name, args: sent.append((name, sorted(args[0])))
    )
    first, second = failed("film 7", "No space left on device"), failed("film 8")

    page = page_of(administrator_client)
    found = administrator_client.get(reverse("status"), {"failed-q": "space"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.db.transaction.on_commit", lambda send, robust=False: send())
        administrator_client.post(reverse("status-retry"), {"job": first.public_id})
        administrator_client.post(reverse("status-retry"))

    assert "No space left on device" in page
    assert [job.key for job in found.context["table"].page] == ["film 7"]
    assert sent == [("tests.work", [first.pk]), ("tests.work", [second.pk])]
    assert set(Job.objects.values_list("status", flat=True)) == {JobStatus.QUEUED}
    assert AuditEntry.objects.filter(action="jobs.retry", actor=administrator).count() == 2


def test_age_of_the_backup_is_told(administrator_client, settings, tmp_path: Path):
    settings.BACKUP_FOLDER = None
    unnamed = page_of(administrator_client)
    settings.BACKUP_FOLDER = tmp_path
    empty = page_of(administrator_client)
    (tmp_path / "piev.dump").write_text("x")
    old_s = (timezone.now() - timedelta(days=3)).timestamp()
    os.utime(tmp_path / "piev.dump", (old_s, old_s))
    old = page_of(administrator_client)
    os.utime(tmp_path / "piev.dump")
    fresh = page_of(administrator_client)

    warning = '<p class="message warning">{}'
    assert warning.format("Nobody knows whether there is a backup") in unnamed
    assert warning.format("There is no backup") in empty
    assert warning.format("The latest backup is 3 days old") in old
    assert "backup is" not in fresh
    assert "BACKUP_FOLDER" in unnamed
    assert "No file in the backup folder" in empty
    assert "piev.dump" in old
    assert "3 days ago" in old


def test_backup_that_is_removed_meanwhile_hides_no_other(settings, tmp_path: Path):
    settings.BACKUP_FOLDER = tmp_path
    for name in ("old.dump", "new.dump"):
        (tmp_path / name).write_text("x")

    with removed_once_seen(tmp_path / "old.dump"):
        backup = newest_backup()

    assert backup.name == "new.dump"


def test_what_keeps_the_queue_from_moving_is_told_with_what_to_do(
    administrator_client, settings, monkeypatch
):
    def told():
        return administrator_client.get(reverse("status")).context["advice"]

    assert [words.split(":")[0] for words in told()] == [
        "No worker is running", "No sweeper is running",
    ]  # fmt: skip
    note_process(kind=ProcessKind.WORKER, name="celery@here")
    note_process(kind=ProcessKind.SWEEPER, name="here")
    assert told() == []

    # The sweeper sends their messages again and again, so old jobs may have a young message.
    waiting = Job.objects.create(kind="work", key="1")
    past = timezone.now() - timedelta(hours=1)
    Job.objects.update(created_at=past)
    assert told() == []
    Job.objects.update(queued_at=timezone.now() - timedelta(minutes=1))
    [words] = told()
    assert "No queued job was started" in words
    Job.objects.create(kind="work", key="2", status="done", finished_at=timezone.now())
    assert told() == []

    waiting.delete()
    Process.objects.filter(name="here").update(seen_at=timezone.now() + timedelta(minutes=1))
    [words] = told()
    assert words.startswith("The clock of here is ahead")
    Process.objects.filter(name="here").update(seen_at=timezone.now())
    monkeypatch.setattr(current_app.conf, "broker_write_url", "redis://127.0.0.1:9/0")
    [words] = told()
    assert words.startswith("Redis does not answer")
    assert words in page_of(administrator_client)


def test_low_disk_is_told():
    assert Disk("", "", 100_000_000_000, 1_000_000_000).is_low
    assert not Disk("", "", 100_000_000_000, 3_000_000_000).is_low
    assert not Disk("", "", 10_000_000_000, 1_000_000_000).is_low


@pytest.mark.parametrize("count", [1, 3])
def test_status_costs_the_same_queries(administrator_client, count, django_assert_num_queries):
    for index in range(count):
        failed(f"film {index}")
        note_process(kind=ProcessKind.WORKER, name=f"celery@{index}")

    with django_assert_num_queries(8):
        administrator_client.get(reverse("status"))


def test_locked_login_says_for_how_long_and_who_can_help(settings):
    settings.AXES_ENABLED = True
    UserFactory(username="noor")
    client = Client()
    for _ in range(settings.AXES_FAILURE_LIMIT):
        answer = client.post(reverse("login"), {"username": "noor", "password": "wrong"})

    page = " ".join(answer.content.decode().split())
    assert answer.status_code == 429
    assert "Locked for 15 minutes after 10 wrong passwords for this name." in page
    assert "An administrator can unlock it at once." in page
    assert "site/site" in page
