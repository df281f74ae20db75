"""Parts that somebody adds with one file, put where the recipes say."""

import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine import correction_kinds, error_types
from generation.engine.corrections.situation import (
    correction_kinds as all_correction_kinds,
)
from generation.engine.planner.correction_facts import correction_facts
from generation.engine.planner.error_kind import error_kinds
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import correction_writers, error_writers
from tests import api_contract
from tests.generation.conftest import *  # noqa: F403

FOLDER = Path(__file__).parent
# These belong to a house that has what they test: see `test_recipes.py`.
collect_ignore = ["additions"]
REMEMBERED = (
    error_kinds, error_writers, all_correction_kinds, correction_facts, correction_writers,
)  # fmt: skip


@contextmanager
def added(package, name, words):
    """Let a package have one more module, from the folder of its name beside this file."""
    known, path = dict(words._known), list(package.__path__)
    package.__path__.append(str(FOLDER / package.__name__.rpartition(".")[2]))
    _forget()
    error_kinds()
    correction_facts()
    try:
        yield
    finally:
        sys.modules.pop(f"{package.__name__}.{name}")
        package.__path__[:] = path
        words._known.clear()
        words._known.update(known)
        _forget()


def _forget():
    for remembered in REMEMBERED:
        remembered.cache_clear()
    api_contract.forget()


@pytest.fixture
def distraction():
    """Add `error_types/distraction.py` to the error types for one test."""
    with added(error_types, "distraction", ErrorType):
        yield ErrorType("DI")


@pytest.fixture
def asking():
    """Add `correction_kinds/ask_somebody.py` to the kinds of correction for one test."""
    with added(correction_kinds, "ask_somebody", CorrectionType):
        yield CorrectionType("ask_somebody")
