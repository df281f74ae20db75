"""Read plans: one take with its decisions, other seeds on the fly, whole runs for export."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Sum

from annotation.engine.corpus.formats.errors import FormatError
from generation.engine.corrections.simulation import correct_plan
from generation.engine.planner.decisions import Decision, DecisionTrace
from generation.engine.planner.exceptions import PlanningError
from generation.engine.planner.files.plan_files import corrections_meta, planning_meta
from generation.engine.planner.files.plan_json import plan_from_dict, plan_to_dict
from generation.engine.planner.files.profile_files import stored_profile
from generation.engine.planner.plan import Plan
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profile import Profile
from generation.engine.planner.run_statistics import RunStatistics
from generation.engine.stages import Stage
from generation.models import Run, RunTake, TakePlan
from generation.selectors.plans.procedures import prepare_take

PLANS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class TakePlanView:
    """One plan, stored or computed for a page, with the decisions that led to it.

    `decisions` are recomputed from the take as it is now. If that no longer gives the same plan,
    they are empty and `why_no_decisions` says why.
    """

    plan: Plan
    decisions: tuple[Decision, ...]
    why_no_decisions: str = ""


def view_of_plan(run_take: RunTake) -> TakePlanView:
    stored = plan_from_dict(run_take.take.uid, run_take.plan.document)
    if Stage.PLAN not in run_take.run.stages:
        return TakePlanView(stored, (), "nothing was planned; the text claims these mistakes")
    try:
        prepared = prepare_take(run_take.take)
        if prepared.input_hash != run_take.plan.input_hash:
            return TakePlanView(stored, (), "the take was changed after it was planned")
        again = plan_procedure(prepared.procedure, run=run_take.run, seed=run_take.run.seed)
    except (FormatError, PlanningError) as error:
        return TakePlanView(stored, (), f"the take cannot be planned any more: {error}")
    if json.loads(json.dumps(plan_to_dict(again.plan))) != run_take.plan.document:
        return TakePlanView(stored, (), "this version of PIE-V plans the take differently")
    return TakePlanView(stored, again.decisions)


def replan(run_take: RunTake, *, seed: int) -> TakePlanView:
    """The plan of a take with another seed, under the profile and stages of its run.

    Raises FormatError or PlanningError if the take cannot be planned.
    """
    run = run_take.run
    procedure = prepare_take(run_take.take).procedure
    return plan_procedure(procedure, run=run, seed=seed)


def plan_procedure(procedure: Procedure, *, run: Run, seed: int) -> TakePlanView:
    profile, statistics = profile_of(run), statistics_of(run)
    trace = DecisionTrace()
    plan = plan_take(procedure, profile=profile, seed=seed, run_statistics=statistics, trace=trace)
    if Stage.CORRECT in run.stages:
        plan = correct_plan(plan, profile=profile, seed=seed, trace=trace)
    return TakePlanView(plan, tuple(trace.decisions))


def profile_of(run: Run) -> Profile:
    return stored_profile(run.profile)


def statistics_of(run: Run) -> RunStatistics | None:
    """The figures over the run's takes, None if its profile needs none."""
    return RunStatistics.from_dict(run.run_statistics) if run.run_statistics else None


def stored_plans(run: Run) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (take uid, plan in the published form) in working order, a few at a time in memory."""
    rows = TakePlan.objects.filter(run_take__run=run).order_by("run_take__position")
    pairs = rows.values_list("run_take__take__uid", "document")
    yield from pairs.iterator(chunk_size=PLANS_AT_ONCE)


def plan_file_meta(run: Run) -> dict[str, Any]:
    """The metadata of a published plan file: how it was made."""
    profile = profile_of(run)
    inputs = {"dataset": run.dataset.name, "run": run.public_id}
    meta = planning_meta(
        profile=profile, seed=run.seed, inputs=inputs, statistics=statistics_of(run)
    )
    if Stage.CORRECT in run.stages:
        totals = TakePlan.objects.filter(run_take__run=run).aggregate(
            n_takes=Count("pk"), n_corrections_total=Sum("correction_count", default=0)
        )
        corrections = corrections_meta(profile=profile, seed=run.seed, plans=())
        meta["corrections_meta"] = {**corrections, "stats": totals}
    return meta
