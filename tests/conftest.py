"""What every test may ask for. Engine tests use only the fixtures of this file."""

import gc
import os
import shutil
from pathlib import Path

import pytest
from django.db import connection
from django.db.models.signals import post_migrate
from hypothesis import settings

from tests.migrated import REPOSITORY, migrated_database, migrated_postgresql

# How long one example takes says more about what else the machine does than about the code.
settings.register_profile("piev", deadline=None, derandomize=True)
# The same examples every time, so that nobody's change fails for an old fault. To look for old
# faults: HYPOTHESIS_PROFILE=search.
settings.register_profile("search", deadline=None, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "piev"))

PROCESSES = (
    "tests/site/", "tests/generation/test_", "tests/generation/management/", "tests/recipes/",
    "tests/annotation/test_", "tests/bench/",
)  # fmt: skip


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of the published annotation files, or skip and say where it was sought."""
    folder = Path(os.environ.get("PIEV_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no published annotation files at {folder}; set PIEV_SHARED_DATA")
    return folder


@pytest.fixture(scope="session")
def django_db_keepdb():
    """Let the tables stay that are laid ready below. They go with the folder of the tests."""
    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix, django_db_blocker):
    """Begin with a copy of migrated tables: making them takes seconds."""
    if connection.vendor == "sqlite":
        shutil.copyfile(migrated_database(), connection.creation._get_test_db_name())
        return
    with django_db_blocker.unblock():
        connection.settings_dict["TEST"]["TEMPLATE"] = migrated_postgresql()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """End what is left of connections of threads, which a database cannot be dropped beside.

    A closed one stays with PostgreSQL for a moment.
    """
    # Emptying the tables after a test writes all permissions anew, for which nothing here asks.
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    yield
    with django_db_blocker.unblock():
        connection.close()
        if connection.vendor == "postgresql":
            name = connection.settings_dict["NAME"]
            with connection._nodb_cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                    [name],
                )


def pytest_collection_modifyitems(items):
    """Begin with tests that start processes of their own: they last longest.

    At the end nobody waits for one of them, and no other worker takes some of a module over and
    starts the same site once more. Those with a database keep their order, which matters.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(PROCESSES) or uses_database(item))


def uses_database(item):
    named = {"db", "transactional_db", "live_server"} & set(item.fixturenames)
    return bool(named) or item.get_closest_marker("django_db") is not None


def pytest_collection_finish():
    """Take what was imported out of the garbage collector's rounds, which look at it in vain."""
    gc.collect()
    gc.freeze()
