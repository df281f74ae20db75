"""How many errors a take gets, and at which steps (PIE-V section 4.1, Eq. 3 and 4)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from generation.engine.planner.exceptions import MissingStatisticsError
from generation.engine.planner.features import Features
from generation.engine.planner.profile import ErrorCount, Placement, RiskRanges
from generation.engine.planner.randomness import draw_index
from generation.engine.planner.reuse import longest_run
from generation.engine.planner.run_statistics import Range, RunStatistics
from generation.engine.planner.taxonomy import Phase


@dataclass(frozen=True, slots=True)
class Risk:
    """How error-prone a take is: `score` in [0, 1] and the Poisson rate of its error count."""

    score: float
    rate: float


def risk_of(features: Features, settings: ErrorCount, statistics: RunStatistics | None) -> Risk:
    """The risk of a take.

    Where steps have no times, density and duration are unknown and the score rests on complexity
    alone. Raises MissingStatisticsError if the settings normalise over the run and `statistics` is
    None.
    """
    ranges = settings if settings.ranges is RiskRanges.FIXED else statistics
    if ranges is None:
        raise MissingStatisticsError(
            f"take {features.procedure.take_uid}: this profile normalises risk over the takes of "
            f"the run; pass run_statistics (count.ranges is 'run')"
        )
    complexity = _share(features.total_complexity, ranges.complexity_range)
    score = complexity
    if features.timed_count:
        parts = (
            (settings.complexity_weight, complexity),
            (settings.density_weight, _share(features.density_steps_per_min, ranges.density_range)),
            (settings.duration_weight, _share(features.total_duration_s, ranges.duration_range_s)),
        )
        score = sum(weight * share for weight, share in parts)
    score = min(1.0, max(0.0, score))
    extra_steps = len(features.steps) - settings.length_from_steps
    length = min(1.0, max(0.0, extra_steps / settings.length_over_steps))
    rate = settings.base_rate + settings.risk_rate * score + settings.length_rate * length
    return Risk(score=score, rate=rate)


def draw_error_count(
    rate: float, step_count: int, settings: ErrorCount, rng: np.random.Generator
) -> int:
    """The clipped Poisson draw of how many errors a take gets."""
    count = min(int(rng.poisson(rate)), settings.max_errors)
    if step_count >= settings.spared_below_steps:
        count = max(count, settings.min_errors)
    return min(count, int(step_count * settings.max_error_share + 1e-9))


def step_weights(features: Features, settings: Placement) -> list[float]:
    """The weight with which each step draws an error (Eq. 4)."""
    multipliers = phase_multipliers(settings)
    floor, slope = settings.load_floor, 1.0 - settings.load_floor
    return [
        (floor + slope * load) * multipliers[phase]
        for load, phase in zip(features.loads, features.phases, strict=True)
    ]


def phase_multipliers(settings: Placement) -> dict[Phase, float]:
    """The phase error rates over their mean (Eq. 3).

    >>> [round(value, 3) for value in phase_multipliers(Placement()).values()]
    [0.698, 1.326, 0.977]
    """
    rates = {phase: settings.phase_rates[phase] for phase in Phase if phase in settings.phase_rates}
    mean = sum(rates.values()) / len(rates)
    return {phase: rate / mean for phase, rate in rates.items()}


def draw_steps(
    weights: Sequence[float], count: int, max_consecutive: int, rng: np.random.Generator
) -> list[int]:
    """Up to `count` distinct steps in rising order, never too many of them in a row.

    The published planner draws again when a step is already chosen or would make a run too long.
    Drawing among the remaining steps has the same distribution and always ends.
    """
    remaining = list(weights)
    chosen: set[int] = set()
    while len(chosen) < count and any(remaining):
        index = draw_index(rng, remaining)
        remaining[index] = 0.0
        if longest_run(chosen, index) <= max_consecutive:
            chosen.add(index)
    return sorted(chosen)


def _share(value: float, bounds: Range) -> float:
    low, high = bounds
    return min(1.0, max(0.0, (value - low) / (high - low))) if high > low else 0.0
