"""Questions by a text model: checked, and repaired once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from annotation.services.records.jobs import Progress
from benchmarks.engine.questions.kinds import Wanted
from benchmarks.engine.questions.model_prompt import prompt_for, prompt_for_repair, read_pairs
from benchmarks.engine.questions.samples import Sample
from benchmarks.engine.questions.templates import Pair
from benchmarks.engine.task import AnswerStatus, Prompt
from benchmarks.services.writing import PaidWriter

# A step with its place among all and the kinds to ask.
Asked = tuple[int, Sample, tuple[Wanted, ...]]
Store = Callable[[Asked, Sequence[Pair]], None]


@dataclass(frozen=True, slots=True)
class QuestionWriter:
    """Has the writer of a set write about one step after the other."""

    paid: PaidWriter

    def write(
        self, asked: Sequence[Asked], store: Store, report: Progress, done_count: int
    ) -> None:
        """Write about each step and `store` its pairs as they come; `store` is never entered twice.

        Raises StoppedError where the set cannot go on, HopelessWriterError.
        """

        def about(one: Asked) -> Callable[[], None]:
            return partial(store, one, self._pairs(one))

        self.paid.write(asked, about, report, done_count)

    def _pairs(self, asked: Asked) -> Sequence[Pair]:
        place, sample, wanted = asked
        pairs, reason = self._ask(place, sample, wanted, prompt_for(sample, wanted))
        if any(pair.fault for pair in pairs) and not reason:
            repair = prompt_for_repair(sample, wanted, pairs)
            again, reason_again = self._ask(place, sample, wanted, repair)
            if not reason_again and _fault_count(again) < _fault_count(pairs):
                pairs = again
        self.paid.count(reason)
        return pairs

    def _ask(
        self, place: int, sample: Sample, wanted: tuple[Wanted, ...], prompt: Prompt
    ) -> tuple[list[Pair], str]:
        """The pairs of one request, and why there are none at all, "" where it was answered."""
        reply = self.paid.reply(place, prompt)
        if reply.status is AnswerStatus.FAILED:
            fault = f"the model did not answer: {reply.reason}"
            return [Pair(kind, polarity, "", "", fault) for kind, polarity in wanted], fault
        pairs = read_pairs(reply.text, sample, wanted)
        if reply.status is not AnswerStatus.READ and not any(pair.question for pair in pairs):
            pairs = [replace(pair, fault=reply.reason or pair.fault) for pair in pairs]
        return pairs, ""


def _fault_count(pairs: Sequence[Pair]) -> int:
    return sum(bool(pair.fault) for pair in pairs)
