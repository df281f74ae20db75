import pytest

from generation.engine.planner.features import measure, normalised, phases_of_loads
from generation.engine.planner.profiles import PUBLISHED
from generation.engine.planner.taxonomy import Phase
from tests.engine.planner.procedures import procedure_of


def test_measure_gives_the_hand_computed_loads():
    # Complexities 6.0 (1 predicate, 2 roles, depth 1, 2 words) and 10.0 (1, 3, depth 2, 4 words:
    # you, cup, from, shelf), durations 5 s each, so duration adds nothing.
    procedure = procedure_of(
        "OPEN(Agent: you, Object: jar)", "GET(Agent: you, Object: cup, Origin: from(shelf))"
    )

    features = measure(procedure, PUBLISHED)

    assert [meaning.complexity for meaning in features.meanings] == [6.0, 10.0]
    assert features.norm_complexities == (0.0, 1.0)
    assert features.norm_durations == (0.0, 0.0)
    assert features.loads == (0.0, 0.6)
    assert features.total_complexity == 16.0
    assert features.total_duration_s == 10.0
    assert features.density_steps_per_min == 12.0


def test_normalised_constant_values_are_zero():
    assert normalised([4.0, 4.0, 4.0]) == (0.0, 0.0, 0.0)


def test_normalised_without_values_is_empty():
    assert normalised([]) == ()


def test_phases_without_load_are_all_the_first():
    assert phases_of_loads([0.0, 0.0]) == (Phase.INITIATION, Phase.INITIATION)


@pytest.mark.parametrize(
    ("loads", "phases"),
    [
        # Midpoints 0.5, 1.5, 2.5 of 3.
        ([1.0, 1.0, 1.0], ["phase_1", "phase_2", "phase_3"]),
        # One heavy step: its midpoint is the middle.
        ([0.0, 1.0, 0.0], ["phase_1", "phase_2", "phase_3"]),
        # A midpoint on the border belongs to the earlier phase: 1/3 of 3.
        ([2.0, 1.0], ["phase_1", "phase_3"]),
    ],
)
def test_phases_follow_the_midpoint_of_the_cumulative_load(loads, phases):
    assert [str(phase) for phase in phases_of_loads(loads)] == phases
