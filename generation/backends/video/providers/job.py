"""Submit a job, ask for it until it is done, and fetch its file: the same for every provider."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from generation.backends.video.providers.exceptions import (
    CancelledError,
    JobFailedError,
    JobTimeoutError,
    ProviderError,
    RefusedError,
    RetryableError,
)
from generation.backends.video.providers.provider import (
    Call,
    JobReport,
    Phase,
    Provider,
    ProviderLimits,
)
from generation.backends.video.providers.transport import Transport

logger = logging.getLogger(__name__)
Answer = TypeVar("Answer")

MOST_SUBMISSIONS = 5
MOST_DOWNLOADS = 3
# Failed polls in a row before the job is given up; it can be asked for again by its id.
MOST_FAILED_POLLS = 8
# A server that wants a longer pause than this is not waited for.
LONGEST_RETRY_S = 60.0
# How often somebody who waits looks whether the clip is still wanted.
LOOK_S = 0.5


def _never() -> bool:
    return False


def _ignore(job_id: str) -> None:
    """Keep nothing."""


@dataclass(frozen=True, slots=True)
class Watch:
    """What goes on around a job: whether it is still wanted, who notes its id, and the clock.

    `submitted` gets the job's id as soon as there is one; whoever keeps it can fetch the clip
    later (`ProviderBackend.finish_clip`) instead of paying for it twice.
    """

    is_cancelled: Callable[[], bool] = _never
    submitted: Callable[[str], None] = _ignore
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def check(self) -> None:
        if self.is_cancelled():
            raise CancelledError("the clip is not wanted any more")

    def wait(self, seconds: float) -> None:
        """Wait so long; raise CancelledError soon after the clip is not wanted any more."""
        ends_at = self.clock() + seconds
        self.check()
        while (left_s := ends_at - self.clock()) > 0:
            self.sleep(min(left_s, LOOK_S))
            self.check()


@dataclass(frozen=True, slots=True)
class Job:
    """The three steps, over one connection."""

    provider: Provider
    transport: Transport
    watch: Watch

    def submit(self, call: Call) -> str:
        """Return the id of the started job; only what surely was not taken is sent again."""
        self.watch.check()
        answer = self._repeated(
            lambda: self.transport.ask(call, is_submission=True), MOST_SUBMISSIONS
        )
        job_id = self.provider.job_id(answer)
        self.watch.submitted(job_id)
        return job_id

    def wait_until_done(self, job_id: str) -> JobReport:
        """Return the report of the finished job; ends the job where it is not wanted any more."""
        polling = self.limits.polling
        ends_at = self.watch.clock() + polling.limit_s
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
        self._repeated(
            lambda: self.transport.download(report.video, out, self.watch.check), MOST_DOWNLOADS
        )

    @property
    def limits(self) -> ProviderLimits:
        return self.provider.limits

    def _wait_for_poll(self, job_id: str, pause_s: float, ends_at: float) -> None:
        if self.watch.clock() + pause_s > ends_at:
            limit_s = self.limits.polling.limit_s
            raise JobTimeoutError(
                f"{self.provider.name} job {job_id} is not done within {limit_s:g} s", job_id=job_id
            )
        try:
            self.watch.wait(pause_s)
        except CancelledError:
            self._end(job_id)
            raise

    def _end(self, job_id: str) -> None:
        """Ask the provider to end the job; that it cannot is no reason to keep anybody waiting."""
        call = self.provider.cancellation(job_id)
        if call is None:
            return
        try:
            self.transport.tell(call)
        except ProviderError as error:
            logger.warning("%s job %s was not ended: %s", self.provider.name, job_id, error)

    def _finished(self, job_id: str, report: JobReport) -> JobReport:
        if report.phase is Phase.DONE:
            return report
        code, reason = report.code, report.reason
        said = self.transport.shown(f"{code} {reason}".strip()) or "no reason given"
        if self.limits.errors.is_refusal(code, reason):
            raise RefusedError(f"{self.provider.name} refused the clip: {said}")
        ended = "was cancelled at the provider" if report.phase is Phase.CANCELLED else "failed"
        raise JobFailedError(f"{self.provider.name} job {job_id} {ended}: {said}")

    def _repeated(self, ask: Callable[[], Answer], most_attempts: int) -> Answer:
        attempt = 0
        while True:
            attempt += 1
            try:
                return ask()
            except RetryableError as error:
                wanted_s = error.retry_after_s or 0.0
                if attempt >= most_attempts or wanted_s > LONGEST_RETRY_S:
                    raise
                pause_s = max(self.limits.polling.pause_s(attempt - 1), wanted_s)
            self.watch.wait(pause_s)
