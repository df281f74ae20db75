"""The size of a run before it is launched."""

from dataclasses import dataclass

from django.db.models import Count

from annotation.models import Dataset, Step, Take
from generation.selectors.launching.sample import RunSample

SAMPLE_SEEDS = 5


@dataclass(frozen=True, slots=True)
class RunSize:
    """The size of a run: counted takes and steps, and mistakes estimated from a sample.

    `analysed_count` steps have no representation of their own and get one from the analyser.
    `faulty_count` of the `sample_count` sampled takes cannot be planned.
    """

    take_count: int
    step_count: int
    analysed_count: int
    sample_count: int
    faulty_count: int
    error_count: float
    correction_count: float


def size_of_run(sample: RunSample) -> RunSize:
    """The size of a run over all the takes that the sample is from (two queries)."""
    steps = Step.objects.filter(take__in=sample.takes)
    take_count, step_count = sample.takes.count(), steps.count()
    errors = corrections = 0
    for procedure in sample.readable:
        for seed in range(SAMPLE_SEEDS):
            plan = sample.plan(procedure, seed)
            errors += len(plan.errors)
            corrections += len(plan.corrections or ())
    sample_count = len(sample.procedures)
    scale = take_count / (sample_count * SAMPLE_SEEDS) if sample_count else 0.0
    return RunSize(
        take_count=take_count,
        step_count=step_count,
        analysed_count=steps.filter(semrep="").count(),
        sample_count=sample_count,
        faulty_count=sample.procedures.count(None),
        error_count=errors * scale,
        correction_count=corrections * scale,
    )


def scenarios_of(dataset: Dataset) -> list[tuple[str, int]]:
    """The scenarios of a data set, each with how many takes it has."""
    rows = Take.objects.filter(dataset=dataset).order_by("scenario").values_list("scenario")
    return list(rows.annotate(count=Count("pk")))
