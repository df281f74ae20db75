"""Benches of pages drive the browser that `make test` installs."""

import shutil

import pytest

from bench.serving import browser_path


def test_the_browser_that_make_test_installs_is_enough(monkeypatch):
    installed = {"chromium-headless-shell"}
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name in installed else None)

    assert browser_path() == "/bin/chromium-headless-shell"

    installed.clear()
    with pytest.raises(SystemExit, match="no browser; install one of the Debian packages chromium"):
        browser_path()
