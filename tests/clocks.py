"""Clocks that stand still, for what depends on how long a page was open, or on the day."""

import time

import pytest
from django.utils import timezone


def stop_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no time pass for the site, however busy the machine is."""
    moment = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: moment)
    # That of signatures.
    monkeypatch.setattr(time, "time", moment.timestamp)
