"""Plan and correct many takes: streams, whole files, and the distributions of many seeds."""

from collections.abc import Iterable, Iterator
from typing import Any

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


def plan_input(planning_input: PlanningInput, *, profile: Profile, seed: int) -> PlanFile:
    """The plan file of all takes of an input.

    Role priors are estimated from the input's representations unless the profile has its own; the
    file stores the profile with them, so that each take can be planned again on its own.
    """
    used = planning_input.profile_with_priors(profile)
    statistics = planning_input.statistics_for(used)
    plans = plan_takes(
        planning_input.procedures, profile=used, seed=seed, run_statistics=statistics
    )
    meta = planning_meta(
        profile=used, seed=seed, inputs=planning_input.inputs, statistics=statistics
    )
    return PlanFile(meta, tuple(plans))


def correct_file(plan_file: PlanFile, *, profile: Profile | None, seed: int) -> PlanFile:
    """The plan file with corrections; without a profile, with the one that it was planned with.

    A file that does not store its profile, as the published ones, is corrected with the default.
    """
    used = profile or profile_of(plan_file)
    plans = tuple(correct_plans(plan_file.plans, profile=used, seed=seed))
    meta = corrections_meta(profile=used, seed=seed, plans=plans)
    return PlanFile({**plan_file.meta, "corrections_meta": meta}, plans)


def profile_of(plan_file: PlanFile) -> Profile:
    """The profile stored in a plan file, the default if there is none."""
    stored = plan_file.meta.get("profile")
    return DEFAULT_PROFILE if stored is None else stored_profile(stored)


def distributions_of_seeds(
    planning_input: PlanningInput, *, profile: Profile, seeds: Iterable[int]
) -> dict[str, Any]:
    used = planning_input.profile_with_priors(profile)
    statistics = planning_input.statistics_for(used)
    tally = PlanTally()
    for seed in seeds:
        plans = plan_takes(
            planning_input.procedures, profile=used, seed=seed, run_statistics=statistics
        )
        tally.add_run(correct_plans(plans, profile=used, seed=seed))
    return tally.to_dict()
