"""A site's SQLite file with its tables made, to be copied: making them takes seconds."""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import django

from tests.conftest import REPOSITORY

DATABASE = "piev.sqlite3"
KEPT_IN = REPOSITORY / ".pytest_cache"


def give_tables(state_folder: Path, name: str = DATABASE) -> None:
    """Put a migrated, empty database into a site's folder, as `manage.py migrate` would."""
    state_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copyfile(_migrated_database(), state_folder / name)
    (state_folder / name).chmod(0o600)


def _migrated_database() -> Path:
    """Made once for what the migrations are now, by whichever test process comes first."""
    digest = hashlib.sha256(django.__version__.encode())
    for path in sorted(REPOSITORY.glob("*/migrations/*.py")):
        digest.update(path.read_bytes())
    kept = KEPT_IN / f"migrated-{digest.hexdigest()[:16]}.sqlite3"
    if kept.exists():
        return kept
    KEPT_IN.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=KEPT_IN) as folder:
        environment = os.environ | {"PIEV_STATE": folder, "SECRET_KEY": "only-for-tests"}
        environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "DATABASE_URL": ""}
        command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(command, cwd=REPOSITORY, env=environment, check=True)
        # With what is still in the write-ahead log.
        with sqlite3.connect(Path(folder) / DATABASE) as connection:
            connection.execute("vacuum into ?", [f"{folder}/whole"])
        (Path(folder) / "whole").replace(kept)
    return kept
