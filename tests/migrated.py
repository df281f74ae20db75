"""A site's tables and static files as they are made once, to be copied: each takes seconds."""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

import django
from django.db import connection

from annotation.services.records.parallel import close_connections

REPOSITORY = Path(__file__).resolve().parent.parent
DATABASE = "piev.sqlite3"
KEPT_IN = REPOSITORY / ".pytest_cache"
COLLECT = (
    "import django; django.setup();"
    " from annotation.management.static_files import collect_if_changed; collect_if_changed()"
)


def give_tables(state_folder: Path, name: str = DATABASE) -> None:
    """Put a migrated, empty database into a site's folder, as `manage.py migrate` would."""
    state_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copyfile(migrated_database(), state_folder / name)
    (state_folder / name).chmod(0o600)


def give_static_files(state_folder: Path) -> None:
    """Put collected style sheets and scripts into a site's folder, as `manage.py serve` would."""
    state_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    kept = collected_files()
    shutil.copytree(kept / "static", state_folder / "static")
    shutil.copy2(kept / "static-collected", state_folder)


@lru_cache(1)
def collected_files() -> Path:
    """A site's folder with what is collected now, looked at once per test process."""
    kept = KEPT_IN / "collected"
    with alone("collecting"):
        environment = environment_of(kept)
        subprocess.run(
            [sys.executable, "-c", COLLECT],
            cwd=REPOSITORY,
            env=environment,
            check=True,
            umask=0o077,
        )
    return kept


def migrated_database() -> Path:
    """Made once for what the migrations are now, by whichever test process comes first."""
    kept = KEPT_IN / f"{tables_of_now()}.sqlite3"
    with alone("migrating"):
        if not kept.exists():
            _migrate(kept)
    return kept


def migrated_postgresql() -> str:
    """The name of a database in the server, made like the file of `migrated_database`."""
    name = tables_of_now().replace("-", "_")
    with alone("migrating"), connection._nodb_cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if not cursor.fetchone():
            cursor.execute(f"CREATE DATABASE {name}")
            with tempfile.TemporaryDirectory(dir=KEPT_IN) as folder:
                address = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}")
                _run_migrations(environment_of(folder) | {"DATABASE_URL": address.geturl()})
    return name


def copy_tables() -> None:
    """Put fresh tables in the place of what the database of the tests holds."""
    # Also those of the pool, which would be broken, and ask again ever more seldom.
    close_connections()
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        shutil.copyfile(migrated_database(), name)
        return
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE {migrated_postgresql()}")


def tables_of_now() -> str:
    """A name for the tables that the migrations make as they are now."""
    digest = hashlib.sha256(django.__version__.encode())
    for path in sorted(REPOSITORY.glob("*/migrations/*.py")):
        digest.update(path.read_bytes())
    return f"migrated-{digest.hexdigest()[:16]}"


def _migrate(kept: Path) -> None:
    with tempfile.TemporaryDirectory(dir=KEPT_IN) as folder:
        _run_migrations(environment_of(folder))
        # With what is still in the write-ahead log.
        with sqlite3.connect(Path(folder) / DATABASE) as made:
            made.execute("vacuum into ?", [f"{folder}/whole"])
        (Path(folder) / "whole").replace(kept)


def _run_migrations(environment: dict[str, str]) -> None:
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0", "--skip-checks"]
    subprocess.run(command, cwd=REPOSITORY, env=environment, check=True)


def environment_of(folder: Path | str) -> dict[str, str]:
    environment = os.environ | {"PIEV_STATE": str(folder), "SECRET_KEY": "only-for-tests"}
    return environment | {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "DATABASE_URL": ""}


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Let the other test processes wait outside of this block."""
    KEPT_IN.mkdir(exist_ok=True)
    with (KEPT_IN / name).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
