"""Get clips from a provider: the kind of paid calls whose answer takes minutes, as a job.

The job's id is stored as soon as it is known, so if a process dies, the next one fetches the same
job. A job can be lost only between sending the order and storing its id, and that is reported.
"""

import logging
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from annotation.backends import made_files
from annotation.backends.publishing import draft_of, publish
from annotation.services.records.parallel import leave_connection
from annotation.services.records.stopping import is_stopping
from generation.backends.exceptions import CancelledError, ModelError
from generation.backends.retrying import RetryPolicy
from generation.backends.video.clips.backend import ClipRequest
from generation.backends.video.clips.conform import ConformedClip
from generation.backends.video.providers.adapter import Adapter
from generation.backends.video.providers.exceptions import ModerationError, SettingsError
from generation.backends.video.providers.job import Ending, Job, JobWatch
from generation.backends.video.providers.ordering import conformed, differences, order_of
from generation.backends.video.providers.provider import JobReport, Order
from generation.backends.video.providers.transport import Transport
from generation.backends.video.timed_check import TimedCheck
from generation.engine.splicing.limits import ClipLimits
from generation.models import ClipCall, ClipCallStatus, VideoEndpoint
from generation.selectors.calls.admission import Question
from generation.selectors.clips.calls import question_for
from generation.services.calls.asker import Asker
from generation.services.calls.claims import LEASE, Admitted, EarlierOutcome, keep
from generation.services.clips.endpoints import connection_settings
from generation.services.clips.records import (
    FOLDER,
    Bill,
    earlier_outcome_of_clip,
    note_job,
    record_clip,
    record_failure,
)

logger = logging.getLogger(__name__)
BEAT_S = LEASE.total_seconds() / 3
# Sending an order with its frames takes as long as this, and the server needs time to accept it.
SUBMISSION_LEASE = timedelta(seconds=90) + LEASE
# Long enough for one of the provider's places to become free.
ORDERING = RetryPolicy(max_attempts=8, first_pause_s=2.0, max_pause_s=60.0)


@dataclass(frozen=True, slots=True)
class ClipOrder:
    """A clip to get, the order for it within the provider's limits, and the file to write."""

    request: ClipRequest
    order: Order
    out: Path


@dataclass(frozen=True, slots=True)
class ProviderClips(Asker[VideoEndpoint, ClipOrder, ConformedClip]):
    """A `ClipBackend` that orders from an endpoint."""

    policy: RetryPolicy = ORDERING
    _: KW_ONLY
    adapter: Adapter
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    @property
    def name(self) -> str:
        """What is stored with the clips: provider and model."""
        return f"{self.endpoint.provider} {self.endpoint.model_name}"[:64]

    @property
    def limits(self) -> ClipLimits:
        return self.adapter.limits.clips

    @property
    def prompt_characters(self) -> int:
        """How long prompt and style lock may be together."""
        return self.adapter.limits.most_prompt_characters

    @property
    def at_once(self) -> int:
        """How many clips may be ordered at the same time."""
        return self.endpoint.concurrency

    @property
    def lease(self) -> timedelta:
        return SUBMISSION_LEASE

    def make_clip(self, request: ClipRequest, out: Path) -> ConformedClip:
        """Write the clip, recorded or new, to `out`; raises ModelError, StoppedError."""
        return self.ask(ClipOrder(request, order_of(request, self.adapter.limits), out))

    def question(self, request: ClipOrder) -> Question:
        return question_for(self.endpoint, request.order, request.request.sample)

    def highest_price(self, request: ClipOrder) -> Decimal | None:
        """The price of a clip today, not when the run began."""
        endpoint = VideoEndpoint.objects.filter(pk=self.endpoint.pk).first()
        if endpoint is None:
            raise SettingsError(f"the video model {self.endpoint.name} was deleted")
        return endpoint.prices.of(request.order.duration_s) if endpoint.prices else None

    def ready(
        self, request: ClipOrder, question: Question, wait: Callable[[], None]
    ) -> closing[Transport]:
        return closing(Transport(self.adapter, connection_settings(self.endpoint)))

    def earlier_outcome(self, call: ClipCall) -> EarlierOutcome:
        return earlier_outcome_of_clip(call)

    def read(self, call: ClipCall, request: ClipOrder) -> ConformedClip:
        if call.status == ClipCallStatus.REFUSED:
            raise ModerationError(f"{call.error}; to order it, change the prompt")
        pulse = TimedCheck(self.payer.check)
        with made_files.local(call.path) as path:
            return conformed(path, request.request, request.out, pulse)

    def send(self, request: ClipOrder, admitted: Admitted, opened: Transport) -> ConformedClip:
        return _ClipAttempt(self, request, admitted, opened).make()


class _ClipAttempt:
    """One admitted attempt, from the order (or a job that is running already) to the clip."""

    def __init__(
        self, clips: ProviderClips, wanted: ClipOrder, admitted: Admitted, transport: Transport
    ) -> None:
        self._clips, self._wanted = clips, wanted
        self._admitted, self._transport = admitted, transport
        self._call = ClipCall.objects.only("key", "job_id").get(pk=admitted.call_id)
        self._job_id = self._call.job_id if admitted.resumes else ""
        self._beat = TimedCheck(self._keep, pause_s=BEAT_S, clock=clips.clock)

    def make(self) -> ConformedClip:
        """The clip; how the attempt ended is recorded in any case."""
        job = self._job(self._check)
        leave_connection()
        try:
            if not self._admitted.resumes:
                submitted = job.submit(self._wanted.order)
                # If writing the row fails, a person can still find in the log what was paid for.
                logger.info("%s took job %s", self._clips.endpoint.name, submitted.job_id)
                self._job_id = submitted.job_id
                estimate = self._bill(submitted.estimate)
                note_job(self._admitted, self._job_id, estimate.dollars if estimate else None)
            return self._taken(job, job.wait_until_done(self._job_id))
        except CancelledError as error:
            self._leave(error)
            raise
        # Whatever it was, an open claim would block the next who asks.
        except BaseException as error:
            self._record(error)
            raise

    def _job(self, check: Callable[[], None]) -> Job:
        return Job(self._transport, JobWatch(check, self._clips.clock, self._clips.sleep))

    def _taken(self, job: Job, report: JobReport) -> ConformedClip:
        """Fetch and store the clip of a finished job."""
        key = self._call.key
        place = f"{FOLDER}/{key[:2]}/{key}.mp4"
        file = made_files.path_here(place)
        file.parent.mkdir(parents=True, exist_ok=True)
        request = self._wanted.request
        with draft_of(file) as draft:
            job.fetch(report, draft)
            limits = self._clips.adapter.limits
            notes = differences(draft, self._wanted.order, request, limits)
            # Conforming decodes everything that will be shown, so that no broken file is stored.
            clip = conformed(draft, request, self._wanted.out, TimedCheck(job.watch.check))
            byte_count = draft.stat().st_size
            publish(draft, file)
        made_files.keep(file)
        record_clip(
            self._admitted,
            self._job_id,
            path=place,
            byte_count=byte_count,
            notes=notes,
            bill=self._bill(report.cost),
        )
        return clip

    def _check(self) -> None:
        self._clips.payer.check()
        # A job whose id is stored is asked for again by the next worker, and not ordered anew.
        if self._job_id and is_stopping():
            raise CancelledError("the worker is asked to stop")
        self._beat()
        # The provider works for minutes, and is asked how far it is between two checks.
        leave_connection()

    def _keep(self) -> None:
        if not keep(self._admitted):
            raise CancelledError("another worker is working on this clip")

    def _leave(self, error: CancelledError) -> None:
        """Give up a clip that is no longer wanted: store it if it is made, else end its job."""
        job = self._job(self._beat)
        ending = Ending()
        # If another worker merely took over, the job is now that worker's.
        if self._job_id and self._clips.payer.is_cancelled():
            ending = job.end(self._job_id)
        if ending.report is None:
            self._record(error, was_ended=ending.was_ended)
            return
        try:
            self._taken(job, job.finished(self._job_id, ending.report))
        except (CancelledError, ModelError) as other:
            self._record(other)
        except BaseException as other:
            self._record(other)
            raise

    def _record(self, error: BaseException, *, was_ended: bool = False) -> None:
        cost = error.cost if isinstance(error, ModelError) else None
        record_failure(
            self._admitted,
            self._job_id,
            error,
            was_ended=was_ended,
            bill=self._bill(cost),
            bills_refusals=self._clips.adapter.limits.bills_refusals,
        )

    def _bill(self, amount: Decimal | None) -> Bill | None:
        adapter = self._clips.adapter
        return None if amount is None else Bill(amount, adapter.cost_unit, adapter.dollars(amount))
