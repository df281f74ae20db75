"""Both swapped steps are named, the earlier one first."""

import pytest

from annotation.engine.taxonomy import ErrorType
from tests.engine.rewriting.plans import correction, swap
from tests.engine.rewriting.take import correction_text


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("source", "target"), [(1, 3), (3, 1)])
def test_steps_are_named_in_their_order(source, target, seed):
    planned = correction(
        "E01", ErrorType.TRANSPOSITION, "restore_order", 3, restore_order_pair=[source, target]
    )

    text = correction_text([swap("E01", source, target)], planned, seed=seed)

    assert text.endswith("get an egg from the fridge, then get a fork from the drawer")


def test_tool_that_the_swap_had_put_away_is_got_again():
    steps = ["Get a wrench", "Tighten the nut with the wrench", "Put back the wrench"]
    planned = correction(
        "E01", ErrorType.TRANSPOSITION, "restore_order", 2, restore_order_pair=[1, 2]
    )

    text = correction_text([swap("E01", 1, 2)], planned, steps=steps)

    assert "get the wrench again, tighten the nut with the wrench" in text
