import doctest
from importlib import import_module

import pytest

MODULES = (
    "english.actions", "english.analyser", "english.clauses", "english.families", "english.forms",
    "english.instructions", "english.roles", "english.surface", "english.things", "english.tokens",
    "english.words",
    "rewriting.lexicon.domains", "rewriting.lexicon.kinds", "rewriting.lexicon.mishaps",
    "rewriting.undoing", "rewriting.amounts", "rewriting.changes",
)  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_worked_examples_of_a_module_hold(name):
    result = doctest.testmod(import_module(f"generation.engine.{name}"))

    assert result.failed == 0
    assert result.attempted > 0
