"""Every build has its version: from git, from the note of an archive, else from its content."""

import shutil
import subprocess

import pytest
from django.conf import settings
from packaging.version import Version

from annotation.backends import build_version as builds

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setattr(builds, "ROOT", tmp_path)
    monkeypatch.setattr(builds, "NOTE", tmp_path / "version.txt")
    for name in ("version.txt", ".gitattributes"):
        shutil.copy(settings.BASE_DIR / name, tmp_path)
    return tmp_path


def git(root, *words, date="2026-01-31T12:00:00+0000"):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    environment = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date, "PATH": "/usr/bin:/bin"}
    command = ["git", "-C", root, *identity, *words]
    return subprocess.run(command, env=environment, check=True, capture_output=True).stdout


def test_the_note_of_an_archive_is_read(root):
    builds.NOTE.write_text(f"1769860800 {COMMIT}\n")

    assert builds.build_version() == "0.1.0.post20260131120000+g0123456789"


def test_without_a_note_the_content_tells_builds_apart(root):
    (root / "code.py").write_text("1")
    first = builds.build_version()
    (root / "var").mkdir()
    (root / "var" / "piev.sqlite3").write_text("no code")
    same = builds.build_version()
    (root / "code.py").write_text("2")

    assert builds.noted_version() == ""
    assert first == same != builds.build_version()
    assert str(Version(first)) == first


def test_a_checkout_and_its_archive_agree_and_a_later_commit_is_later(root, tmp_path_factory):
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "first")
    first = builds.build_version()
    unpacked = tmp_path_factory.mktemp("unpacked")
    subprocess.run(["tar", "-x", "-C", unpacked], input=git(root, "archive", "HEAD"), check=True)
    git(root, "commit", "--quiet", "--allow-empty", "-m", "second", date="2026-02-01T12:00:00+0000")
    second = builds.build_version()

    assert first.startswith("0.1.0.post20260131120000+g")
    assert Version("0.1.0") < Version(first) < Version(second)
    builds.ROOT, builds.NOTE = unpacked, unpacked / "version.txt"
    assert builds.build_version() == first
