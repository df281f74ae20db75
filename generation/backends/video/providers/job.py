"""Submit a job, ask for it until it is done, and fetch its file: the same for every provider."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from generation.backends.retrying import RetryPolicy, ask_with_retries
from generation.backends.video.providers.exceptions import (
    JobFailedError,
    JobTimeoutError,
    ProviderError,
    RefusedError,
    RetryableError,
)
from generation.backends.video.providers.provider import (
    JobReport,
    Order,
    Phase,
    Provider,
    ProviderLimits,
)
from generation.backends.video.providers.transport import Transport

logger = logging.getLogger(__name__)

DOWNLOADS = RetryPolicy(max_attempts=3, first_pause_s=2.0)
# Failed polls in a row before the job is given up; it can be asked for again by its id.
MOST_FAILED_POLLS = 8
# How often somebody who waits looks whether the clip is still wanted.
LOOK_S = 0.5


def _go_on() -> None:
    """Let the work go on."""


@dataclass(frozen=True, slots=True)
class Watch:
    """What goes on around a job: `check` raises where it is not wanted any more; and the clock."""

    check: Callable[[], None] = _go_on
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def wait(self, seconds: float) -> None:
        """Wait so long; what `check` raises ends the waiting soon after."""
        ends_at = self.clock() + seconds
        self.check()
        while (left_s := ends_at - self.clock()) > 0:
            self.sleep(min(left_s, LOOK_S))
            self.check()


@dataclass(frozen=True, slots=True)
class Job:
    """The steps, over one connection."""

    transport: Transport
    watch: Watch

    def submit(self, order: Order) -> str:
        """Return the id of the started job; sent once, whatever happens.

        Raises RetryableError where it was surely not taken and may be sent again.
        """
        self.watch.check()
        model = self.transport.settings.model or self.provider.default_model
        call = self.provider.submission(order, model)
        return self.provider.job_id(self.transport.ask(call, is_submission=True))

    def wait_until_done(self, job_id: str) -> JobReport:
        """Return the report of the finished job; raises JobTimeoutError, JobFailedError."""
        polling = self.limits.polling
        ends_at = self.watch.clock() + self.transport.settings.job_limit_s
        number = failed_count = 0
        least_s = 0.0
        while True:
            self._wait_for_poll(job_id, max(polling.pause_s(number), least_s), ends_at)
            number += 1
            try:
                report = self.provider.report(self.transport.ask(self.provider.query(job_id)))
            except RetryableError as error:
                failed_count += 1
                if failed_count >= MOST_FAILED_POLLS:
                    raise
                least_s = error.retry_after_s or 0.0
                continue
            failed_count, least_s = 0, 0.0
            if report.phase is not Phase.WAITING:
                return self._finished(job_id, report)

    def fetch(self, report: JobReport, out: Path) -> None:
        """Write the file of a finished job to `out`."""
        ask_with_retries(
            lambda: self.transport.download(report.video, out, self.watch.check),
            policy=DOWNLOADS,
            rng=np.random.default_rng(),
            pause=self.watch.wait,
        )

    def end(self, job_id: str) -> bool:
        """Ask the provider to end the job; return whether it said that it did."""
        call = self.provider.cancellation(job_id)
        if call is None:
            return False
        try:
            self.transport.tell(call)
        except ProviderError as error:
            logger.warning("%s job %s was not ended: %s", self.provider.name, job_id, error)
            return False
        return True

    @property
    def provider(self) -> Provider:
        return self.transport.provider

    @property
    def limits(self) -> ProviderLimits:
        return self.provider.limits

    def _wait_for_poll(self, job_id: str, pause_s: float, ends_at: float) -> None:
        if self.watch.clock() + pause_s > ends_at:
            limit_s = self.transport.settings.job_limit_s
            raise JobTimeoutError(
                f"{self.provider.name} job {job_id} is not done within {limit_s:g} s", job_id=job_id
            )
        self.watch.wait(pause_s)

    def _finished(self, job_id: str, report: JobReport) -> JobReport:
        if report.phase is Phase.DONE:
            return report
        code, reason = report.code, report.reason
        said = self.transport.shown(f"{code} {reason}".strip()) or "no reason given"
        if self.limits.errors.is_refusal(code, reason):
            raise RefusedError(f"{self.provider.name} refused the clip: {said}")
        ended = "was cancelled at the provider" if report.phase is Phase.CANCELLED else "failed"
        raise JobFailedError(f"{self.provider.name} job {job_id} {ended}: {said}")
