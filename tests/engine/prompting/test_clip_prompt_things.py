import doctest

import pytest

from generation.engine.prompting import visible_action
from generation.engine.prompting.clip_prompt import ClipStep, compile_prompt
from generation.engine.splicing.edit_list import PieceKind


def test_examples_of_things_hold():
    assert doctest.testmod(visible_action).failed == 0


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("Pat the skin dry with the dusty cloth", ("skin", "dusty cloth")),
        ("Dab the skin around the cut dry", ("skin", "cut")),
        ("Pick up the tyre lever and wipe it clean", ("tyre lever",)),
        ("Pour a little water over the grounds and let them swell", ("little water", "grounds")),
        ("Check that the tube is not pinched", ("tube",)),
        ("Print a test page that comes out blank", ("test page",)),
        ("Wait until the carriage stops", ("carriage",)),
        ("Screw the lid tight", ("lid",)),
        ("Get a dry towel", ("dry towel",)),
        ("Add dry pasta to the full pot", ("dry pasta", "full pot")),
    ],
)
def test_prompt_names_things_without_outcomes_and_actions(text, things):
    assert compile_prompt(ClipStep(PieceKind.REPLACEMENT, text)).objects == things
