"""Situations in which an error type is asked for an error."""

import numpy as np

from generation.engine.planner.features import measure
from generation.engine.planner.planning_situation import PlanningSituation
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profile import Profile
from tests.engine.planner.procedures import ALONE


def situation_of(
    procedure: Procedure,
    *,
    profile: Profile = ALONE,
    error_steps: tuple[int, ...] = (),
    seed: int = 0,
) -> PlanningSituation:
    """Return the situation of a take of which the `error_steps` get an error."""
    return PlanningSituation(
        features=measure(procedure, profile),
        profile=profile,
        rng=np.random.default_rng(seed),
        error_steps=frozenset(error_steps),
    )
