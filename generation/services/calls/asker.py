"""Ask what costs money, once per question: what was answered before is read, not paid for again.

A claim is written before a request goes out and the answer when it has come, each in a short
transaction; the request itself is in none. What is lost with a process that dies between the two
is the one request under way, which is counted as possibly paid.
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

from generation.backends.exceptions import NoPlaceError
from generation.backends.retrying import RetryPolicy, ask_with_retries
from generation.models import Call, Endpoint
from generation.selectors.calls.admission import Question, call_by_key, holder_of
from generation.services.calls.claims import (
    Admitted,
    Known,
    Recorded,
    Terms,
    Untold,
    admit,
    record_use,
)
from generation.services.calls.payer import NOBODY, Payer

# How often somebody who waits for a place, or for another's answer, looks again: soon, then less
# and less often, since every look is a transaction.
LOOK_S = 0.1
LOOK_GROWTH = 1.5
LONGEST_LOOK_S = 1.0
TOLD_AFTER_S = 2.0
DEFAULT_POLICY = RetryPolicy()

EndpointRow = TypeVar("EndpointRow", bound=Endpoint)
Request = TypeVar("Request")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Asker(ABC, Generic[EndpointRow, Request, Answer]):
    """Asks an endpoint on behalf of a payer; safe to use from several threads.

    A kind of calls says below what differs: what its question is, what it costs at most, how it is
    sent and what happens to its rows, and how a recorded answer is read.
    """

    endpoint: EndpointRow
    payer: Payer = NOBODY
    policy: RetryPolicy = DEFAULT_POLICY
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def ask(self, request: Request) -> Answer:
        """The answer, recorded or new; raises what the kind raises, and StoppedError."""
        request = self.as_sent(request)
        question = self.question(request)
        # Most questions are new, and to look for a row of long texts that is not there is costly.
        found = call_by_key(question)
        if found is not None and found.status in question.calls.SETTLED:
            recorded = self.known(question.calls._default_manager.get(pk=found.call_id))
            if isinstance(recorded, Recorded):
                return self._read(recorded.call, request)
        return ask_with_retries(
            lambda: self._ask_once(request, question),
            policy=self.policy,
            rng=_jitter(os.getpid()),
            pause=self._pause,
        )

    def as_sent(self, request: Request) -> Request:
        """A request as this endpoint gets it."""
        return request

    @abstractmethod
    def question(self, request: Request) -> Question:
        """All of a request that decides its answer."""

    @abstractmethod
    def highest_price(self, request: Request) -> Decimal | None:
        """The most that a request is expected to cost, in US dollars; None where not known."""

    @abstractmethod
    def ready(self, request: Request, wait: Callable[[], None]) -> AbstractContextManager[Any]:
        """What `send` needs, opened before a place is asked for.

        `wait` is called again and again while it waits, and raises where it is to end.
        """

    @abstractmethod
    def send(self, request: Request, admitted: Admitted, opened: Any) -> Answer:
        """Send a request, record how it ended, whatever that was, and return the answer."""

    @abstractmethod
    def read(self, call: Any, request: Request) -> Answer:
        """The recorded answer to a request; raises what was wrong with it."""

    @property
    @abstractmethod
    def lease(self) -> timedelta:
        """How long a request may take before its process is taken for dead."""

    def known(self, call: Any) -> Known:
        """What a call comes to that nobody works on; None where it is to be asked (again)."""
        return Recorded(call) if call.status in call.SETTLED else None

    def _ask_once(self, request: Request, question: Question) -> Answer:
        began_s, patience_s = time.monotonic(), self.payer.patience_s

        def wait() -> None:
            self.payer.check()
            if patience_s is not None and time.monotonic() - began_s >= patience_s:
                raise NoPlaceError(f"{self.endpoint.name} has enough to do")

        with self.ready(request, wait) as opened:
            wait_s, waited_s = LOOK_S, 0.0
            while True:
                self.payer.check()
                terms = Terms(self.highest_price(request), self.lease, self.known)
                outcome = admit(question, self.payer, terms)
                if isinstance(outcome, Untold):
                    raise outcome.error
                if isinstance(outcome, Recorded):
                    return self._read(outcome.call, request)
                if isinstance(outcome, Admitted):
                    return self.send(request, outcome, opened)
                wait()
                # Most waits are short, and not worth a word.
                if self.payer.tell_wait is not None and waited_s >= TOLD_AFTER_S:
                    holder = holder_of(question)
                    if holder is not None:
                        self.payer.tell_wait(self.endpoint, holder)
                self.sleep(wait_s)
                waited_s += wait_s
                wait_s = min(wait_s * LOOK_GROWTH, LONGEST_LOOK_S)

    def _read(self, call: Call, request: Request) -> Answer:
        record_use(call, self.payer)
        return self.read(call, request)

    def _pause(self, seconds: float) -> None:
        while seconds > 0:
            self.payer.check()
            self.sleep(min(seconds, LOOK_S))
            seconds -= LOOK_S
        self.payer.check()


@lru_cache(1)
def _jitter(process_id: int) -> np.random.Generator:
    """The generator of pauses, one per process: workers that failed together part.

    NumPy's generators may be drawn from by several threads.
    """
    return np.random.default_rng()
