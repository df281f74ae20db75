"""The bench says in one sentence why Firefox was not measured."""

import shutil
from pathlib import Path

import pytest

from bench import firefox
from bench.firefox import NoFirefoxError, run_in_firefox


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        ((), "the Debian package firefox-esr is not installed"),
        (("firefox-esr", "node"), "the Debian packages nodejs and npm are not installed"),
    ],
)
def test_firefox_that_cannot_be_driven_is_said(monkeypatch, there, reason: str) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}" if name in there else None)

    with pytest.raises(NoFirefoxError, match=reason):
        run_in_firefox(Path("bench.mjs"), {})


def test_firefox_that_fails_says_the_error(monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "node_modules" / "puppeteer-core").mkdir(parents=True)
    for name in ("firefox-esr", "npm", "node"):
        program = tmp_path / name
        program.write_text(
            '#!/bin/sh\necho "at line 3" >&2\necho "Error: no such page" >&2\nexit 1\n'
        )
        program.chmod(0o755)
    monkeypatch.setattr(firefox, "FOLDER", tmp_path)
    monkeypatch.setattr(shutil, "which", lambda name: str(tmp_path / name))

    with pytest.raises(NoFirefoxError, match=r"it failed \(Error: no such page\)"):
        run_in_firefox(Path("bench.mjs"), {})
