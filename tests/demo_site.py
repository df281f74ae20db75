"""The site of `manage.py demo`, made once for all test processes of a run: it takes a while."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.migrated import DATABASE, REPOSITORY, alone, give_static_files, give_tables
from tests.sample_videos import give_sample_videos


class Site:
    """A site of its own in a fresh state folder, driven through manage.py as a person would."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.state = folder / "state"
        self.environment = {**os.environ, "PIEV_STATE": str(self.state)}
        self.environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings"}
        self.environment.pop("DATABASE_URL", None)
        self.environment.pop("REDIS_URL", None)

    def manage(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, REPOSITORY / "manage.py", *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def manage_in_turn(self, *commands: Sequence[str]) -> list[str]:
        """What each of the commands printed; one process runs them all, for a start is dear."""
        done = subprocess.run(
            [sys.executable, "-m", "tests.commands_process"],
            input=json.dumps(commands),
            cwd=self.folder,
            env={**self.environment, "PYTHONPATH": str(REPOSITORY)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


class DemoSite(Site):
    """The demo's site, what the command printed, and a copy of its database as it was then."""

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.as_made = folder / "as-made.sqlite3"
        printed = folder / "printed"
        with alone("demo"):
            if not printed.exists():
                give_tables(self.state)
                give_static_files(self.state)
                give_sample_videos(self.state / "media")
                text = self.manage("demo")
                copy_database(self.state / DATABASE, self.as_made)
                printed.write_text(text)
        self.said = printed.read_text()


def folder_of_the_run(factory: pytest.TempPathFactory, name: str) -> Path:
    """A folder that all test processes of this run share."""
    own = factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / name
    folder.mkdir(exist_ok=True)
    return folder


def copy_database(source: Path, target: Path) -> None:
    """Copy an SQLite database with what is still in its write-ahead log."""
    target.unlink(missing_ok=True)
    with closing(sqlite3.connect(source)) as connection:
        connection.execute("vacuum into ?", [str(target)])
