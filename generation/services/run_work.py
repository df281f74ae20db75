"""Work on the takes of runs: claim, go through the stages, store what they made.

Long work happens outside any transaction. What a group of stages made, the take's progress, the
audit entry and, at the end, the closing of its job are written in one transaction under the claim,
so that a take is never done twice and never half.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache
from threading import Event

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from annotation.engine.formats.errors import FormatError
from annotation.services.audit_log import record
from annotation.services.corpus_plan import ImportRefusedError
from annotation.services.jobs import (
    Claim,
    beating,
    extend_lease,
    fail_job,
    finish_job,
    pass_milestone,
    put_back,
    wait_for_person,
    work_on_jobs,
)
from generation.backends.exceptions import CancelledError, NoPlaceError
from generation.engine.planner.exceptions import PlanningError
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.models import Run, RunTake
from generation.selectors.calls.endpoints import most_at_once
from generation.selectors.plans.procedures import PreparedTake, prepare_take
from generation.selectors.plans.stored import profile_of, statistics_of
from generation.services.run_payer import paused_jobs
from generation.services.runs import cancel_run
from generation.services.stage import (
    RunSettings,
    RunStoppedError,
    StageWork,
    TakeFailedError,
    TakeWaitsError,
    TakeWork,
)
from generation.services.stages import grouped_works, is_quick_run, waits_for_answers
from generation.services.texts.semreps import store_made_semreps

# Runs whose settings a worker keeps in memory; they never change after launch.
KEPT_SETTINGS = 32
# A quick take costs some ten milliseconds, a message about as much; a batch that is lost with its
# worker is redone after a lease, so it stays below a second of work.
QUICK_BATCH = 25
# How long a take stays on the queue that found no place at its endpoint, and how much longer for
# each message of its run that is there before: workers look at them in turn, not all the time.
PAUSE = timedelta(seconds=5)
PAUSE_PER_MESSAGE = timedelta(seconds=1)


def takes_per_message(stages: Sequence[Stage], options: RunOptions) -> int:
    """How many takes of a run are worked on in answer to one message."""
    if is_quick_run(stages, options):
        return QUICK_BATCH
    if waits_for_answers(stages, options):
        return min(settings.TAKES_AT_ONCE, most_at_once(options))
    return 1


def work_on_takes(*, job_ids: Sequence[int]) -> None:
    """Work on the takes behind these jobs; safe to call twice with the same ids.

    A take with bad input fails with its reason and does not stop the others. Takes that wait for
    the answers of text models wait together.
    """
    thread_count = 1
    # Other threads would not see the rows of an open transaction.
    if len(job_ids) > 1 and not connection.in_atomic_block:
        runs = Run.objects.filter(run_takes__job_id__in=job_ids).distinct()
        waits = [
            waits_for_answers(run.stages, RunOptions.from_dict(run.options))
            for run in runs.only("stages", "options")
        ]
        if waits and all(waits):
            thread_count = min(len(job_ids), settings.TAKES_AT_ONCE)
    work_on_jobs(job_ids=job_ids, handler=_work_on_take, thread_count=thread_count)


def _work_on_take(claim: Claim) -> None:
    run_take = (
        RunTake.objects.select_related("take__dataset", "run")
        .defer("run__profile", "run__run_statistics", "take__dataset__import_warnings")
        .get(job_id=claim.job_id)
    )
    # A budget may have grown since launch, so the options are those of the row.
    options = RunOptions.from_dict(run_take.run.options)
    shared = replace(settings_of(run_take.run.public_id), options=options)
    # A quick take ends long before its lease; a thread for each would only cost time.
    beat = nullcontext() if is_quick_run(shared.stages, shared.options) else beating(claim)
    try:
        with beat as is_lost:
            prepared = prepare_take(run_take.take)
            take = TakeWork(
                run_take=run_take,
                settings=shared,
                procedure=prepared.procedure,
                input_hash=prepared.input_hash,
                progress=_ClaimProgress(claim, is_lost),
            )
            for group in grouped_works(shared.stages[run_take.stages_done :], shared.options):
                for work in group:
                    work.work(take)
                _store(claim, take, prepared, group)
    except RunStoppedError as error:
        _fail(claim, run_take, f"The run was stopped: {error}", stop=error)
        cancel_run(run=run_take.run, actor=None)
    except TakeWaitsError as wait:
        # Leave the take to a person, and the worker to other takes.
        with transaction.atomic():
            wait_for_person(claim=claim)
            record(
                actor=None,
                action="run_take.wait",
                subject=_subject(run_take),
                detail={"take": run_take.take.uid, "attempt": claim.attempt, "for": str(wait)},
            )
    except NoPlaceError:
        # Leave the worker to other jobs. What was stored and answered so far is there next time.
        batch_size = takes_per_message(shared.stages, shared.options)
        ahead = paused_jobs(run_take.run_id).count() / batch_size
        put_back(claim=claim, pause=PAUSE + ahead * PAUSE_PER_MESSAGE, batch_size=batch_size)
    # Bad input is the researcher's to mend and is told as it is; anything else is our fault and
    # reaches the outer edge with its traceback.
    except (FormatError, PlanningError, ImportRefusedError, TakeFailedError) as error:
        _fail(claim, run_take, str(error))


@dataclass(frozen=True, slots=True)
class _ClaimProgress:
    """The claim of a worker as its work sees it; raises LostClaimError too where it is lost."""

    claim: Claim
    is_lost: Event | None

    def check(self) -> None:
        if self.is_lost is not None and self.is_lost.is_set():
            raise CancelledError("the take was cancelled, or another worker is working on it")

    def tell(self, done_count: int, total_count: int) -> None:
        extend_lease(claim=self.claim, done_count=done_count, total_count=total_count)

    def hold(self) -> None:
        extend_lease(claim=self.claim)


def _store(claim: Claim, take: TakeWork, prepared: PreparedTake, group: list[StageWork]) -> None:
    """Write what a group of stages made and move the take on, or nothing of it."""
    run_take = take.run_take
    stages_done = run_take.stages_done + len(group)
    summary = {
        key: value for product in take.unstored.values() for key, value in product.summary().items()
    }
    writes = [product.prepare(run_take) for product in take.unstored.values()]
    with transaction.atomic():
        # First the job: a worker that lost the claim writes nothing.
        if stages_done == len(take.settings.stages):
            finish_job(claim=claim, result=summary)
        else:
            pass_milestone(claim=claim)
        for write in writes:
            write()
        store_made_semreps(prepared.new_semreps)
        RunTake.objects.filter(pk=run_take.pk).update(
            stages_done=stages_done, passed_at=timezone.now()
        )
        record(
            actor=None,
            action=f"run_take.{group[-1].stage}",
            subject=_subject(run_take),
            detail={"take": run_take.take.uid, "attempt": claim.attempt, **summary},
        )
    run_take.stages_done = stages_done
    take.unstored.clear()


def _fail(
    claim: Claim, run_take: RunTake, reason: str, stop: RunStoppedError | None = None
) -> None:
    with transaction.atomic():
        fail_job(claim=claim, error=reason)
        if stop is not None:
            words = str(stop)
            RunTake.objects.filter(pk=run_take.pk).update(
                stop_reason=stop.reason, stop_words=words[:1].upper() + words[1:]
            )
        record(
            actor=None,
            action="run_take.fail",
            subject=_subject(run_take),
            detail={"take": run_take.take.uid, "attempt": claim.attempt, "reason": reason},
        )


def _subject(run_take: RunTake) -> str:
    return f"run:{run_take.run.public_id}/{run_take.position}"


@lru_cache(KEPT_SETTINGS)
def settings_of(run_public_id: str) -> RunSettings:
    """What the takes of a run share; kept in memory because launch fixes all but options."""
    run = Run.objects.get(public_id=run_public_id)
    return RunSettings(
        profile=profile_of(run),
        seed=run.seed,
        stages=tuple(Stage(stage) for stage in run.stages),
        statistics=statistics_of(run),
        options=RunOptions.from_dict(run.options),
    )
