"""The rows behind a call: written before a request goes out, and when it has ended.

They limit all processes together: an endpoint's concurrency and rate, and the payer's budget, are
counted in the transaction that admits a request.
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
from generation.selectors.calls.admission import Question, standing_of
from generation.services.calls.locks import lock_endpoint
from generation.services.calls.payer import Payer
from generation.services.calls.payer_sums import add_to_sum, as_stored
from generation.services.calls.plain_rows import insert_row, update_row
from generation.services.calls.shared_transactions import write_together

# A worker with long work renews the lease of its attempt (`keep`) much more often.
LEASE = timedelta(seconds=settings.JOB_LEASE_SECONDS)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request may go out under this attempt; `resumes`: it asks for what was ordered before.

    `reserved` is what the attempt counts as in the sum of the `payer`, in US dollars.
    """

    calls: type[Call]
    call_id: int
    attempt_id: int
    resumes: bool = False
    payer: str = ""
    reserved: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Recorded:
    """The question was answered before."""

    call: Call


@dataclass(frozen=True, slots=True)
class Resumed:
    """It was ordered before and can be fetched; the columns to write on attempt and call."""

    attempt: Mapping[str, Any]
    call: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unreported:
    """An earlier attempt failed in a way that has to be reported, once, before another is made."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Busy:
    """Not now: somebody is asking the same question, or the endpoint has no free place."""


EarlierOutcome = Recorded | Resumed | Unreported | None


@dataclass(frozen=True, slots=True)
class Terms:
    """How a request may go out.

    `reserved` is the most that it can cost, in US dollars, None if unknown; `lease` how long it may
    take before its process counts as dead; `earlier_outcome` says what earlier attempts at a call
    left, None if the question has to be sent (again).
    """

    reserved: Decimal | None
    lease: timedelta
    earlier_outcome: Callable[[Call], EarlierOutcome]


def admit(
    question: Question, payer: Payer, terms: Terms
) -> Admitted | Recorded | Unreported | Busy:
    """Write the claim of one request, if it may go out now.

    Raises NotAllowedError if the payer may no longer use the endpoint, and BudgetSpentError if its
    spending, with what is still on its way, leaves too little of its budget.
    """
    calls, endpoint = question.calls, question.endpoint
    rows = calls._default_manager
    moment = timezone.now()

    def claim() -> Admitted | Recorded | Unreported | Busy:
        payer.with_claims.write()
        lock_endpoint(endpoint)
        standing = standing_of(question, moment)
        if standing.is_claimed:
            if _has_live_attempt(question, standing.call_id, moment):
                return Busy()
            # Its process died, or was only slow and has recorded an answer since we looked.
            standing = standing_of(question, moment)
        earlier = None
        if standing.call_id is not None:
            earlier = terms.earlier_outcome(rows.get(pk=standing.call_id))
        if isinstance(earlier, Recorded | Unreported):
            return earlier
        if earlier is None and standing.is_full:
            return Busy()
        if not payer.may_ask(endpoint):
            raise NotAllowedError(
                f"its owner may not use {endpoint.name} any more; the owner of that model can"
                " share it"
            )
        reserved = as_stored(terms.reserved) if earlier is None else None
        if earlier is None:
            _reserve(endpoint, payer, reserved)
        call_id = _write_call(question, payer, standing.call_id, earlier)
        attempt = {
            "call": call_id,
            "endpoint": endpoint.pk,
            "payer": payer.key,
            "part": payer.part,
            "asked_by": payer.name,
            "started_at": moment,
            "lease_until": moment + terms.lease,
            "reserved_price": reserved,
            "resumes": earlier is not None,
            **(earlier.attempt if earlier else {}),
        }
        attempt_id = insert_row(calls.table_of("attempts"), attempt)
        return Admitted(
            calls,
            call_id,
            attempt_id,
            resumes=earlier is not None,
            payer=payer.key,
            reserved=reserved or Decimal(0),
        )

    outcome = write_together(claim)
    payer.with_claims.written()
    return outcome


def _write_call(
    question: Question, payer: Payer, call_id: int | None, earlier: Resumed | None
) -> int:
    """Write the call of a question that is asked, asked again or resumed; return its id."""
    calls: Any = question.calls
    endpoint = question.endpoint
    asking = {"payer": payer.key, "part": payer.part, "status": calls.ASKING}
    if call_id is None:
        server = {"base_url": endpoint.base_url, "model_name": endpoint.model_name}
        new = {**server, **question.columns, **asking}
        return insert_row(calls, {"key": question.key, "endpoint": endpoint.pk, **new})
    again = {"error_kind": "", "error": "", "finished_at": None, **calls.ASKED_AGAIN}
    update_row(calls, call_id, {**asking, **again} if earlier is None else earlier.call)
    return call_id


def _reserve(endpoint: Endpoint, payer: Payer, reserved: Decimal | None) -> None:
    """Count the most that the next request may cost as spent.

    Raises BudgetSpentError if that is more than is left. Also without a budget there is a sum,
    since the payer may get one later.
    """
    if reserved is None:
        if payer.budget is None:
            return
        raise NoPriceError(
            f"endpoint {endpoint.name} has no prices, so no budget can be kept with it"
        )
    if not payer.key:
        return
    spent = add_to_sum(payer.key, reserved) - reserved
    budget = payer.budget
    if budget is None:
        return
    if spent + reserved > budget and payer.budget_now is not None:
        budget = payer.budget_now() or budget
    if spent + reserved > budget:
        raise BudgetSpentError(
            f"the budget is {in_dollars(budget)}, ${spent:.4f} of it is spent or on its way, and"
            f" the next request can cost ${reserved:.4f}"
        )


def in_dollars(amount: Decimal) -> str:
    """An amount in whole cents, or where that would cut it with all its digits.

    >>> in_dollars(Decimal("2.5")), in_dollars(Decimal("0.004"))
    ('$2.50', '$0.004')
    """
    cents = amount.quantize(Decimal("0.01"))
    return f"${cents:f}" if cents == amount else f"${amount.normalize():f}"


def _has_live_attempt(question: Question, call_id: int | None, moment: datetime) -> bool:
    """Whether somebody is asking right now; attempts of dead processes are closed first."""
    attempts = question.calls.table_of("attempts")
    still_open = attempts.objects.filter(call=call_id, ended_at__isnull=True)
    still_open.filter(lease_until__lte=moment).update(
        ended_at=moment, outcome=Outcome.LOST, reason="The worker did not report for too long."
    )
    return bool(still_open.exists())


@dataclass(frozen=True, slots=True)
class End:
    """How an attempt ended, and what is written on its call.

    `call` and `attempt` are further columns of the two, as the answer and its cost. `outcome` is
    the attempt's; `error_kind` is the call's where it differs: for a request that we hung up on,
    nobody knows whether it was paid.
    """

    outcome: Outcome
    status: str
    error: str = ""
    error_kind: Outcome | None = None
    call: Mapping[str, Any] = field(default_factory=dict)
    attempt: Mapping[str, Any] = field(default_factory=dict)


def record(admitted: Admitted, end: End, also: Callable[[], object] = lambda: None) -> None:
    """Write how an attempt ended; `also` writes more in the same transaction.

    A late failure never overwrites an answer that somebody else has recorded meanwhile.
    """
    calls: Any = admitted.calls
    kind = end.error_kind or end.outcome
    columns = {
        "status": end.status,
        "error_kind": "" if kind is Outcome.ANSWERED else kind,
        "error": end.error,
        "finished_at": timezone.now(),
        **end.call,
    }
    ended = {"ended_at": timezone.now(), "outcome": end.outcome, "reason": end.error, **end.attempt}
    reserved = admitted.reserved
    change = -reserved if ended.get("is_free") else Decimal(0)
    if "price" in ended:
        ended["price"] = price = as_stored(ended["price"])
        change = Decimal(0) if price is None else price - reserved

    def write() -> None:
        update_row(calls.table_of("attempts"), admitted.attempt_id, ended)
        # Before the call, as in `admit`: those who lock rows in one order never wait in a ring.
        if admitted.payer and change:
            add_to_sum(admitted.payer, change)
        if end.status in calls.SETTLED:
            update_row(calls, admitted.call_id, columns)
        else:
            unsettled = calls.objects.filter(pk=admitted.call_id)
            unsettled.exclude(status__in=calls.SETTLED).update(**columns)
        also()

    write_together(write)


def record_use(call: Call, payer: Payer) -> None:
    """Record that a payer read, for one of its parts, an answer that somebody else had paid for."""
    if payer.part is None or (call.payer, call.part) == (payer.key, payer.part):
        return
    uses = call.table_of("uses")
    use = uses(call_id=call.pk, payer=payer.key, part=payer.part)
    write_together(lambda: uses.objects.bulk_create([use], ignore_conflicts=True))


def keep(admitted: Admitted) -> bool:
    """Renew the lease of an attempt; False if it ran out and somebody else closed it."""
    attempts = admitted.calls.table_of("attempts")
    still_open = attempts.objects.filter(pk=admitted.attempt_id, ended_at__isnull=True)
    return bool(still_open.update(lease_until=timezone.now() + LEASE))
