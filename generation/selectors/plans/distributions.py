"""The distributions of a run's plans beside the average of its profile over the same takes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.core.cache import cache

from annotation.engine.corpus.formats.errors import FormatError
from annotation.models import Take
from generation.engine.planner.files.plan_json import plan_from_dict
from generation.engine.planner.plan import Plan
from generation.engine.planner.statistics.comparison import compare
from generation.engine.planner.statistics.distributions import PlanTally
from generation.engine.results.plan_runs import correct_plans, plan_takes
from generation.engine.stages import Stage
from generation.models import Run
from generation.selectors.plans.procedures import prepare_takes
from generation.selectors.plans.stored import profile_of, statistics_of, stored_plans

# A page reads no more plans than this, and says so.
READ_PLANS = 2000
SAMPLE_TAKES = 40
SAMPLE_SEEDS = 25
KEPT_S = 24 * 3600


# Titles on the page, and the prefixes of their figures.
SECTIONS = {
    "Mistakes per take": "k_per_take.share_by_k.",
    "Error types": "type_share.",
    "Error types in phase 1, initiation": "type_share_given_phase.phase_1.",
    "Error types in phase 2, routine": "type_share_given_phase.phase_2.",
    "Error types in phase 3, completion": "type_share_given_phase.phase_3.",
    "Severity": "severity_share.",
    "Share of mistakes that are corrected": "corrections.per_mistake_by_type.",
    "Correction types": "corrections.correction_type_share.",
    "Steps from mistake to noticing": "corrections.latency_share.",
}
BAR_WIDTH = 90


@dataclass(frozen=True, slots=True)
class ShareRow:
    """One share of the run beside the expected one, with the lengths of its bar and its mark."""

    label: str
    share: float
    expected: float

    @property
    def bar(self) -> float:
        return round(BAR_WIDTH * self.share, 1)

    @property
    def mark(self) -> float:
        return round(BAR_WIDTH * self.expected, 1)

    @property
    def percent(self) -> str:
        return f"{self.share:.0%}"

    @property
    def expected_percent(self) -> str:
        return f"{self.expected:.0%}"


@dataclass(frozen=True, slots=True)
class Section:
    """A group of shares under a title."""

    title: str
    rows: tuple[ShareRow, ...]


@dataclass(frozen=True, slots=True)
class RunDistributions:
    """The distributions of a run's plans, and of plans with other seeds for a sample of its takes.

    `plan_count` of the run's plans were read. `expected` is over `sample_takes` takes of the run
    and `sample_seeds` seeds each.
    """

    observed: dict[str, Any]
    expected: dict[str, Any]
    plan_count: int
    sample_takes: int
    sample_seeds: int

    @property
    def sections(self) -> list[Section]:
        """The figures in the order of the page; empty sections are left out."""
        figures = compare(self.observed, self.expected)
        sections = []
        for title, start in SECTIONS.items():
            rows = tuple(
                ShareRow(
                    figure.name.removeprefix(start).replace("_", " "),
                    figure.observed or 0.0,
                    figure.expected or 0.0,
                )
                for figure in figures
                if figure.name.startswith(start)
            )
            if rows:
                sections.append(Section(title, rows))
        return sections


def run_distributions(run: Run) -> RunDistributions | None:
    """The distributions of a run's plans so far; None if it has none yet."""
    tally = PlanTally()
    plans = [
        plan_from_dict(uid, document) for uid, document in islice(stored_plans(run), READ_PLANS)
    ]
    if not plans:
        return None
    tally.add_run(plans)
    # The expectation never changes for a run.
    key = f"expected-distributions:{run.public_id}"
    cached: tuple[dict[str, Any], int] | None = cache.get(key)
    if cached is None:
        cached = _distributions_of_other_seeds(run)
        cache.set(key, cached, KEPT_S)
    expected, sample_takes = cached
    return RunDistributions(
        observed=tally.to_dict(),
        expected=expected,
        plan_count=len(plans),
        sample_takes=sample_takes,
        sample_seeds=SAMPLE_SEEDS,
    )


def _distributions_of_other_seeds(run: Run) -> tuple[dict[str, Any], int]:
    # Picked by the hash of their content, so that names and order do not matter.
    rows = Take.objects.filter(run_takes__run=run).order_by("content_hash")[:SAMPLE_TAKES]
    prepared = [item for item in prepare_takes(rows) if not isinstance(item, FormatError)]
    procedures = [item.procedure for item in prepared]
    profile, statistics = profile_of(run), statistics_of(run)
    tally = PlanTally()
    for seed in range(run.seed + 1, run.seed + 1 + SAMPLE_SEEDS):
        plans: Iterator[Plan] = plan_takes(
            procedures, profile=profile, seed=seed, run_statistics=statistics
        )
        if Stage.CORRECT in run.stages:
            plans = correct_plans(plans, profile=profile, seed=seed)
        tally.add_run(plans)
    return tally.to_dict(), len(procedures)
