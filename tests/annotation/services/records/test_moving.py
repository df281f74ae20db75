"""A site moves from SQLite to PostgreSQL with every row, or not at all."""

import os
import signal
from datetime import timedelta
from inspect import getclosurevars
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from annotation.models import Dataset, Process, ProcessKind, Take, User, Video
from annotation.services.records import moving
from tests.factories import VideoFactory
from tests.migrated import give_tables

pytestmark = [
    pytest.mark.postgresql,
    pytest.mark.django_db(transaction=True),
]
FILLING = "filling"
LONG_AGO = timezone.now() - timedelta(days=700)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """The file of an SQLite site with some rows of the kinds that databases write differently."""
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL: make test-on-postgresql")
    # Tests may ask only databases that were there before them.
    case = getclosurevars(BaseDatabaseWrapper.ensure_connection).nonlocals["cls"]
    monkeypatch.setattr(case, "databases", {*case.databases, FILLING, moving.SOURCE})
    give_tables(tmp_path, "piev.sqlite3")
    file = tmp_path / "piev.sqlite3"
    options = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file), "OPTIONS": {}}
    connections.databases[FILLING] = {**connection.settings_dict, **options}
    person = User.objects.using(FILLING).create(username="élise", role="researcher", pk=70)
    dataset = Dataset.objects.using(FILLING).create(
        name="Tea ☕", format="egooops", owner=person, video_folder=str(tmp_path / "gone")
    )
    Dataset.objects.using(FILLING).update(created_at=LONG_AGO)
    for number in range(moving.BATCH_ROWS + 3):
        Take.objects.using(FILLING).create(dataset=dataset, uid=f"take{number}", name="Tea")
    video = VideoFactory.build(
        dataset=dataset, path="tea.mp4", warnings=["a", {"b": 1e22, "a": 2.0}]
    )
    video.save(using=FILLING)
    connections[FILLING].close()
    yield file
    connections[FILLING].close()
    del connections[FILLING], connections.databases[FILLING]


def move(file):
    said, missing = StringIO(), StringIO()
    call_command("move", str(file), stdout=said, stderr=missing)
    return said.getvalue(), missing.getvalue()


def test_every_row_is_moved_and_numbers_go_on(site):
    said, missing = move(site)

    owner = User.objects.get()
    dataset = Dataset.objects.get()
    assert (owner.username, owner.pk, dataset.owner) == ("élise", 70, owner)
    assert (dataset.created_at, Take.objects.count()) == (LONG_AGO, moving.BATCH_ROWS + 3)
    assert Video.objects.get().warnings == ["a", {"b": 1e22, "a": 2.0}]
    assert f"{moving.BATCH_ROWS + 3:>9,}  annotation_take\n" in said
    assert missing == f"{site.parent / 'gone' / 'tea.mp4'} is not there: link its data set again\n"
    assert User.objects.create(username="next").pk == 71


def test_a_row_that_differs_takes_everything_back(site, monkeypatch):
    def with_a_fault(model, fields, alias):
        facts = right(model, fields, alias)
        is_spoilt = model is Take and alias == moving.TARGET
        return moving.MovedTable(facts.name, 0, "") if is_spoilt else facts

    right = moving._facts
    monkeypatch.setattr(moving, "_facts", with_a_fault)

    with pytest.raises(CommandError, match="annotation_take differs after it was moved: 503 rows"):
        move(site)

    assert not User.objects.exists()


def test_ctrl_c_takes_everything_back(site, monkeypatch):
    def stopped(model, fields, alias):
        if model is Take:
            os.kill(os.getpid(), signal.SIGINT)
        return right(model, fields, alias)

    right = moving._facts
    monkeypatch.setattr(moving, "_facts", stopped)

    with pytest.raises(CommandError, match=r"stopped by Ctrl\+C: nothing was moved"):
        move(site)

    assert not User.objects.exists()


def test_a_site_that_runs_is_not_moved(site):
    Process.objects.using(FILLING).create(kind=ProcessKind.WORKER, name="celery@here")

    with pytest.raises(CommandError, match="Worker celery@here of the site was seen a moment ago"):
        move(site)

    assert not User.objects.exists()


def test_nothing_is_moved_over_what_is_there(site):
    Dataset.objects.create(name="Here", format="egooops")

    with pytest.raises(CommandError, match="is not empty: annotation_dataset has 1 rows"):
        move(site)

    assert Dataset.objects.get().name == "Here"


def test_only_an_sqlite_file_is_moved(tmp_path):
    is_postgresql = connection.vendor == "postgresql"
    message = "is not there" if is_postgresql else "does not name a PostgreSQL database"

    with pytest.raises(CommandError, match=message):
        move(tmp_path / "none.sqlite3")
