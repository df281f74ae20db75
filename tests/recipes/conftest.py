"""Parts that somebody adds with one file, put where the recipes say."""

import sys
from pathlib import Path

import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine import error_types
from generation.engine.planner.error_kind import error_kinds
from generation.engine.rewriting.registry import error_writers
from tests import api_contract

FOLDER = Path(__file__).parent
# These belong to a house that has what they test: see `test_recipes.py`.
collect_ignore = ["additions"]


def forget():
    """Let everything that remembers the error types look again."""
    for remembered in (error_kinds, error_writers, api_contract.document):
        remembered.cache_clear()


@pytest.fixture
def distraction(monkeypatch):
    """Add `error_types/distraction.py` to the error types for one test."""
    known = dict(ErrorType._known)
    monkeypatch.setattr(
        error_types, "__path__", [*error_types.__path__, str(FOLDER / "error_types")]
    )
    forget()
    error_kinds()
    yield ErrorType("DI")
    sys.modules.pop(f"{error_types.__name__}.distraction")
    ErrorType._known.clear()
    ErrorType._known.update(known)
    forget()
