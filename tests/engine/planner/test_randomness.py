import numpy as np
import pytest

from generation.engine.planner.randomness import draw_index, generator_for
from generation.engine.stages import Stage


def test_generator_repeats_for_the_same_seed_take_and_stage():
    first, second = (generator_for(5, "u", Stage.PLAN).random(4).tolist() for _ in range(2))

    assert first == second


@pytest.mark.parametrize(
    ("seed", "uid", "stage"),
    [(6, "u", Stage.PLAN), (5, "v", Stage.PLAN), (5, "u", Stage.CORRECT)],
)
def test_generator_differs_when_any_part_differs(seed, uid, stage):
    other = generator_for(seed, uid, stage).random(4).tolist()

    assert generator_for(5, "u", Stage.PLAN).random(4).tolist() != other


def test_draw_index_never_returns_a_weight_of_zero():
    rng = np.random.default_rng(0)

    assert {draw_index(rng, [0.0, 2.0, 0.0, 1.0, 0.0]) for _ in range(200)} == {1, 3}


@pytest.mark.parametrize("weights", [[], [0.0, 0.0]])
def test_draw_index_without_a_positive_weight_is_refused(weights):
    with pytest.raises(ValueError, match="no positive weight"):
        draw_index(np.random.default_rng(0), weights)


def test_draw_index_stays_inside_when_the_product_rounds_up():
    class AlmostOne:
        def random(self) -> float:
            return 1.0

    assert draw_index(AlmostOne(), [1.0, 2.0, 0.0]) == 1
