"""Compute who is right in a campaign, in a job, and store it."""

from collections.abc import Sequence
from dataclasses import asdict

from django.db import transaction
from django.utils import timezone

from annotation.models import Campaign, Dataset, LikelyTruthFigures, LikelyValue, User
from annotation.selectors.figures.figures import scope_of_campaign
from annotation.selectors.figures.report import report_inputs
from annotation.selectors.figures.who_is_right import likely_state, who_is_right
from annotation.services.figures.figures import queue_stored
from annotation.services.records.jobs import Claim, beating, finish_job, work_on_jobs

# Also the name of the Celery task.
JOB_KIND = "annotation.who_is_right"
ROWS_AT_ONCE = 2_000


def queue_who_is_right(*, campaign: Campaign, actor: User | None) -> list[int]:
    """Queue the figures of a campaign; none while a job is at it or in the pause."""
    with transaction.atomic():
        figures, _ = LikelyTruthFigures.objects.get_or_create(campaign=campaign)
        return queue_stored(LikelyTruthFigures, figures.pk, kind=JOB_KIND, actor=actor)


def compute_queued_who_is_right(*, job_ids: Sequence[int]) -> None:
    """Compute the figures behind these jobs; safe to call twice with the same ids."""
    work_on_jobs(job_ids=job_ids, handler=_work)


def _work(claim: Claim) -> None:
    figures = LikelyTruthFigures.objects.filter(job=claim.job_id).select_related("campaign").first()
    if figures is None:
        finish_job(claim=claim, result={"skipped": "these figures are no longer needed"})
        return
    scope = scope_of_campaign(figures.campaign)
    with beating(claim):
        state = likely_state(scope)
        datasets = Dataset.objects.filter(pk__in=scope.datasets).order_by("name")
        found = who_is_right(
            item for dataset in datasets for item in report_inputs(scope.of_dataset(dataset))
        )
        values = [LikelyValue(figures=figures, **asdict(answer)) for answer in found.answers]
    with transaction.atomic():
        finish_job(claim=claim, result={"values": len(values)})
        LikelyValue.objects.filter(figures=figures).delete()
        LikelyValue.objects.bulk_create(values, batch_size=ROWS_AT_ONCE)
        LikelyTruthFigures.objects.filter(pk=figures.pk).update(
            state=state,
            habits=[asdict(habit) for habit in found.habits],
            reasons=list(found.reasons),
            computed_at=timezone.now(),
        )
