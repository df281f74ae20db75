"""The version of a build: the release, and when and as which commit its code was written.

Hatchling runs this file alone to name a wheel, so it needs nothing but Python.
"""

import hashlib
import subprocess
from datetime import UTC, datetime
from pathlib import Path

RELEASE = "0.1.0"
ROOT = Path(__file__).resolve().parents[2]
# `git archive` writes time and commit there (.gitattributes); a build of the image may too.
NOTE = ROOT / "version.txt"
# What a site keeps beside its code.
NOT_CODE = {"backups", "dist", "var", "videos"}
NOTE_FORM = "%ct %H"


def build_version() -> str:
    """The version of the code that lies here; where no commit is noted, one of its content."""
    return noted_version() or f"{RELEASE}+{_content_hash()[:12]}"


def noted_version() -> str:
    """The version by the commit of a checkout or archive; empty where nothing notes it.

    Such as `0.1.0.post20260131120000+g0123456789`: a later commit is a later version for pip.
    """
    seconds, _, commit = (_git_note() or _file_note()).partition(" ")
    if not seconds.isdecimal():
        return ""
    written = datetime.fromtimestamp(int(seconds), UTC)
    return f"{RELEASE}.post{written:%Y%m%d%H%M%S}+g{commit[:10]}"


def _git_note() -> str:
    # Asked only of its own repository: an environment of a wheel may lie in somebody else's.
    if not (ROOT / ".git").exists():
        return ""
    command = ["git", "-C", str(ROOT), "log", "-1", f"--format={NOTE_FORM}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _file_note() -> str:
    return NOTE.read_text(encoding="utf-8").strip() if NOTE.is_file() else ""


def _content_hash() -> str:
    digest = hashlib.sha256()
    parts = [
        part
        for part in ROOT.iterdir()
        if part.name not in NOT_CODE and not part.name.startswith(".")
    ]
    files = (path for part in parts for path in (part, *part.rglob("*")) if path.is_file())
    for path in sorted(files):
        if path.suffix != ".pyc":
            digest.update(f"{path.relative_to(ROOT)}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
