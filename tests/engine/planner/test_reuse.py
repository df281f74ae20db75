import pytest

from generation.engine.planner.meaning import meaning_reader
from generation.engine.planner.profile import EntityRule, Reading
from generation.engine.planner.reuse import is_needed_later, longest_run, next_use

HEADS = meaning_reader(Reading(entities=EntityRule.HEADS))
WORDS = meaning_reader(Reading())


def test_next_use_finds_the_object_in_any_of_the_handling_roles():
    texts = (
        "GET(Agent: you, Object: cup)",
        "WIPE(Agent: you, Object: table)",
        "ADD(Agent: you, Object: tea, Destination: to(cup))",
    )

    assert next_use([HEADS(text) for text in texts], 0, 10) == 2
    assert next_use([HEADS(text) for text in texts], 0, 1) is None
    assert next_use([HEADS(text) for text in texts], 1, 10) is None


def test_next_use_can_start_behind_a_step():
    meanings = [HEADS("GET(Agent: you, Object: cup)")] * 3

    assert next_use(meanings, 0, 10) == 1
    assert next_use(meanings, 0, 10, after=1) == 2
    assert next_use(meanings, 0, 1, after=1) is None


def test_next_use_of_a_step_without_object_is_none():
    assert next_use([HEADS("WAIT(Agent: you)"), HEADS("WAIT(Agent: you)")], 0, 10) is None


def test_role_names_are_things_by_words_and_not_by_heads():
    meanings = (
        "MOVE(Agent: you, Object: pan)",
        "STIR(Agent: you, Object: soup(Location: in(pan)))",
    )
    words, heads = WORDS(meanings[1]), HEADS(meanings[1])

    assert words.object_entities == {"soup", "location", "pan"}
    assert heads.object_entities == {"soup", "pan"}


@pytest.mark.parametrize(("references", "needed"), [(1, True), (2, True), (3, False)])
def test_needed_later_counts_role_values_and_the_object_head(references, needed):
    # One later step with the same Object counts twice: its role value and its object's head.
    meanings = [HEADS("CUT(Agent: you, Object: leek)"), HEADS("FRY(Agent: you, Object: leek)")]

    assert is_needed_later(meanings, 0, references) is needed


def test_longest_run_joins_both_sides():
    assert longest_run({1, 2, 4, 7}, 3) == 4
    assert longest_run({1, 2}, 9) == 1
