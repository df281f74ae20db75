"""Work on the takes of runs: claim a take, go through the stages, store their products.

Long work happens outside any transaction. The products of a group of stages, the take's progress,
the audit entry and, at the end, the closing of its job are written in one transaction under the
claim, so that a take is never done twice and never half.
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

from annotation.engine.corpus.formats.errors import FormatError
from annotation.services.corpus.import_plan import ImportRefusedError
from annotation.services.records.audit_log import record
from annotation.services.records.jobs import (
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
from generation.services.texts.semreps import cache_semreps

# Runs whose settings a worker keeps in memory; they never change after launch.
KEPT_SETTINGS = 32
# A quick take costs some ten milliseconds, and a message about as much. A batch that is lost with
# its worker is redone only after a lease, so it stays below a second of work.
QUICK_BATCH = 25
# How long a take that found no free place at its endpoint stays on the queue, plus how much longer
# for each message of its run ahead of it, so that workers take turns and do not all poll at once.
PAUSE = timedelta(seconds=5)
PAUSE_PER_MESSAGE = timedelta(seconds=1)


def takes_per_message(stages: Sequence[Stage], options: RunOptions) -> int:
    if is_quick_run(stages, options):
        return QUICK_BATCH
    if waits_for_answers(stages, options):
        return min(settings.TAKES_AT_ONCE, most_at_once(options))
    return 1


def work_on_takes(*, job_ids: Sequence[int]) -> None:
    """Work on the takes behind these jobs; safe to call twice with the same ids.

    A take with bad input fails with its reason and does not stop the others. Takes that mostly wait
    for text models are worked on by several threads.
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
    # The budget may have been raised since launch, so the options come from the row.
    options = RunOptions.from_dict(run_take.run.options)
    shared = replace(settings_of(run_take.run.public_id), options=options)
    # A quick take ends long before its lease, so a thread that renews it would only cost time.
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
        # Leave the worker to other jobs; products and answers so far are stored for the next try.
        batch_size = takes_per_message(shared.stages, shared.options)
        ahead = paused_jobs(run_take.run_id).count() / batch_size
        put_back(claim=claim, pause=PAUSE + ahead * PAUSE_PER_MESSAGE, batch_size=batch_size)
    # Bad input is shown to the researcher, who can correct it; anything else is our fault and
    # reaches the outer edge with its traceback.
    except (FormatError, PlanningError, ImportRefusedError, TakeFailedError) as error:
        _fail(claim, run_take, str(error))


@dataclass(frozen=True, slots=True)
class _ClaimProgress:
    """Reports progress to a worker's claim; also raises LostClaimError once the claim is lost."""

    claim: Claim
    is_lost: Event | None

    def check(self) -> None:
        if self.is_lost is not None and self.is_lost.is_set():
            raise CancelledError("the take was cancelled, or another worker is working on it")

    def report(self, done_count: int, total_count: int) -> None:
        extend_lease(claim=self.claim, done_count=done_count, total_count=total_count)

    def keep_claim(self) -> None:
        extend_lease(claim=self.claim)


def _store(claim: Claim, take: TakeWork, prepared: PreparedTake, group: list[StageWork]) -> None:
    """Write the products of a group of stages and move the take on, all or nothing."""
    run_take = take.run_take
    stages_done = run_take.stages_done + len(group)
    summary = {
        key: value for product in take.unstored.values() for key, value in product.summary().items()
    }
    writes = [product.prepare(run_take) for product in take.unstored.values()]
    with transaction.atomic():
        # The job first: this raises if the worker has lost its claim, so that it writes nothing.
        if stages_done == len(take.settings.stages):
            finish_job(claim=claim, result=summary)
        else:
            pass_milestone(claim=claim)
        for write in writes:
            write()
        cache_semreps(prepared.new_semreps)
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
    """What the takes of a run share; cached because launch fixes everything except the options."""
    run = Run.objects.get(public_id=run_public_id)
    return RunSettings(
        profile=profile_of(run),
        seed=run.seed,
        stages=tuple(Stage(stage) for stage in run.stages),
        statistics=statistics_of(run),
        options=RunOptions.from_dict(run.options),
    )
