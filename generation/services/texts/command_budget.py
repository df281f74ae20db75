"""The budget of one command that asks text models, and what its answers cost."""

from dataclasses import dataclass
from decimal import Decimal
from threading import Lock
from typing import Any
from uuid import uuid4

from generation.backends.retrying import RetryPolicy
from generation.backends.text.model import AskModel, TextAnswer
from generation.models import TextEndpoint
from generation.services.calls.asker import DEFAULT_POLICY
from generation.services.calls.payer import Payer
from generation.services.texts.asker import TextAsker


@dataclass(frozen=True, slots=True)
class CommandCost:
    """The sums over the answers of one command; those without a price are in no cost.

    Tokens and `cost` count new answers; `read_cost` is what others had paid for the `read_count`
    answers that were read from the record.
    """

    answer_count: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal = Decimal(0)
    unpriced_count: int = 0
    read_count: int = 0
    read_cost: Decimal = Decimal(0)


class CommandBudget:
    """The budget of one command, in US dollars, None for no limit; kept in the database."""

    def __init__(self, budget: Decimal | None, **watch: Any) -> None:
        """`watch` are further fields of the `Payer`: its name, how it waits, when it stops."""
        self.paid = CommandCost()
        self.payer = Payer(key=f"command:{uuid4().hex}", budget=budget, **watch)
        self._lock = Lock()

    def asking(self, endpoint: TextEndpoint, policy: RetryPolicy = DEFAULT_POLICY) -> AskModel:
        """A function that asks an endpoint within this budget."""
        return TextAsker(endpoint, self.payer, policy, report_answer=self._count).ask

    def _count(self, answer: TextAnswer, price: Decimal | None, is_new: bool) -> None:
        cost = price or Decimal(0)
        with self._lock:
            paid = self.paid
            self.paid = CommandCost(
                paid.answer_count + is_new,
                paid.tokens_in + answer.tokens_in * is_new,
                paid.tokens_out + answer.tokens_out * is_new,
                paid.cost + cost * is_new,
                paid.unpriced_count + (is_new and price is None),
                paid.read_count + (not is_new),
                paid.read_cost + cost * (not is_new),
            )
