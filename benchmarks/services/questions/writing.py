"""Questions by a text model: asked through the recorded calls, checked, repaired once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Event, Lock

from django.conf import settings

from annotation.models import Job, JobStatus
from annotation.services.records.jobs import Claim, Progress
from annotation.services.records.parallel import each_done
from benchmarks.engine.questions.kinds import Wanted
from benchmarks.engine.questions.model_prompt import prompt_for, prompt_for_repair, read_pairs
from benchmarks.engine.questions.samples import Sample
from benchmarks.engine.questions.templates import Pair
from benchmarks.engine.task import AnswerStatus, Prompt
from benchmarks.models import QuestionSet
from benchmarks.services.askable import usable_endpoints
from benchmarks.services.asking import Reply, send
from generation.backends.exceptions import CancelledError
from generation.backends.text.model import TextRequest
from generation.models import Endpoint, TextEndpoint
from generation.services.calls.payer import Payer
from generation.services.texts.asker import TextAsker

# If this many steps fail in a row before any has questions, the rest would fail too.
HOPELESS = 20
# A step with its place among all and the kinds to ask.
Asked = tuple[int, Sample, tuple[Wanted, ...]]
Store = Callable[[Asked, Sequence[Pair]], None]


class HopelessWriterError(Exception):
    """The model writes nothing; the message has its last error."""


@dataclass(slots=True)
class ModelWriter:
    """Has the writer of a set write about one step after the other, some at a time."""

    claim: Claim
    question_set: QuestionSet
    writer: TextEndpoint
    is_lost: Event
    lock: Lock = field(default_factory=Lock)
    failed_in_row: int = 0
    has_pair: bool = False

    def write(
        self, asked: Sequence[Asked], store: Store, report: Progress, done_count: int
    ) -> None:
        """Write about each step and `store` its pairs as they come; `store` is never entered twice.

        Raises StoppedError where the set cannot go on, HopelessWriterError.
        """
        total_count = done_count + len(asked)

        def about(one: Asked) -> None:
            nonlocal done_count
            pairs = self._pairs(one)
            with self.lock:
                store(one, pairs)
                done_count += 1
                report(done_count, total_count)

        at_once = min(self.writer.concurrency, settings.TAKES_AT_ONCE)
        for _ in each_done(asked, about, at_once=at_once):
            pass

    def _pairs(self, asked: Asked) -> Sequence[Pair]:
        place, sample, wanted = asked
        pairs, reason = self._ask(place, sample, wanted, prompt_for(sample, wanted))
        if any(pair.fault for pair in pairs) and not reason:
            repair = prompt_for_repair(sample, wanted, pairs)
            again, reason_again = self._ask(place, sample, wanted, repair)
            if not reason_again and _fault_count(again) < _fault_count(pairs):
                pairs = again
        self._count(reason)
        return pairs

    def _ask(
        self, place: int, sample: Sample, wanted: tuple[Wanted, ...], prompt: Prompt
    ) -> tuple[list[Pair], str]:
        """The pairs of one request, and why there are none at all, "" where it was answered."""
        reply = self._reply(place, prompt)
        if reply.status is AnswerStatus.FAILED:
            fault = f"the model did not answer: {reply.reason}"
            return [Pair(kind, polarity, "", "", fault) for kind, polarity in wanted], fault
        pairs = read_pairs(reply.text, sample, wanted)
        if reply.status is not AnswerStatus.READ and not any(pair.question for pair in pairs):
            pairs = [replace(pair, fault=reply.reason or pair.fault) for pair in pairs]
        return pairs, ""

    def _reply(self, place: int, prompt: Prompt) -> Reply:
        self._check()
        cancelled = Job.objects.filter(pk=self.claim.job_id, status=JobStatus.CANCELLED)
        payer = Payer(
            key=self.question_set.payer_key,
            part=place,
            name=f"the questions of {self.question_set.name!r}",
            budget=self.question_set.budget_usd,
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

    def _check(self) -> None:
        if self.is_lost.is_set():
            raise CancelledError("the making was cancelled, or another worker has it")

    def _may_ask(self, endpoint: Endpoint) -> bool:
        return usable_endpoints(self.question_set.owner).filter(pk=endpoint.pk).exists()

    def _count(self, reason: str) -> None:
        with self.lock:
            self.has_pair = self.has_pair or not reason
            self.failed_in_row = self.failed_in_row + 1 if reason else 0
            is_hopeless = self.failed_in_row >= HOPELESS and not self.has_pair
        if is_hopeless:
            raise HopelessWriterError(f"The first {HOPELESS} steps all failed: {reason}.")


def _fault_count(pairs: Sequence[Pair]) -> int:
    return sum(bool(pair.fault) for pair in pairs)
