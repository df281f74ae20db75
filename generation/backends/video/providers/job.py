"""Submit a job, poll until it is done, and fetch its file: the same for every provider."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np

from generation.backends.exceptions import MayPassError, ModelError
from generation.backends.retrying import RetryPolicy, ask_with_retries
from generation.backends.video.providers.adapter import Adapter
from generation.backends.video.providers.exceptions import (
    JobFailedError,
    JobTimeoutError,
    ModerationError,
)
from generation.backends.video.providers.provider import JobPhase, JobReport, Order, ProviderLimits
from generation.backends.video.providers.transport import Transport
from generation.engine.progress import UNWATCHED

logger = logging.getLogger(__name__)

# A file may be announced a little before it can be fetched.
DOWNLOADS = RetryPolicy(max_attempts=5, first_pause_s=2.0)
# After so many failed polls in a row waiting ends; the job can still be queried by its id.
MOST_FAILED_POLLS = 8
# How often somebody who waits checks whether the clip is still wanted.
LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class JobWatch:
    """How to wait for a job; `check` raises if it is no longer wanted."""

    check: Callable[[], None] = UNWATCHED.check
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def wait(self, seconds: float) -> None:
        """Wait so long; `check` is called meanwhile and may raise."""
        ends_at = self.clock() + seconds
        self.check()
        while (left_s := ends_at - self.clock()) > 0:
            self.sleep(min(left_s, LOOK_S))
            self.check()


@dataclass(frozen=True, slots=True)
class Submitted:
    """An accepted job; `estimate` is the most that it can cost, in the adapter's unit."""

    job_id: str
    estimate: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """What happened to an unwanted job: `was_ended`, or its report if it was already over.

    Neither if it goes on: then the provider makes the clip whether we want it or not.
    """

    was_ended: bool = False
    report: JobReport | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """The steps of a job, over one connection."""

    transport: Transport
    watch: JobWatch

    def submit(self, order: Order) -> Submitted:
        """Start the job; the request is sent only once, whatever happens.

        Raises MayPassError if it was surely not accepted and may be sent again.
        """
        self.watch.check()
        model = self.transport.settings.model or self.provider.default_model
        call = self.provider.submission(order, model)
        answer = self.transport.ask(call, is_submission=True)
        return Submitted(self.provider.job_id(answer), self.provider.estimate(answer))

    def wait_until_done(self, job_id: str) -> JobReport:
        """The report of the finished job; raises JobTimeoutError, JobFailedError."""
        polling = self.limits.polling
        ends_at = self.watch.clock() + self.transport.settings.job_limit_s
        number = failed_count = 0
        least_s = 0.0
        while True:
            pause_s = max(polling.pause_s(number), least_s)
            if self.watch.clock() + pause_s > ends_at:
                limit_s = self.transport.settings.job_limit_s
                raise JobTimeoutError(
                    f"{self.provider.name} job {job_id} is not done within {limit_s:g} s",
                    job_id=job_id,
                )
            self.watch.wait(pause_s)
            number += 1
            try:
                report = self.report(job_id)
            except MayPassError as error:
                failed_count += 1
                if failed_count >= MOST_FAILED_POLLS:
                    raise
                least_s = error.retry_after_s or 0.0
                continue
            failed_count, least_s = 0, 0.0
            if report.phase is not JobPhase.WAITING:
                return self.finished(job_id, report)

    def fetch(self, report: JobReport, out: Path) -> None:
        """Write the file of a finished job to `out`."""
        ask_with_retries(
            lambda: self.transport.download(report.video, out, self.watch.check),
            policy=DOWNLOADS,
            rng=np.random.default_rng(),
            pause=self.watch.wait,
        )

    def report(self, job_id: str) -> JobReport:
        """The current state of the job, with one request."""
        return self.provider.report(self.transport.ask(self.provider.query(job_id)))

    def end(self, job_id: str) -> Ending:
        """End a job that is no longer wanted, if that saves its price.

        Its state is read first: the same request that ends a waiting job deletes a finished one
        together with its clip, which is paid for.
        """
        try:
            report = self.report(job_id)
            if report.phase is not JobPhase.WAITING:
                return Ending(report=report)
            call = self.provider.cancellation(job_id) if report.can_be_ended else None
            if call is None:
                return Ending()
            self.transport.send(call)
        except ModelError as error:
            logger.warning("%s job %s was not ended: %s", self.provider.name, job_id, error)
            return Ending()
        return Ending(was_ended=True)

    def finished(self, job_id: str, report: JobReport) -> JobReport:
        """The report of a job that is over; raises ModerationError or JobFailedError."""
        if report.phase is JobPhase.DONE:
            return report
        code, reason = report.code, report.reason
        words = self.transport.shown(f"{code} {reason}".strip()) or "no reason given"
        if self.limits.errors.is_refusal(code, reason):
            error: ModelError = ModerationError(f"{self.provider.name} refused the clip: {words}")
        else:
            is_cancelled = report.phase is JobPhase.CANCELLED
            ended = "was cancelled at the provider" if is_cancelled else "failed"
            error = JobFailedError(f"{self.provider.name} job {job_id} {ended}: {words}")
        error.cost = report.cost
        raise error

    @property
    def provider(self) -> Adapter:
        return self.transport.provider

    @property
    def limits(self) -> ProviderLimits:
        return self.provider.limits
