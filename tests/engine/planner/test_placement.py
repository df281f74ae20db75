from dataclasses import replace

import numpy as np
import pytest

from generation.engine.planner.exceptions import MissingStatisticsError
from generation.engine.planner.features import measure
from generation.engine.planner.placement import (
    draw_error_count,
    draw_steps,
    risk_of,
    step_weights,
)
from generation.engine.planner.profile import ErrorCount, Placement, RiskRanges
from generation.engine.planner.profiles import PUBLISHED
from generation.engine.planner.run_statistics import RunStatistics
from tests.engine.planner.procedures import TEA, procedure_of


def test_risk_is_the_weighted_sum_of_the_normalised_figures():
    features = measure(procedure_of(*TEA), PUBLISHED)
    # Complexity and density in the middle of their range, duration (40 s) at a quarter.
    statistics = RunStatistics(
        complexity_range=(features.total_complexity - 10, features.total_complexity + 10),
        density_range=(11.0, 13.0),
        duration_range_s=(30.0, 70.0),
    )

    risk = risk_of(features, ErrorCount(), statistics)

    assert risk.score == pytest.approx(0.5 * 0.5 + 0.3 * 0.5 + 0.2 * 0.25)
    # 8 steps: (8 - 6) / 24 of the length term.
    assert risk.rate == pytest.approx(0.8 + 3.2 * 0.45 + 0.6 * 2 / 24)


def test_risk_over_the_run_without_its_statistics_is_refused():
    features = measure(procedure_of(*TEA), PUBLISHED)

    with pytest.raises(MissingStatisticsError, match=r"take take-1: .* pass run_statistics"):
        risk_of(features, ErrorCount(), None)


def test_risk_of_untimed_steps_rests_on_complexity_alone():
    procedure = procedure_of(*TEA)
    untimed = tuple(replace(step, start_s=None, end_s=None) for step in procedure.steps)
    features = measure(replace(procedure, steps=untimed), PUBLISHED)
    low = features.total_complexity - 1
    settings = ErrorCount(ranges=RiskRanges.FIXED, complexity_range=(low, low + 2))

    assert risk_of(features, settings, None).score == 0.5


@pytest.mark.parametrize(
    ("rate", "steps", "expected"),
    [(0.0, 20, {1}), (1000.0, 20, {5}), (1000.0, 3, {3})],
)
def test_error_count_is_clipped_to_the_caps_and_the_steps(rate, steps, expected):
    rng = np.random.default_rng(1)

    counts = {draw_error_count(rate, steps, ErrorCount(), rng) for _ in range(50)}

    assert counts == expected


def test_error_count_spares_short_procedures():
    settings = ErrorCount(min_steps=3, spared_below_steps=6, max_error_share=1 / 3)
    rng = np.random.default_rng(1)

    assert draw_error_count(1000.0, 5, settings, rng) == 1
    assert draw_error_count(0.0, 5, settings, rng) == 0
    assert draw_error_count(0.0, 6, settings, rng) == 1
    assert draw_error_count(1000.0, 6, settings, rng) == 2


def test_step_weights_are_floor_plus_load_times_phase():
    features = measure(
        procedure_of(
            "OPEN(Agent: you, Object: jar)", "GET(Agent: you, Object: cup, Origin: from(shelf))"
        ),
        PUBLISHED,
    )

    # Load 0 in phase 1, load 0.6 with its midpoint in phase 2.
    assert step_weights(features, Placement()) == pytest.approx(
        [0.15 * 0.10 / (0.43 / 3), (0.15 + 0.85 * 0.6) * 0.19 / (0.43 / 3)]
    )


def test_drawn_steps_never_make_too_long_a_run():
    rng = np.random.default_rng(7)

    for _ in range(200):
        chosen = draw_steps([1.0] * 9, 5, 3, rng)
        assert len(set(chosen)) == 5
        assert chosen == sorted(chosen)
        assert not any(set(range(first, first + 4)) <= set(chosen) for first in chosen)


def test_drawn_steps_stop_where_no_step_fits():
    assert len(draw_steps([1.0] * 4, 4, 3, np.random.default_rng(0))) == 3


def test_drawn_steps_follow_the_weights():
    rng = np.random.default_rng(3)

    first = sum(draw_steps([3.0, 1.0], 1, 3, rng) == [0] for _ in range(4000))

    # Standard error of the share is 0.0068.
    assert first / 4000 == pytest.approx(0.75, abs=0.03)
