"""What a run would be, before it is launched."""

from dataclasses import dataclass

from django.db.models import Count, QuerySet

from annotation.engine.formats.errors import FormatError
from annotation.models import Dataset, Step, Take
from generation.engine.corrections.simulation import correct_plan
from generation.engine.planner.plan_files import needs_run_statistics
from generation.engine.planner.planning import plan_take
from generation.engine.planner.profile import Profile
from generation.engine.planner.run_statistics import run_statistics_of
from generation.selectors.plans.procedures import prepare_takes

SAMPLE_TAKES = 20
SAMPLE_SEEDS = 5


@dataclass(frozen=True, slots=True)
class RunSize:
    """The size of a run: counted takes and steps, and mistakes estimated from a sample.

    `made_semrep_count` steps get their representation from the analyser. `faulty_count` of the
    `sample_count` sampled takes cannot be planned.
    """

    take_count: int
    step_count: int
    made_semrep_count: int
    sample_count: int
    faulty_count: int
    error_count: float
    correction_count: float


def size_of_run(takes: QuerySet[Take], profile: Profile) -> RunSize:
    """Return what a run over these takes would be (three queries and one per cached text set)."""
    steps = Step.objects.filter(take__in=takes)
    take_count, step_count = takes.count(), steps.count()
    # The hash of the content picks takes without regard to their names and order.
    sample = list(prepare_takes(takes.order_by("content_hash")[:SAMPLE_TAKES]))
    procedures = [item.procedure for item in sample if not isinstance(item, FormatError)]
    readable = [procedure for procedure in procedures if procedure.steps]
    statistics = (
        run_statistics_of(readable, profile=profile)
        if readable and needs_run_statistics(profile)
        else None
    )
    errors = corrections = 0
    for procedure in readable:
        for seed in range(SAMPLE_SEEDS):
            plan = plan_take(procedure, profile=profile, seed=seed, run_statistics=statistics)
            errors += len(plan.errors)
            corrections += len(correct_plan(plan, profile=profile, seed=seed).corrections or ())
    scale = take_count / (len(sample) * SAMPLE_SEEDS) if sample else 0.0
    return RunSize(
        take_count=take_count,
        step_count=step_count,
        made_semrep_count=steps.filter(semrep="").count(),
        sample_count=len(sample),
        faulty_count=len(sample) - len(procedures),
        error_count=errors * scale,
        correction_count=corrections * scale,
    )


@dataclass(frozen=True, slots=True)
class ScenarioCount:
    """One scenario of a data set and how many takes it has."""

    scenario: str
    take_count: int


def scenarios_of(dataset: Dataset) -> list[ScenarioCount]:
    """Return the scenarios of a data set by name."""
    rows = Take.objects.filter(dataset=dataset).order_by("scenario").values_list("scenario")
    return [ScenarioCount(name, count) for name, count in rows.annotate(count=Count("pk"))]
