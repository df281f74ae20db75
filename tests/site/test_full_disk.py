"""A disk without room gives a sentence, not a traceback, and nothing half-written."""

import io
import os
import subprocess
import sys
import zipfile
from itertools import count

import pytest
from django.conf import settings as site_settings
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.backends.full_disk import is_disk_full
from annotation.models import AuditEntry, Campaign, Role
from annotation.views.records.errors import DISK_IS_FULL, INSUFFICIENT_STORAGE
from tests.factories import PASSWORD, DatasetFactory, EventFactory, TraceFactory, UserFactory
from tests.migrated import give_tables
from tests.recordings import CLIP, write_recording

SMALL_KB = 64
UNLIMITED_PAGES = 2**32 - 2


@pytest.fixture
def small_disk(tmp_path):
    """Return a folder with room for 64 KB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_KB}k,mode=700", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"a small disk can only be mounted by root: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def full_disk(small_disk):
    with pytest.raises(OSError, match="No space left"):
        (small_disk / "fill").write_bytes(bytes(2 * 1024 * SMALL_KB))
    return small_disk


def left_on(disk):
    return sorted(path.name for path in disk.rglob("*") if path.is_file() and path.name != "fill")


def fill_audit_log():
    while True:
        AuditEntry.objects.create(action="fill", subject="x")


def fill_sessions():
    for number in count():
        row = Session(session_key=f"fill-{number}", session_data="x", expire_date=timezone.now())
        row.save()


@pytest.fixture
def full_database(logged_in, dataset):
    """Let the database grow no further: SQLite says what it says of a full disk."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL is not told to be full so easily")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA max_page_count = 1")  # no smaller than it is now
        with pytest.raises(OperationalError, match="database or disk is full"):
            fill_audit_log()
        with pytest.raises(OperationalError, match="database or disk is full"):
            fill_sessions()
        yield
        cursor.execute(f"PRAGMA max_page_count = {UNLIMITED_PAGES}")


@pytest.fixture
def researcher(transactional_db):
    return UserFactory(role=Role.RESEARCHER)


@pytest.fixture
def dataset(researcher):
    dataset = DatasetFactory(owner=researcher)
    EventFactory(trace=TraceFactory(dataset=dataset))
    return dataset


@pytest.fixture
def logged_in(client, researcher):
    client.raise_request_exception = False
    client.force_login(researcher)
    return client


def archive_of(name, content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return packed.getvalue()


MUCH_TEXT = "".join(f'"{number}",' for number in range(30_000)).encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [("tea.json", MUCH_TEXT), ("tea.zip", archive_of("tea.json", MUCH_TEXT))],
    ids=["file", "archive"],
)
def test_an_upload_leaves_nothing_and_says_why(logged_in, settings, small_disk, name, content):
    settings.STATE_FOLDER = small_disk
    form = {"name": "Tea", "format": "native", "uploads": SimpleUploadedFile(name, content)}

    answer = logged_in.post(reverse("dataset-import"), form)

    assert answer.status_code == INSUFFICIENT_STORAGE
    assert DISK_IS_FULL in answer.content.decode()
    assert left_on(small_disk) == []


def test_a_login_is_refused_with_a_sentence(researcher, full_database, caplog):
    session_count = Session.objects.count()
    visitor = Client(raise_request_exception=False)

    answer = visitor.post(reverse("login"), {"username": researcher.username, "password": PASSWORD})

    assert answer.status_code == INSUFFICIENT_STORAGE
    assert DISK_IS_FULL in answer.content.decode()
    assert Session.objects.count() == session_count
    assert "The disk is full: POST /login/ failed" in caplog.text
    assert "Traceback" not in caplog.text


def test_a_script_is_told_in_json_and_nothing_is_made(logged_in, dataset, full_database):
    body = {"name": "Spring", "datasets": [dataset.public_id]}

    answer = logged_in.post("/api/v1/campaigns/", body, content_type="application/json")

    assert answer.status_code == INSUFFICIENT_STORAGE
    assert answer.json() == {"detail": DISK_IS_FULL}
    assert Campaign.objects.count() == 0


def run_manage(*arguments, **variables):
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=site_settings.BASE_DIR,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "piev_site.settings",
            "DATABASE_URL": "",
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_export_leaves_no_file_and_ends_with_one_line(full_disk, tmp_path):
    state = {"PIEV_STATE": str(tmp_path / "state")}
    give_tables(tmp_path / "state")

    done = run_manage("export_ratings", "--out", str(full_disk / "ratings.csv"), **state)

    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("The disk is full, so this was not finished: ")
    assert left_on(full_disk) == []


def test_a_site_cannot_begin_without_room_and_says_so(full_disk):
    done = run_manage("migrate", PIEV_STATE=str(full_disk), SECRET_KEY="")

    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line == f"{full_disk / 'secret-key'} cannot be written: No space left on device"
    assert left_on(full_disk) == []


def test_a_site_that_is_there_starts_without_room_for_a_key(small_disk):
    (small_disk / "secret-key").write_text("of this site")
    (small_disk / "piev.sqlite3").touch()
    (small_disk / "queue" / "messages").mkdir(parents=True)
    (small_disk / "queue" / "processed").mkdir()
    with pytest.raises(OSError, match="No space left"):
        (small_disk / "fill").write_bytes(bytes(2 * 1024 * SMALL_KB))

    done = run_manage("check", PIEV_STATE=str(small_disk), SECRET_KEY="")

    assert done.returncode == 0, done.stderr


def test_a_splice_leaves_no_file_and_says_why(small_disk, tmp_path):
    source = write_recording(tmp_path / "source.mp4")
    clip = write_recording(tmp_path / "clip.mp4", CLIP)
    (small_disk / "fill").write_bytes(bytes(1024 * (SMALL_KB - 8)))

    with pytest.raises(CommandError, match="No space left on device"):
        call_command("splice", source, "--replace", "1", "2", clip, "--out", small_disk / "o.mp4")

    assert left_on(small_disk) == []


def test_other_errors_are_not_taken_for_a_full_disk():
    assert not is_disk_full(None)
    assert not is_disk_full(FileNotFoundError(2, "No such file"))
    assert not is_disk_full(OperationalError("database is locked"))
