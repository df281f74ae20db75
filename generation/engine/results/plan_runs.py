"""Plan and correct many takes: streams, whole files, and the distributions of many seeds."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from generation.engine.corrections.simulation import correct_plan
from generation.engine.planner.files.plan_files import (
    PlanFile,
    PlanningInput,
    corrections_meta,
    planning_meta,
)
from generation.engine.planner.files.profile_files import stored_profile
from generation.engine.planner.plan import Plan
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profile import Profile
from generation.engine.planner.profiles import DEFAULT_PROFILE
from generation.engine.planner.run_statistics import RunStatistics
from generation.engine.planner.statistics.distributions import PlanTally

# Told how many are done, of how many.
Watch = Callable[[int, int], None]
Item = TypeVar("Item")


def _watched(items: Sequence[Item], watch: Watch | None) -> Iterator[Item]:
    """Yield the items; tell before each how many are done."""
    for place, item in enumerate(items):
        if watch is not None:
            watch(place, len(items))
        yield item


def plan_takes(
    procedures: Iterable[Procedure],
    *,
    profile: Profile,
    seed: int,
    run_statistics: RunStatistics | None = None,
) -> Iterator[Plan]:
    """Yield the plan of each take, with one take in memory at a time."""
    for procedure in procedures:
        yield plan_take(procedure, profile=profile, seed=seed, run_statistics=run_statistics)


def correct_plans(plans: Iterable[Plan], *, profile: Profile, seed: int) -> Iterator[Plan]:
    """Yield each plan with its corrections."""
    for plan in plans:
        yield correct_plan(plan, profile=profile, seed=seed)


def plan_input(
    planning_input: PlanningInput, *, profile: Profile, seed: int, watch: Watch | None = None
) -> PlanFile:
    """The plan file of all takes of an input; `watch` is told of every take.

    Role priors are estimated from the input's representations unless the profile has its own; the
    file stores the profile with them, so that each take can be planned again on its own.
    """
    used = planning_input.profile_with_priors(profile)
    statistics = planning_input.statistics_for(used)
    procedures = _watched(planning_input.procedures, watch)
    plans = plan_takes(procedures, profile=used, seed=seed, run_statistics=statistics)
    meta = planning_meta(
        profile=used, seed=seed, inputs=planning_input.inputs, statistics=statistics
    )
    return PlanFile(meta, tuple(plans))


def correct_file(
    plan_file: PlanFile, *, profile: Profile | None, seed: int, watch: Watch | None = None
) -> PlanFile:
    """The plan file with corrections; without a profile, with the one that it was planned with.

    A file that does not store its profile, as the published ones, is corrected with the default.
    """
    used = profile or profile_of(plan_file)
    plans = tuple(correct_plans(_watched(plan_file.plans, watch), profile=used, seed=seed))
    meta = corrections_meta(profile=used, seed=seed, plans=plans)
    return PlanFile({**plan_file.meta, "corrections_meta": meta}, plans)


def profile_of(plan_file: PlanFile) -> Profile:
    """The profile stored in a plan file, the default if there is none."""
    stored = plan_file.meta.get("profile")
    return DEFAULT_PROFILE if stored is None else stored_profile(stored)


def distributions_of_seeds(
    planning_input: PlanningInput,
    *,
    profile: Profile,
    seeds: Sequence[int],
    watch: Watch | None = None,
) -> dict[str, Any]:
    """The distributions over takes and seeds; `watch` is told of every seed."""
    used = planning_input.profile_with_priors(profile)
    statistics = planning_input.statistics_for(used)
    tally = PlanTally()
    for seed in _watched(seeds, watch):
        plans = plan_takes(
            planning_input.procedures, profile=used, seed=seed, run_statistics=statistics
        )
        tally.add_run(correct_plans(plans, profile=used, seed=seed))
    return tally.to_dict()
