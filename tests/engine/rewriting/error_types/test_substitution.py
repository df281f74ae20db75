"""Another action stands in for the step: another thing, another action on it, or one like it."""

import pytest

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.rewriting.freeform.freeform import jaccard
from tests.engine.rewriting.plans import error
from tests.engine.rewriting.take import EGG, rows_of

SEEDS = range(12)


def test_acquisition_is_mostly_replaced_by_another_one():
    rows = [rows_of([error("E01", ErrorType.SUBSTITUTION, 0)], seed=seed)[0] for seed in range(60)]

    assert {(row.mod, row.old_index, row.error_type) for row in rows} == {
        (Mod.ERROR, 0, "substitution")
    }
    acquired = [row.text for row in rows if row.text.startswith("Get ")]
    assert len(rows) / 2 < len(acquired) < len(rows)
    assert not any("bowl" in text for text in acquired)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("index", range(len(EGG)))
def test_replacement_is_another_action(index, seed):
    text = rows_of([error("E01", ErrorType.SUBSTITUTION, index)], seed=seed)[index].text

    assert jaccard(text, EGG[index][0]) < 0.78
    assert text not in [step for step, _ in EGG]


def test_step_of_the_same_block_is_confused_with_its_object():
    steps = ["Rinse the tomato in the sink", "Dice the onion on the board"]
    texts = {
        rows_of([error("E01", ErrorType.SUBSTITUTION, 1)], seed=seed, steps=steps)[1].text
        for seed in range(40)
    }

    assert "Rinse the onion in the sink" in texts


def test_step_that_names_nothing_is_replaced_too():
    (row,) = rows_of([error("E01", ErrorType.SUBSTITUTION, 0)], steps=["relax"])

    assert row.text[0].islower()
    assert len(row.text.split()) > 2


def test_what_is_no_thing_is_not_handled():
    steps = [("Perform artificial respiration", "PERFORM(Object: artificial_respiration)")]
    texts = [
        rows_of([error("E01", ErrorType.SUBSTITUTION, 0)], seed=seed, steps=steps)[0].text
        for seed in SEEDS
    ]

    assert not any("respiration" in text for text in texts)


def test_part_of_a_thing_is_not_left_without_the_thing():
    inside = (
        "Check the inside of the tyre and pick out the glass",
        "CHECK(Agent: you, Object: inside(of(tyre)), Purpose: REMOVE(Agent: you, Object: glass))",
    )

    texts = {
        rows_of([error("E01", ErrorType.SUBSTITUTION, 0)], seed=seed, steps=[inside])[0].text
        for seed in range(40)
    }

    assert [text for text in texts if text.split()[-1].lower() in {"the", "a", "an"}] == []


@pytest.mark.parametrize(
    ("step", "unfit"),
    [
        ("Swirl the pot with a pot holder", {"Whip", "Skim", "Strain"}),
        ("Cover the noodles with water", {"Knock", "Pull", "Tap"}),
    ],
)
def test_action_in_place_of_another_is_one_that_can_be_done_to_the_thing(step, unfit):
    steps = ["Heat the stove", step, "Wait"]
    texts = [
        rows_of([error("E01", ErrorType.SUBSTITUTION, 1)], seed=seed, steps=steps)[1].text
        for seed in range(40)
    ]

    assert not {text.partition(" ")[0] for text in texts if "towel" not in text} & unfit


def test_what_is_put_on_a_thing_that_should_be_added_does_not_take_its_place():
    steps = ["Add the noodles to the boiling water", "Stir the noodles in the pot", "Wait"]
    planned = [error("E01", ErrorType.SUBSTITUTION, 0)]
    texts = [[row.text for row in rows_of(planned, seed=seed, steps=steps)] for seed in range(60)]

    assert not any(text.startswith(("Drizzle", "Sprinkle")) for text, *_ in texts)
    assert {rest[0] for text, *rest in texts if not text.startswith("Add")} == {steps[1]}
