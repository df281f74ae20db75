"""The planned roles change, each in its scope, and no other word of the step does."""

import pytest

from annotation.engine.taxonomy import Mod
from tests.engine.rewriting.plans import wrong
from tests.engine.rewriting.take import rows_of

SEEDS = range(12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("index", "role", "scope", "start", "end"),
    [
        (0, "Object", "entity", "Get a", " from the cabinet"),
        (0, "Origin", "entity", "Get a bowl from the ", ""),
        (0, "Origin", "substructure", "Get a bowl from ", " the cabinet"),
        (2, "Destination", "substructure", "Crack the egg ", " the bowl"),
        (4, "Instrument", "attribute", "Whisk the egg with the ", " fork"),
        (5, "Object", "entity", "Wipe the ", " with a cloth"),
    ],
)
def test_only_the_planned_role_changes(index, role, scope, start, end, seed):
    row = rows_of([wrong("E01", index, **{role: scope})], seed=seed)[index]

    assert (row.mod, row.old_index, row.error_type) == (Mod.ERROR, index, "wrong_execution")
    assert row.text.startswith(start)
    assert row.text.endswith(end)


@pytest.mark.parametrize("seed", SEEDS)
def test_two_roles_change_together(seed):
    row = rows_of([wrong("E01", 0, Object="entity", Origin="entity")], seed=seed)[0]

    assert row.text.startswith("Get a")
    assert "bowl" not in row.text
    assert "cabinet" not in row.text


@pytest.mark.parametrize("seed", SEEDS)
def test_role_that_is_missing_gives_way_to_another(seed):
    row = rows_of([wrong("E01", 5, Path="entity")], seed=seed)[5]

    assert row.text != "Wipe the table with a cloth"
    assert row.text.startswith("Wipe the ")


def test_step_without_things_fails_in_its_manner():
    (row,) = rows_of([wrong("E01", 0)], steps=["Relax."])

    assert row.text.startswith("Relax ")
    assert row.text.endswith(".")


@pytest.mark.parametrize("seed", range(4))
def test_manner_that_is_left_unsaid_fails_in_words(seed):
    text = "Pat the skin dry with a clean cloth"
    steps = [(text, "DRY(Object: skin, Instrument: with(cloth), Manner: patting)")]

    (row,) = rows_of([wrong("E01", 0, Manner="entity")], seed=seed, steps=steps)

    assert row.text.startswith(text + ", but ")
