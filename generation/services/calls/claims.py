"""The rows behind a call: written before a request goes out, and when it has ended.

The rows are the gate of all processes together: an endpoint's concurrency and rate are counted in
the transaction that admits a request, and so is the budget of its payer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.utils import timezone

from generation.backends.exceptions import (
    BudgetSpentError,
    NoPriceError,
    NotAllowedError,
    Outcome,
)
from generation.models import Call, Endpoint
from generation.selectors.calls.admission import (
    Question,
    highest_spending_of,
    standing_of,
)
from generation.services.calls.locks import lock_endpoint, lock_payer
from generation.services.calls.payer import Payer
from generation.services.calls.plain_rows import insert_row, update_row
from generation.services.calls.shared_transactions import write_together

# A worker that takes long renews the lease of its attempt (`keep`) much more often.
LEASE = timedelta(seconds=settings.JOB_LEASE_SECONDS)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request may go out, under this attempt; with `resumes`, for what was ordered before."""

    calls: type[Call]
    call_id: int
    attempt_id: int
    resumes: bool = False


@dataclass(frozen=True, slots=True)
class Recorded:
    """The question was answered before."""

    call: Call


@dataclass(frozen=True, slots=True)
class Resumed:
    """It was ordered before and is asked for again, with these columns of attempt and call."""

    attempt: Mapping[str, Any]
    call: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Untold:
    """Something happened to it before that has to be told first, once."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Busy:
    """Not now: somebody asks the same, or the endpoint has enough to do."""


Known = Recorded | Resumed | Untold | None


@dataclass(frozen=True, slots=True)
class Terms:
    """How a request may go out.

    `reserved` is the most that it costs, in US dollars, None where that is not known; `lease` how
    long it may take before its process is taken for dead; `known` what a call comes to that was
    asked before and is not worked on, None where it is to be asked (again).
    """

    reserved: Decimal | None
    lease: timedelta
    known: Callable[[Call], Known]


def admit(question: Question, payer: Payer, terms: Terms) -> Admitted | Recorded | Untold | Busy:
    """Write the claim of one request, where it may go out now.

    Raises NotAllowedError where the payer may not use the endpoint any more, and BudgetSpentError
    where what it has spent and may still have to pay leaves too little of its budget.
    """
    calls, endpoint = question.calls, question.endpoint
    rows = calls._default_manager
    moment = timezone.now()

    def claim() -> Admitted | Recorded | Untold | Busy:
        lock_endpoint(endpoint)
        standing = standing_of(question, moment)
        if standing.is_claimed:
            if _is_asked(question, standing.call_id, moment):
                return Busy()
            # Its process died. Who was only slow may have recorded an answer since we looked.
            standing = standing_of(question, moment)
        known = None
        if standing.call_id is not None:
            known = terms.known(rows.get(pk=standing.call_id))
        if isinstance(known, Recorded | Untold):
            return known
        if known is None and standing.is_full:
            return Busy()
        if not payer.may_ask(endpoint):
            raise NotAllowedError(
                f"its owner may not use {endpoint.name} any more; the owner of that model can"
                " share it"
            )
        if known is None:
            check_budget(endpoint, payer, terms.reserved)
        call_id = _written_call(question, payer, standing.call_id, known)
        attempt = calls.table_of("attempts")(
            call_id=call_id,
            endpoint_id=endpoint.pk,
            payer=payer.key,
            part=payer.part,
            asked_by=payer.name,
            started_at=moment,
            lease_until=moment + terms.lease,
            reserved_price=terms.reserved if known is None else None,
            resumes=known is not None,
            **(known.attempt if known else {}),
        )
        return Admitted(calls, call_id, insert_row(attempt), resumes=known is not None)

    return write_together(claim)


def _written_call(
    question: Question, payer: Payer, call_id: int | None, known: Resumed | None
) -> int:
    """Write that a question is asked, for the first time or again, or resumed; return its call."""
    calls: Any = question.calls
    endpoint = question.endpoint
    asking = {"payer": payer.key, "part": payer.part, "status": calls.ASKING}
    if call_id is None:
        server = {"base_url": endpoint.base_url, "model_name": endpoint.model_name}
        new = {**server, **question.columns, **asking}
        return insert_row(calls(key=question.key, endpoint_id=endpoint.pk, **new))
    again = {"error_kind": "", "error": "", "finished_at": None, **calls.ASKED_AGAIN}
    update_row(calls, call_id, {**asking, **again} if known is None else known.call)
    return call_id


def check_budget(endpoint: Endpoint, payer: Payer, reserved: Decimal | None) -> None:
    """Raise BudgetSpentError where the next request may cost more than is left.

    To be called in the transaction that writes the reservation: nobody else spends of this budget
    before it ends, at whatever endpoint.
    """
    if payer.budget is None:
        return
    if reserved is None:
        raise NoPriceError(
            f"endpoint {endpoint.name} has no prices, so no budget can be kept with it"
        )
    lock_payer(payer.key)
    budget, spent = payer.budget, highest_spending_of(payer.key)
    if spent + reserved > budget and payer.budget_now is not None:
        budget = payer.budget_now() or budget
    if spent + reserved > budget:
        raise BudgetSpentError(
            f"the budget is ${budget:.2f}, ${spent:.4f} of it is spent or on its way, and"
            f" the next request can cost ${reserved:.4f}"
        )


def _is_asked(question: Question, call_id: int | None, moment: datetime) -> bool:
    """Whether somebody asks right now, after closing the attempts of dead processes."""
    attempts = question.calls.table_of("attempts")
    still_open = attempts.objects.filter(call=call_id, ended_at__isnull=True)
    still_open.filter(lease_until__lte=moment).update(
        ended_at=moment, outcome=Outcome.LOST, reason="The worker did not report for too long."
    )
    return bool(still_open.exists())


@dataclass(frozen=True, slots=True)
class End:
    """How an attempt ended, and what happens to its call.

    `call` and `attempt` are further columns of theirs, as the answer and what it cost. `outcome` is
    of the attempt, `error_kind` of the call where they differ: of a request that was hung up on it
    is not known whether it was paid.
    """

    outcome: Outcome
    status: str
    error: str = ""
    error_kind: Outcome | None = None
    call: Mapping[str, Any] = field(default_factory=dict)
    attempt: Mapping[str, Any] = field(default_factory=dict)


def record(admitted: Admitted, end: End, also: Callable[[], object] = lambda: None) -> None:
    """Write how an attempt ended; `also` writes more in the same transaction.

    What was settled meanwhile is not undone by who comes late without an answer.
    """
    calls: Any = admitted.calls
    kind = end.error_kind or end.outcome
    told = {
        "status": end.status,
        "error_kind": "" if kind is Outcome.ANSWERED else kind,
        "error": end.error,
        "finished_at": timezone.now(),
        **end.call,
    }
    ended = {"ended_at": timezone.now(), "outcome": end.outcome, "reason": end.error}

    def write() -> None:
        update_row(calls.table_of("attempts"), admitted.attempt_id, {**ended, **end.attempt})
        if end.status in calls.SETTLED:
            update_row(calls, admitted.call_id, told)
        else:
            unsettled = calls.objects.filter(pk=admitted.call_id)
            unsettled.exclude(status__in=calls.SETTLED).update(**told)
        also()

    write_together(write)


def record_use(call: Call, payer: Payer) -> None:
    """Keep that a payer read, for one of its parts, an answer that others had paid for."""
    if payer.part is None or (call.payer, call.part) == (payer.key, payer.part):
        return
    uses = call.table_of("uses")
    use = uses(call_id=call.pk, payer=payer.key, part=payer.part)
    write_together(lambda: uses.objects.bulk_create([use], ignore_conflicts=True))


def keep(admitted: Admitted) -> bool:
    """Renew the lease of an attempt; False where it ran out and somebody else closed it."""
    attempts = admitted.calls.table_of("attempts")
    held = attempts.objects.filter(pk=admitted.attempt_id, ended_at__isnull=True)
    return bool(held.update(lease_until=timezone.now() + LEASE))
