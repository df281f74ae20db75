"""Right words and cues by a text model: asked for, checked and repaired once, in the job of a set.

What the model does not write well stays as the templates have it. People may review it afterwards.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from threading import Event
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404

from annotation.models import User
from annotation.services.records.jobs import Claim, Progress, finish_job
from benchmarks.engine.task import AnswerStatus, Prompt, ReferenceRequest, WrittenReferences
from benchmarks.models import ItemSet
from benchmarks.selectors.item_sets import (
    WRITE,
    engine_item,
    has_written_references,
    may_see_truth,
    task_of,
)
from benchmarks.services.askable import usable_endpoint, usable_endpoints
from benchmarks.services.batches import short_transaction
from benchmarks.services.item_sets import ItemSetInUseError, lock_item_set, queue_work
from benchmarks.services.making import UnmakeableError
from benchmarks.services.reference_reviews import give_references, rows_in_order
from benchmarks.services.writing import HopelessWriterError, PaidWriter

# A request with its place among all.
Asked = tuple[int, ReferenceRequest]
LEAST_USD, MOST_USD = 0.01, 1_000_000.0


@transaction.atomic
def start_reference_writing(
    *, item_set: ItemSet, writer: str, budget_usd: float | None, actor: User
) -> list[int]:
    """Queue that the text model of a public id writes what is right to say, and the cues.

    Raises ItemSetInUseError for a set that is frozen, not made, at work, in review or of a task
    without such texts, ValidationError by field, and Http404 for who may not see the truth, which
    the model's server is sent.
    """
    if not may_see_truth(actor, item_set):
        raise Http404(f"{item_set} has right words that {actor} may not see")
    lock_item_set(item_set)
    now = ItemSet.objects.get(pk=item_set.pk)
    if now.is_frozen or not now.is_made or now.review_id is not None:
        words = "is frozen, not made or in review; its words stay as they are"
        raise ItemSetInUseError(f"{now} {words}.")
    if not has_written_references(task_of(now)):
        raise ItemSetInUseError(f"{now} has no right words that a model could write.")
    if budget_usd is not None and not LEAST_USD <= budget_usd <= MOST_USD:
        words = f"expected dollars from {LEAST_USD:g} to {MOST_USD:,.0f}"
        raise ValidationError({"budget_usd": f"It is {budget_usd}; {words}."})
    endpoint = usable_endpoint(usable_endpoints(actor), writer, "writer")
    payload = {WRITE: endpoint.public_id, "budget_usd": budget_usd}
    return queue_work(now, "start_writing", payload, actor)


def write_references(claim: Claim, item_set: ItemSet, report: Progress, is_lost: Event) -> None:
    """Have the model of the payload write, and give the items what passes the checks.

    A worker that goes on after another reads what was written from the recorded calls.
    """
    payload: Mapping[str, Any] = claim.payload
    actor = User.objects.filter(pk=int(payload["actor"])).first()
    endpoint = usable_endpoints(actor).filter(public_id=payload[WRITE]).first()
    if actor is None or endpoint is None:
        raise UnmakeableError("The text model that was to write is not there any more.")
    budget = payload.get("budget_usd")
    paid = PaidWriter(
        claim=claim,
        writer=endpoint,
        owner=actor,
        key=f"words:{item_set.public_id}",
        name=f"the right words of {item_set.name!r}",
        budget_usd=None if budget is None else Decimal(str(budget)),
        is_lost=is_lost,
        things="texts",
    )
    asked = list(enumerate(_requests(item_set)))
    written = _Written(paid, {}, {})
    try:
        paid.write(asked, written.about, report)
    except HopelessWriterError as error:
        raise UnmakeableError(str(error)) from error
    give_references(claim, item_set, written.words, "write_words")
    failed_count = len(written.faults)
    with short_transaction(claim):
        item_set.words_by = (
            f"{endpoint.model_name}: {len(asked) - failed_count} of {len(asked)} texts"
        )
        item_set.save(update_fields=["words_by"])
        finish_job(claim=claim, result={"texts": len(asked), "faults": written.faults})


def _requests(item_set: ItemSet) -> Iterator[ReferenceRequest]:
    """What to ask, each once, in the order of the items."""
    seen: set[str] = set()
    task = task_of(item_set)
    for row in rows_in_order(item_set):
        for request in task.reference_requests(engine_item(row), row.key):
            if request.key not in seen:
                seen.add(request.key)
                yield request


@dataclass(frozen=True, slots=True)
class _Written:
    """What has been written by the keys of texts, and why nothing was by those of requests."""

    paid: PaidWriter
    words: dict[str, str]
    faults: dict[str, str]

    def about(self, asked: Asked) -> Callable[[], None]:
        place, request = asked
        written = self._ask(place, request, request.prompt)
        if written.fault and not written.is_unanswered:
            again = (
                f"{request.prompt.text}\n\nWhat you wrote before was not good: {written.fault}."
                " Write it anew."
            )
            version = f"{request.prompt.version}.repair"
            prompt = replace(request.prompt, version=version, text=again)
            written = self._ask(place, request, prompt)
        self.paid.count(written.fault if written.is_unanswered else "")
        return partial(self._keep, request.key, written)

    def _ask(self, place: int, request: ReferenceRequest, prompt: Prompt) -> WrittenReferences:
        reply = self.paid.reply(place, prompt)
        if reply.status is AnswerStatus.FAILED:
            fault = f"the model did not answer: {reply.reason}"
            return WrittenReferences({}, fault, is_unanswered=True)
        written = request.read(reply.text)
        if written.fault and not reply.is_readable:
            return replace(written, fault=reply.reason or written.fault)
        return written

    def _keep(self, key: str, written: WrittenReferences) -> None:
        self.words.update(written.words)
        if written.fault:
            self.faults[key] = written.fault
