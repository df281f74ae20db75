"""The work behind item sets: claim the job, then make the items, freeze those that are made, have
their right words written or leave some of them out before, or delete the set.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from django.db.models import QuerySet

from annotation.models import Job, JobStop, User
from annotation.services.records.jobs import (
    Claim,
    LostClaimError,
    Progress,
    beating,
    cancel_jobs,
    fail_job,
    finish_job,
    progress_reporter,
    work_on_jobs,
)
from benchmarks.models import Answer, ItemSet
from benchmarks.selectors.item_sets import DELETE, DOOMED, LEAVE_OUT, WRITE
from benchmarks.services.batches import delete_rows, short_transaction
from benchmarks.services.freezing import freeze
from benchmarks.services.item_sets import record_set
from benchmarks.services.leaving_out import delete_doomed, leave_out
from benchmarks.services.making import UnmakeableError, make_items
from benchmarks.services.reference_writing import write_references
from generation.backends.exceptions import BudgetSpentError, CancelledError, StoppedError

Work = Callable[[Claim, ItemSet, Progress], None]


def work_on_item_sets(*, job_ids: Sequence[int], watch: Progress | None = None) -> None:
    """Make or freeze the item sets behind these jobs; safe to call twice with the same ids.

    `watch` is told of the progress too; it raises CancelledError to have the work cancelled.
    """
    work_on_jobs(job_ids=job_ids, handler=partial(_work, watch=watch))


def _work(claim: Claim, watch: Progress | None) -> None:
    sets = ItemSet.objects.select_related("dataset", "owner").filter(job_id=claim.job_id)
    item_set = sets.first()
    if item_set is None:
        finish_job(claim=claim, result={"skipped": "the item set was deleted"})
        return
    try:
        with beating(claim) as is_lost:
            report = progress_reporter(claim, is_lost, watch)
            if doomed := claim.payload.get(DOOMED):
                delete_doomed(claim, cast(list[int], doomed))
            work: Work = make_items
            if item_set.is_made:
                work = leave_out if claim.payload.get(LEAVE_OUT) else freeze
                if claim.payload.get(WRITE):
                    work = partial(write_references, is_lost=is_lost)
            if claim.payload.get(DELETE):
                work = delete
            work(claim, item_set, report)
    except UnmakeableError as error:
        fail_job(claim=claim, error=str(error))
    except CancelledError as error:
        cancel_jobs(job_ids=[claim.job_id])
        raise LostClaimError(str(error)) from error
    except StoppedError as error:
        is_spent = isinstance(error, BudgetSpentError)
        stop_reason = JobStop.BUDGET_SPENT if is_spent else ""
        fail_job(claim=claim, error=f"It was stopped: {error}", stop_reason=stop_reason)


def delete(claim: Claim, item_set: ItemSet, report: Progress) -> None:
    """Delete a set with all that depends on it, and the job with it.

    Rows go in batches, so that others write meanwhile; a worker that goes on after another deletes
    those that are left.
    """
    answers = Answer.objects.filter(assessment__in=item_set.assessments.all())
    stages: list[QuerySet[Any]] = [answers, item_set.items.all(), item_set.shared_payloads.all()]
    done_count, total_count = 0, sum(rows.count() for rows in stages)

    def tell(row_count: int) -> None:
        nonlocal done_count
        done_count += row_count
        report(done_count, total_count)

    for rows in stages:
        delete_rows(claim, rows, tell)
    actor_id = claim.payload.get("actor")
    actor = User.objects.filter(pk=actor_id).first() if isinstance(actor_id, int) else None
    with short_transaction(claim):
        item_set.assessments.all().delete()
        record_set(item_set, actor, "delete", {"name": str(item_set)})
        item_set.delete()
        Job.objects.filter(pk=claim.job_id).delete()
