"""Ask paid services, once per question: an answer that is recorded is read, not paid for again.

A claim is written before a request goes out and the answer when it arrives, each in a short
transaction; the request itself runs outside of both. If the process dies in between, only the
request under way is lost, and it is counted as possibly paid.
"""

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, Generic, TypeVar

import numpy as np

from annotation.services.records.jobs import refuse_if_stopping
from annotation.services.records.parallel import leave_connection
from generation.backends.exceptions import NoPlaceError
from generation.backends.retrying import RetryPolicy, ask_with_retries
from generation.models import Call, Endpoint
from generation.selectors.calls.admission import Question, call_by_key, holder_of
from generation.services.calls.claims import (
    Admitted,
    EarlierOutcome,
    Recorded,
    Terms,
    Unreported,
    admit,
    record_use,
)
from generation.services.calls.payer import NOBODY, Payer

# Somebody who waits for a place, or for another's answer, looks again soon, then less and less
# often, since every look is a transaction.
LOOK_S = 0.1
LOOK_GROWTH = 1.5
LONGEST_LOOK_S = 1.0
WAIT_MESSAGE_AFTER_S = 2.0
DEFAULT_POLICY = RetryPolicy()

EndpointRow = TypeVar("EndpointRow", bound=Endpoint)
Request = TypeVar("Request")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Asker(ABC, Generic[EndpointRow, Request, Answer]):
    """Asks an endpoint on behalf of a payer; safe to use from several threads.

    Each kind of calls implements the abstract methods: what the question is, what it can cost, how
    it is sent and recorded, and how a recorded answer is read. `report_call` gets the key of the
    call behind an answer, before that is returned or its error raised.
    """

    endpoint: EndpointRow
    payer: Payer = NOBODY
    policy: RetryPolicy = DEFAULT_POLICY
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    report_call: Callable[[int], None] | None = field(default=None, repr=False)

    def ask(self, request: Request) -> Answer:
        """The answer, recorded or new; raises the errors of the kind of calls, and StoppedError."""
        request = self.as_sent(request)
        question = self.question(request)
        # Most questions are new: look for the key first, since reading a whole row with its long
        # texts is expensive.
        recorded = call_by_key(question)
        if recorded is not None and recorded.status in question.calls.SETTLED:
            call = question.calls._default_manager.get(pk=recorded.call_id)
            outcome = self.earlier_outcome(call)
            if isinstance(outcome, Recorded):
                return self._read(outcome.call, request)
        return ask_with_retries(
            lambda: self._ask_once(request, question),
            policy=self.policy,
            rng=_jitter(os.getpid()),
            pause=self._pause,
        )

    def as_sent(self, request: Request) -> Request:
        """The request, adapted to what this endpoint accepts."""
        return request

    @abstractmethod
    def question(self, request: Request) -> Question:
        """Everything in a request that decides its answer."""

    @abstractmethod
    def highest_price(self, request: Request) -> Decimal | None:
        """The most that a request is expected to cost, in US dollars; None where not known."""

    @abstractmethod
    def ready(
        self, request: Request, question: Question, wait: Callable[[], None]
    ) -> AbstractContextManager[Any]:
        """What `send` needs, opened before a place at the endpoint is claimed.

        While this waits it calls `wait` again and again, which raises when the waiting has to end.
        """

    @abstractmethod
    def send(self, request: Request, admitted: Admitted, opened: Any) -> Answer:
        """Send a request and return the answer; how it ended is recorded in any case."""

    @abstractmethod
    def read(self, call: Any, request: Request) -> Answer:
        """The recorded answer to a request; raises the error that was recorded instead."""

    @property
    @abstractmethod
    def lease(self) -> timedelta:
        """How long a request may take before its process counts as dead."""

    def earlier_outcome(self, call: Any) -> EarlierOutcome:
        """What earlier attempts at a call left; None if the question has to be sent (again)."""
        return Recorded(call) if call.status in call.SETTLED else None

    def _ask_once(self, request: Request, question: Question) -> Answer:
        began_s, patience_s = time.monotonic(), self.payer.patience_s

        def wait() -> None:
            self._check()
            if patience_s is not None and time.monotonic() - began_s >= patience_s:
                raise NoPlaceError(f"{self.endpoint.name} is busy")

        with self.ready(request, question, wait) as opened:
            wait_s, waited_s = LOOK_S, 0.0
            while True:
                self._check()
                terms = Terms(self.highest_price(request), self.lease, self.earlier_outcome)
                outcome = admit(question, self.payer, terms)
                if isinstance(outcome, Unreported):
                    # Once: the next who asks may order again.
                    raise outcome.error
                if isinstance(outcome, Recorded):
                    return self._read(outcome.call, request)
                if isinstance(outcome, Admitted):
                    leave_connection()
                    self._tell_call(outcome.call_id)
                    return self.send(request, outcome, opened)
                wait()
                # Most waits are too short to be worth a message.
                if self.payer.report_wait is not None and waited_s >= WAIT_MESSAGE_AFTER_S:
                    holder = holder_of(question)
                    if holder is not None:
                        self.payer.report_wait(self.endpoint, holder)
                leave_connection()
                self.sleep(wait_s)
                waited_s += wait_s
                wait_s = min(wait_s * LOOK_GROWTH, LONGEST_LOOK_S)

    def _check(self) -> None:
        """Raise where no request may go out any more; one under way is waited for."""
        refuse_if_stopping()
        self.payer.check()

    def _tell_call(self, call_id: int) -> None:
        if self.report_call is not None:
            self.report_call(call_id)

    def _read(self, call: Call, request: Request) -> Answer:
        self._tell_call(call.pk)
        record_use(call, self.payer)
        return self.read(call, request)

    def _pause(self, seconds: float) -> None:
        while seconds > 0:
            self._check()
            leave_connection()
            self.sleep(min(seconds, LOOK_S))
            seconds -= LOOK_S
        self._check()


@lru_cache(1)
def _jitter(process_id: int) -> np.random.Generator:
    """The generator of pauses, one per process, so that workers that failed together spread out.

    Several threads may draw from one NumPy generator.
    """
    return np.random.default_rng()
