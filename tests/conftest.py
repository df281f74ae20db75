"""What every test may ask for. Engine tests use only the fixtures of this file."""

import gc
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection
from hypothesis import settings

from tests.migrated import REPOSITORY, migrated_database

# How long one example takes says more about what else the machine does than about the code.
settings.register_profile("piev", deadline=None, derandomize=True)
# The same examples every time, so that nobody's change fails for an old fault. To look for old
# faults: HYPOTHESIS_PROFILE=search.
settings.register_profile("search", deadline=None, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "piev"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of the published annotation files, or skip and say where it was sought."""
    folder = Path(os.environ.get("PIEV_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no published annotation files at {folder}; set PIEV_SHARED_DATA")
    return folder


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix):
    """Begin with a copy of migrated tables where that is possible: making them takes seconds."""
    if connection.vendor != "sqlite":
        yield
        return
    name = connection.creation._get_test_db_name()
    # In memory as long as somebody is connected to it.
    with closing(sqlite3.connect(name, uri=True)) as tables:
        with closing(sqlite3.connect(migrated_database())) as migrated:
            migrated.backup(tables)
        yield


def pytest_collection_finish():
    """Take what was imported out of the garbage collector's rounds, which look at it in vain."""
    gc.collect()
    gc.freeze()
