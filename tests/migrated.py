"""A site's SQLite file with its tables made, to be copied: making them takes seconds."""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import django

REPOSITORY = Path(__file__).resolve().parent.parent
DATABASE = "piev.sqlite3"
KEPT_IN = REPOSITORY / ".pytest_cache"


def give_tables(state_folder: Path, name: str = DATABASE) -> None:
    """Put a migrated, empty database into a site's folder, as `manage.py migrate` would."""
    state_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copyfile(migrated_database(), state_folder / name)
    (state_folder / name).chmod(0o600)


def migrated_database() -> Path:
    """Made once for what the migrations are now, by whichever test process comes first."""
    digest = hashlib.sha256(django.__version__.encode())
    for path in sorted(REPOSITORY.glob("*/migrations/*.py")):
        digest.update(path.read_bytes())
    kept = KEPT_IN / f"migrated-{digest.hexdigest()[:16]}.sqlite3"
    KEPT_IN.mkdir(exist_ok=True)
    with (KEPT_IN / "migrating").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            _migrate(kept)
    return kept


def _migrate(kept: Path) -> None:
    with tempfile.TemporaryDirectory(dir=KEPT_IN) as folder:
        environment = os.environ | {"PIEV_STATE": folder, "SECRET_KEY": "only-for-tests"}
        environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "DATABASE_URL": ""}
        command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(command, cwd=REPOSITORY, env=environment, check=True)
        # With what is still in the write-ahead log.
        with sqlite3.connect(Path(folder) / DATABASE) as connection:
            connection.execute("vacuum into ?", [f"{folder}/whole"])
        (Path(folder) / "whole").replace(kept)
