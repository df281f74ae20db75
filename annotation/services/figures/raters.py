"""Compute the figures of a round's raters, in a job where there are many, and store them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.analytics.raters.raters import pair_figures
from annotation.models import RaterPairs, RaterRoundFigures, Round, User
from annotation.selectors.figures.audit_plans import metric_plan, pilot_of
from annotation.selectors.figures.rater_figures import rater_data
from annotation.selectors.figures.rater_pages import both_sides
from annotation.selectors.figures.stored_raters import RatersContent, StoredPlan, raters_state
from annotation.selectors.ratings.screening import left_out, notable_results
from annotation.services.figures.figures import queue_stored
from annotation.services.records.jobs import Claim, beating, finish_job, work_on_jobs

# Also the name of the Celery task.
JOB_KIND = "annotation.raters"
# Plans ask for an alpha of their own; what is stored does not depend on it.
ANY_ALPHA = 0.0


def queue_raters(*, round_: Round, actor: User | None) -> list[int]:
    """Queue the figures of a round's raters; none while one is at it or in the pause."""
    with transaction.atomic():
        figures, _ = RaterRoundFigures.objects.get_or_create(round=round_)
        return queue_stored(RaterRoundFigures, figures.pk, kind=JOB_KIND, actor=actor)


def compute_queued_raters(*, job_ids: Sequence[int]) -> None:
    """Compute the figures behind these jobs; safe to call twice with the same ids."""
    work_on_jobs(job_ids=job_ids, handler=_work)


def _work(claim: Claim) -> None:
    figures = RaterRoundFigures.objects.filter(job=claim.job_id).select_related("round").first()
    if figures is None:
        finish_job(claim=claim, result={"skipped": "these figures are no longer needed"})
        return
    with beating(claim):
        computed = _compute(figures.round)
    with transaction.atomic():
        finish_job(claim=claim, result={"raters": len(computed.row["figures"])})
        RaterRoundFigures.objects.filter(pk=figures.pk).update(**computed.row)
        _store_pairs(figures, computed)


def compute_raters(*, round_: Round) -> None:
    """Compute the figures of a round's raters here and now, and store them."""
    computed = _compute(round_)
    with transaction.atomic():
        figures, _ = RaterRoundFigures.objects.update_or_create(round=round_, defaults=computed.row)
        _store_pairs(figures, computed)


def _store_pairs(figures: RaterRoundFigures, computed: "_Computed") -> None:
    RaterPairs.objects.bulk_create(
        [
            RaterPairs(figures=figures, metric=key, rows=rows)
            for key, rows in computed.pairs.items()
        ],
        update_conflicts=True,
        unique_fields=["figures", "metric"],
        update_fields=["rows"],
    )


@dataclass(frozen=True, slots=True)
class _Computed:
    """The columns of stored figures, and the rows of pairs by metric."""

    row: dict[str, Any]
    pairs: dict[str, list[list[Any]]]


def _compute(round_: Round) -> _Computed:
    results = list(notable_results(round_))
    state, data = raters_state(round_, results), rater_data(round_)
    out = left_out(results)
    plans = [metric_plan(item, seed=round_.seed, alpha=ANY_ALPHA) for item in data.answers]
    content = RatersContent(
        rater_ids=data.rater_ids,
        names=data.names,
        pilot=pilot_of(data),
        plans=tuple(
            StoredPlan(plan.definition.metric, plan.widths, plan.rarest_share) for plan in plans
        ),
        left_out=tuple(sorted(out)),
        both=both_sides(data, frozenset(out), round_.seed),
    )
    return _Computed(
        row={
            "state": state,
            "content": asdict(content),
            "figures": [asdict(item) for item in data.figures],
            "computed_at": timezone.now(),
        },
        pairs={
            item.metric.value: [
                [pair.units, pair.traces, pair.alpha, pair.reason] for pair in pair_figures(item)
            ]
            for item in data.answers
        },
    )
