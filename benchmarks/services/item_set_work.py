"""The work behind item sets: claim the job, then make the items, or freeze those that are made.

From items that are made some may be left out before.
"""

from collections.abc import Sequence
from functools import partial

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
from benchmarks.models import ItemSet
from benchmarks.selectors.item_sets import LEAVE_OUT
from benchmarks.services.freezing import freeze
from benchmarks.services.leaving_out import leave_out
from benchmarks.services.making import UnmakeableError, make_items
from generation.backends.exceptions import CancelledError


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
            report_job = progress_reporter(claim, is_lost)

            def report(done_count: int, total_count: int) -> None:
                report_job(done_count, total_count)
                if watch is not None:
                    watch(done_count, total_count)

            work = make_items
            if item_set.is_made:
                work = leave_out if claim.payload.get(LEAVE_OUT) else freeze
            work(claim, item_set, report)
    except UnmakeableError as error:
        fail_job(claim=claim, error=str(error))
    except CancelledError as error:
        cancel_jobs(job_ids=[claim.job_id])
        raise LostClaimError(str(error)) from error
