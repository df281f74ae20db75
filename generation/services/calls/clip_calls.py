"""Get clips from a provider, each ordered once: what was made before is read, not paid for again.

A claim is written before an order goes out, the job's id as soon as it is known, the outcome when
there is one; nothing is sent inside a transaction. A process that dies leaves a job that the next
one asks for. Only between the sending and the noting of the id can one be lost, and that is told.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import numpy as np

from annotation.backends.publishing import draft_of, publish
from generation.backends.exceptions import CancelledError
from generation.backends.retrying import RetryPolicy, ask_with_retries
from generation.backends.video.clips.backend import ClipRequest
from generation.backends.video.clips.conform import ConformedClip
from generation.backends.video.providers.exceptions import (
    ModerationError,
    ProviderError,
    UnclearSubmissionError,
)
from generation.backends.video.providers.job import Ending, Job, Watch
from generation.backends.video.providers.ordering import conformed, differences, order_of
from generation.backends.video.providers.provider import JobReport, Order, Provider
from generation.backends.video.providers.transport import Transport
from generation.backends.video.watching import TimedCheck
from generation.engine.progress import UNWATCHED
from generation.engine.splicing.limits import ClipLimits
from generation.models import ClipCallStatus, RunTake, VideoEndpoint
from generation.selectors.calls.clip_calls import is_cancelled
from generation.services.calls.clip_claims import (
    DIED_WHILE_ORDERING,
    LEASE,
    Admitted,
    Bill,
    Busy,
    Lost,
    Recorded,
    admit,
    keep,
    note_job,
    record_failure,
    record_made,
)
from generation.services.calls.clip_files import file_at, place_of
from generation.services.calls.video_endpoints import connection_settings

logger = logging.getLogger(__name__)
# How often somebody who waits for a place, or for the same clip, looks again.
LOOK_S = 0.5
BEAT_S = LEASE.total_seconds() / 3
# Long enough for a place among the jobs of a provider to become free.
ORDERING = RetryPolicy(max_attempts=8, first_pause_s=2.0, max_pause_s=60.0)


@dataclass(frozen=True, slots=True)
class ProviderClips:
    """A `ClipBackend` over an endpoint, on behalf of a take; safe to use from several threads.

    `budget` is in US dollars for the whole run of `run_take`, None for no limit. `check` is called
    while waiting and raises CancelledError when the clip is not wanted any more.
    """

    endpoint: VideoEndpoint
    adapter: Provider
    run_take: RunTake | None = None
    budget: Decimal | None = None
    check: Callable[[], None] = UNWATCHED.check
    policy: RetryPolicy = ORDERING
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    @property
    def name(self) -> str:
        """Return what is stored with the clips: provider and model."""
        return f"{self.endpoint.provider} {self.endpoint.model_name}"[:64]

    @property
    def limits(self) -> ClipLimits:
        return self.adapter.limits.clips

    @property
    def prompt_characters(self) -> int:
        """Return how long prompt and style lock may be together."""
        return self.adapter.limits.most_prompt_characters

    @property
    def at_once(self) -> int:
        """Return how many clips may be asked for at the same time."""
        return self.endpoint.concurrency

    def make_clip(self, request: ClipRequest, out: Path) -> ConformedClip:
        """Write the clip to `out`, recorded or new; raises ProviderError, StoppedError."""
        order = order_of(request, self.adapter.limits)
        return ask_with_retries(
            lambda: self._make_once(order, request, out),
            policy=self.policy,
            rng=np.random.default_rng(),
            pause=Watch(self.check, self.clock, self.sleep).wait,
        )

    def _make_once(self, order: Order, request: ClipRequest, out: Path) -> ConformedClip:
        with Transport(self.adapter, connection_settings(self.endpoint)) as transport:
            admitted = self._admitted(order, request.sample)
            if isinstance(admitted, Recorded):
                if admitted.call.status == ClipCallStatus.REFUSED:
                    raise ModerationError(f"{admitted.call.error}; to order it, change the prompt")
                return conformed(file_at(admitted.call.path), request, out, TimedCheck(self.check))
            return _ClipOrder(self, order, request, transport, admitted).make(out)

    def _admitted(self, order: Order, sample: int) -> Admitted | Recorded:
        while True:
            self.check()
            outcome = admit(
                endpoint=self.endpoint,
                order=order,
                sample=sample,
                run_take=self.run_take,
                budget=self.budget,
            )
            if isinstance(outcome, Lost):
                raise UnclearSubmissionError(DIED_WHILE_ORDERING)
            if not isinstance(outcome, Busy):
                return outcome
            self.sleep(LOOK_S)


class _ClipOrder:
    """One admitted try, from order or known job to the clip in its place."""

    def __init__(
        self,
        clips: ProviderClips,
        order: Order,
        request: ClipRequest,
        transport: Transport,
        admitted: Admitted,
    ) -> None:
        self._clips, self._order, self._request = clips, order, request
        self._admitted = admitted
        self._resumed = bool(admitted.job_id)
        self._beat = TimedCheck(self._keep, pause_s=BEAT_S, clock=clips.clock)
        self._transport = transport

    def make(self, out: Path) -> ConformedClip:
        """Return the clip; whatever comes of it is recorded."""
        job = self._job(self._check)
        try:
            if not self._resumed:
                self._order_it(job)
            return self._taken(job, job.wait_until_done(self._admitted.job_id), out)
        except CancelledError as error:
            self._leave(error, out)
            raise
        # Whatever it was, the claim must not stand in the way of the next who asks.
        except BaseException as error:
            self._record(error)
            raise

    def _job(self, check: Callable[[], None]) -> Job:
        return Job(self._transport, Watch(check, self._clips.clock, self._clips.sleep))

    def _order_it(self, job: Job) -> None:
        submitted = job.submit(self._order)
        # Whatever happens to the row, a person can find what was paid for.
        logger.info("%s took job %s", self._clips.endpoint.name, submitted.job_id)
        estimate = self._bill(submitted.estimate)
        self._admitted = note_job(
            self._admitted, submitted.job_id, estimate.dollars if estimate else None
        )

    def _taken(self, job: Job, report: JobReport, out: Path) -> ConformedClip:
        """Fetch and keep the clip of a job that is done."""
        place = place_of(self._admitted.key)
        file = file_at(place)
        file.parent.mkdir(parents=True, exist_ok=True)
        with draft_of(file) as draft:
            job.fetch(report, draft)
            limits = self._clips.adapter.limits
            notes = differences(draft, self._order, self._request, limits)
            # Conforming decodes all that will be shown, so that a broken file is not kept as made.
            clip = conformed(draft, self._request, out, TimedCheck(job.watch.check))
            byte_count = draft.stat().st_size
            publish(draft, file)
        record_made(self._admitted, place, byte_count, notes, self._bill(report.cost))
        return clip

    def _check(self) -> None:
        self._clips.check()
        self._beat()

    def _keep(self) -> None:
        if not keep(self._admitted):
            raise CancelledError("another worker is working on this clip")

    def _leave(self, error: CancelledError, out: Path) -> None:
        """Let go of a clip that is not wanted any more: keep it if it is made, else end its job."""
        job = self._job(self._beat)
        ending = self._ending(job)
        if ending.report is None:
            self._record(error, was_ended=ending.was_ended)
            return
        try:
            self._taken(job, job.finished(self._admitted.job_id, ending.report), out)
        except (CancelledError, ProviderError) as other:
            self._record(other)
        except BaseException as other:
            self._record(other)
            raise

    def _ending(self, job: Job) -> Ending:
        """End the job at the provider where the run was cancelled, not merely taken over."""
        run_take = self._clips.run_take
        if not self._admitted.job_id or run_take is None or not is_cancelled(run_take):
            return Ending()
        return job.end(self._admitted.job_id)

    def _record(self, error: BaseException, *, was_ended: bool = False) -> None:
        cost = error.cost if isinstance(error, ProviderError) else None
        record_failure(
            self._admitted,
            error,
            resumed=self._resumed,
            was_ended=was_ended,
            bill=self._bill(cost),
            bills_refusals=self._clips.adapter.limits.bills_refusals,
        )

    def _bill(self, amount: Decimal | None) -> Bill | None:
        adapter = self._clips.adapter
        return None if amount is None else Bill(amount, adapter.cost_unit, adapter.dollars(amount))
