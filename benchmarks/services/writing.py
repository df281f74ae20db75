"""What a text model writes for a set, piece after piece, through the recorded calls of a budget."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from threading import Event, Lock
from typing import TypeVar

from django.conf import settings

from annotation.models import Job, JobStatus, User
from annotation.services.records.jobs import Claim, Progress
from annotation.services.records.parallel import each_done
from benchmarks.engine.task import Prompt
from benchmarks.services.askable import usable_endpoints
from benchmarks.services.asking import Reply, send
from generation.backends.exceptions import CancelledError
from generation.backends.text.model import TextRequest
from generation.models import Endpoint, TextEndpoint
from generation.services.calls.payer import Payer
from generation.services.texts.asker import TextAsker

# If so many pieces fail in a row before any is written, the rest would fail too.
HOPELESS = 20
Piece = TypeVar("Piece")


class HopelessWriterError(Exception):
    """The model writes nothing; the message has its last error."""


@dataclass(slots=True)
class PaidWriter:
    """A text model that writes for a set: `key` and `name` are those under which it is paid."""

    claim: Claim
    writer: TextEndpoint
    owner: User | None
    key: str
    name: str
    budget_usd: Decimal | None
    is_lost: Event
    things: str
    lock: Lock = field(default_factory=Lock)
    failed_in_row: int = 0
    has_written: bool = False

    def write(
        self,
        pieces: Sequence[Piece],
        write_one: Callable[[Piece], Callable[[], None]],
        report: Progress,
        done_count: int = 0,
    ) -> None:
        """Write piece after piece, some at a time; what `write_one` returns then stores it.

        Nothing is stored at once with another. Raises StoppedError where the set cannot go on,
        HopelessWriterError.
        """
        total_count = done_count + len(pieces)

        def about(piece: Piece) -> None:
            nonlocal done_count
            store = write_one(piece)
            with self.lock:
                store()
                done_count += 1
                report(done_count, total_count)

        at_once = min(self.writer.concurrency, settings.TAKES_AT_ONCE)
        for _ in each_done(pieces, about, at_once=at_once):
            pass

    def reply(self, place: int, prompt: Prompt) -> Reply:
        """The reply to one request; one that is recorded is not paid for again."""
        self._check()
        cancelled = Job.objects.filter(pk=self.claim.job_id, status=JobStatus.CANCELLED)
        payer = Payer(
            key=self.key,
            part=place,
            name=self.name,
            budget=self.budget_usd,
            check=self._check,
            may_ask=self._may_ask,
            is_cancelled=cancelled.exists,
        )
        request = TextRequest(
            system=prompt.system,
            prompt=prompt.text,
            prompt_version=prompt.version,
            schema=prompt.schema,
            images=(),
            temperature=0.0,
            max_tokens=prompt.max_tokens,
            repeat=0,
        )
        return send(TextAsker(self.writer, payer), request)

    def count(self, reason: str) -> None:
        """Count a piece, with why nothing was written of it; raises HopelessWriterError."""
        with self.lock:
            self.has_written = self.has_written or not reason
            self.failed_in_row = self.failed_in_row + 1 if reason else 0
            is_hopeless = self.failed_in_row >= HOPELESS and not self.has_written
        if is_hopeless:
            raise HopelessWriterError(f"The first {HOPELESS} {self.things} all failed: {reason}.")

    def _check(self) -> None:
        if self.is_lost.is_set():
            raise CancelledError("the making was cancelled, or another worker has it")

    def _may_ask(self, endpoint: Endpoint) -> bool:
        return usable_endpoints(self.owner).filter(pk=endpoint.pk).exists()
