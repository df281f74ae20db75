"""The money of one command: asks as long as the next answer cannot exceed it.

A run's budget is kept in the database, where all workers see it; a command is one process and has
no run. Recorded answers cost nothing. Both rest on the same prices.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from threading import Lock

from generation.backends.exceptions import BudgetSpentError
from generation.backends.text.exceptions import NoAnswerInTimeError, UnusableAnswerError
from generation.backends.text.model import Ask, TextAnswer, TextRequest
from generation.engine.progress import UNWATCHED
from generation.models import TextEndpoint
from generation.selectors.calls.admission import Holder, question_for
from generation.selectors.calls.text_calls import highest_price, price_of
from generation.services.calls.text_calls import Caller, as_sent, ask
from generation.services.calls.text_claims import recorded_call


@dataclass(frozen=True, slots=True)
class Paid:
    """What the answers of one command add up to; those without a price are in no cost."""

    answer_count: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal = Decimal(0)
    unpriced_count: int = 0

    def plus(self, answer: TextAnswer, cost: Decimal | None) -> "Paid":
        """Return the sums with one more answer."""
        return Paid(
            self.answer_count + 1,
            self.tokens_in + answer.tokens_in,
            self.tokens_out + answer.tokens_out,
            self.cost + (cost or Decimal(0)),
            self.unpriced_count + (cost is None),
        )


@dataclass(frozen=True, slots=True)
class Watch:
    """What goes on around the questions of one command.

    `check` raises where the command ends; `asked_by` and `told_wait` are those of a `Caller`.
    """

    check: Callable[[], None] = UNWATCHED.check
    asked_by: str = ""
    told_wait: Callable[[TextEndpoint, Holder], None] | None = None


NO_WATCH = Watch()


class CommandBudget:
    """`budget` in US dollars, None for no limit; `spent` counts what may have been paid, too."""

    def __init__(self, budget: Decimal | None, watch: Watch = NO_WATCH) -> None:
        self.budget = budget
        self.spent = Decimal(0)
        self.paid = Paid()
        self._watch = watch
        self._lock = Lock()

    def asking(self, caller: Caller) -> Ask:
        """Return a function that asks on behalf of a caller and pays from this budget."""
        caller = replace(
            caller,
            check=self._watch.check,
            hang_up=self._watch.check,
            asked_by=self._watch.asked_by,
            told_wait=self._watch.told_wait,
            told_paid=self._count,
        )
        if self.budget is None:
            return lambda request: ask(request=request, caller=caller)
        return lambda request: self._ask(request, caller)

    def _ask(self, request: TextRequest, caller: Caller) -> TextAnswer:
        endpoint = caller.endpoint
        sent = as_sent(request, endpoint)
        if recorded_call(question_for(endpoint, sent)) is not None:
            return ask(request=request, caller=caller)
        reserved = self._reserve(sent, caller)
        paid: Decimal | None = Decimal(0)
        try:
            answer = ask(request=request, caller=caller)
            paid = price_of(endpoint, answer.tokens_in, answer.tokens_out)
        except UnusableAnswerError as error:
            paid = price_of(endpoint, error.answer.tokens_in, error.answer.tokens_out)
            raise
        except NoAnswerInTimeError:
            # It may have been answered, and charged, when nobody listened any more.
            paid = reserved
            raise
        finally:
            with self._lock:
                self.spent += (paid or Decimal(0)) - reserved
        return answer

    def _count(self, endpoint: TextEndpoint, answer: TextAnswer) -> None:
        with self._lock:
            self.paid = self.paid.plus(
                answer, price_of(endpoint, answer.tokens_in, answer.tokens_out)
            )

    def _reserve(self, request: TextRequest, caller: Caller) -> Decimal:
        reserved = highest_price(caller.endpoint, request)
        if reserved is None or self.budget is None:
            raise BudgetSpentError(
                f"endpoint {caller.endpoint.name} has no prices, so no budget can be kept with it"
            )
        with self._lock:
            if self.spent + reserved > self.budget:
                raise BudgetSpentError(
                    f"the budget is ${self.budget:.2f}, ${self.spent:.4f} of it is spent or on its "
                    f"way, and the next request can cost ${reserved:.4f}"
                )
            self.spent += reserved
        return reserved
