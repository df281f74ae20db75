"""Compute figures of agreement, in a job where there are many ratings, and store them.

Ratings come in while figures are computed, and nothing waits for that: how far they were is noted
before they are read, so that whatever came later counts as newer.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.analytics.agreement.comparisons import Comparison, compare_all
from annotation.analytics.agreement.metric_ratings import MetricRatings
from annotation.analytics.agreement.report import ReportRow, build_report
from annotation.engine.stored import from_stored
from annotation.models import AgreementFigures, Dataset, StoredFigures, User
from annotation.selectors.figures.figures import FiguresScope, rating_state, scope_assignments
from annotation.selectors.figures.rated_traces import scales_of
from annotation.selectors.figures.report import Grouping, report_inputs
from annotation.selectors.ratings.viewing import viewing_counts
from annotation.services.records.jobs import Claim, beating, enqueue_jobs, finish_job, work_on_jobs

# Also the name of the Celery task.
JOB_KIND = "annotation.figures"
# While raters work, figures of many ratings would be old as soon as they are computed.
PAUSE = timedelta(minutes=1)


def queue_figures(
    *, scope: FiguresScope, actor: User | None, now: datetime | None = None
) -> list[int]:
    """Queue the figures of a scope and return the job; none while one is at it or in the pause."""
    with transaction.atomic():
        figures, _ = AgreementFigures.objects.get_or_create(key=scope.key, defaults=_owner(scope))
        return queue_stored(AgreementFigures, figures.pk, kind=JOB_KIND, actor=actor, now=now)


def queue_stored(
    rows: type[StoredFigures],
    pk: int,
    *,
    kind: str,
    actor: User | None,
    now: datetime | None = None,
) -> list[int]:
    """As `queue_figures`, for one row of any stored figures; needs a transaction."""
    moment = now or timezone.now()
    locked = rows._default_manager.select_for_update(of=("self",)).select_related("job")
    figures = locked.get(pk=pk)
    if figures.is_being_computed:
        return []
    if figures.queued_at is not None and moment - figures.queued_at < PAUSE:
        return []
    if figures.job is not None:
        figures.job.delete()
    name = f"{pk}/{moment.isoformat()}"
    [job_id] = enqueue_jobs(kind=kind, payload_by_key={name: {}}, created_by=actor)
    rows._default_manager.filter(pk=pk).update(job=job_id, queued_at=moment)
    return [job_id]


def compute_queued_figures(*, job_ids: Sequence[int]) -> None:
    """Compute the figures behind these jobs; safe to call twice with the same ids."""
    work_on_jobs(job_ids=job_ids, handler=_work)


def _work(claim: Claim) -> None:
    figures = AgreementFigures.objects.filter(job=claim.job_id).first()
    if figures is None:
        finish_job(claim=claim, result={"skipped": "these figures are no longer needed"})
        return
    with beating(claim):
        computed = _compute(FiguresScope.from_dict(figures.scope), earlier=figures)
    with transaction.atomic():
        finish_job(claim=claim, result={"ratings": computed["ratings_hash"]})
        AgreementFigures.objects.filter(pk=figures.pk).update(**computed)


def compute_figures(*, scope: FiguresScope) -> None:
    """Compute the figures of a scope here and now, and store them."""
    earlier = AgreementFigures.objects.filter(key=scope.key).first()
    computed = _compute(scope, earlier=earlier)
    AgreementFigures.objects.update_or_create(
        key=scope.key, defaults=computed, create_defaults=_owner(scope) | computed
    )


def _owner(scope: FiguresScope) -> dict[str, Any]:
    """What a row of a scope is made with: the campaign or data set that it goes with."""
    if scope.campaign is not None:
        return {"scope": scope.to_dict(), "campaign_id": scope.campaign}
    return {"scope": scope.to_dict(), "dataset_id": scope.datasets[0]}


def _compute(scope: FiguresScope, *, earlier: AgreementFigures | None) -> dict[str, Any]:
    """The columns of the figures; rows of the same ratings are not computed again."""
    state = rating_state(scope)
    datasets = Dataset.objects.filter(pk__in=scope.datasets).order_by("name")
    inputs: Iterable[MetricRatings] = (
        item for dataset in datasets for item in report_inputs(scope.of_dataset(dataset))
    )
    is_compared = scope.campaign is not None and scope.grouping is Grouping.ROUND
    if is_compared and (len(scope.datasets) > 1 or len(scope.rounds) > 1):
        # What is compared is held together; else a round is let go of before the next is read.
        inputs = compared = list(inputs)
    else:
        compared = []
    stored = [] if earlier is None else [from_stored(ReportRow, row) for row in earlier.rows]
    rows = build_report(
        inputs,
        seed=scope.seed,
        resamples=scope.resamples,
        rows_by_hash={row.ratings_hash: row for row in stored},
    )
    digest = hashlib.sha256("".join(row.ratings_hash for row in rows).encode()).hexdigest()
    if earlier is not None and earlier.ratings_hash == digest:
        comparisons = earlier.comparisons
    else:
        comparisons = [asdict(item) for item in _comparisons(compared, scope)]
    viewing = viewing_counts(scope_assignments(scope)) if scope.campaign is not None else {}
    return {
        "state": state.to_dict(),
        "ratings_hash": digest,
        "rows": [asdict(row) for row in rows],
        "comparisons": comparisons,
        "viewing": [[rater, *counts] for rater, counts in sorted(viewing.items())],
        "scales": [asdict(item) for item in scales_of(rows, scope_assignments(scope)).values()],
        "computed_at": timezone.now(),
    }


def _comparisons(inputs: Sequence[MetricRatings], scope: FiguresScope) -> Iterator[Comparison]:
    """Rounds before and after a change of the guideline, and data sets with each other."""
    # Of rounds in which nobody has rated yet there would be a row for every two.
    rated = [item for item in inputs if item.rating_count]
    rounds = [
        (before, after)
        for before, after in combinations(rated, 2)
        if before.metric is after.metric
        and before.dataset == after.dataset
        and before.basis.guidelines != after.basis.guidelines
    ]
    datasets = [
        (first, second)
        for first, second in combinations(inputs, 2)
        if first.metric is second.metric
        and first.dataset != second.dataset
        and first.basis.rounds == second.basis.rounds
    ]
    for family in (rounds, datasets):
        yield from compare_all(family, seed=scope.seed or 0, resamples=scope.resamples)
