"""Sums over calls: how many there are, what they cost, and what of it was paid by whom."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from generation.models import Call

NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Sums over recorded calls of one kind, in US dollars.

    `price` was paid for new answers. `read_price` is what others had paid for the `read_count`
    answers that were read from the record. `possible_price` is the most that requests without an
    answer, or still on their way, can cost. `unpriced_count` requests have no known price and are
    in no sum.
    """

    call_count: int
    price: Decimal
    read_count: int
    read_price: Decimal
    possible_price: Decimal
    unpriced_count: int

    @property
    def cost(self) -> Decimal:
        """What all the answers cost, no matter who paid."""
        return self.price + self.read_price

    @property
    def highest_price(self) -> Decimal:
        return self.price + self.possible_price


def spending_of(
    calls: QuerySet[Any], attempts: QuerySet[Any], uses: QuerySet[Any], /, **more: Any
) -> dict[str, Any]:
    """The fields of a `Spending`, and `more` aggregates over the calls (three queries)."""
    sums = calls.order_by().aggregate(call_count=Count("pk"), **more)
    may_cost = Q(resumes=False, is_free=False, price__isnull=True)
    paid = attempts.order_by().aggregate(
        # `price` comes last: an aggregate named like a column hides it from those after it.
        possible_price=Sum("reserved_price", filter=may_cost, default=NOTHING),
        unpriced_count=Count("pk", filter=may_cost & Q(reserved_price__isnull=True)),
        price=Sum("price", default=NOTHING),
    )
    read = uses.aggregate(read_count=Count("pk"), read_price=Sum("call__price", default=NOTHING))
    return {**sums, **paid, **read}


def paid_by(calls: type[Call], payer: str, **part: int) -> tuple[QuerySet[Any], ...]:
    """The calls, attempts and uses of one kind, of a payer or of one `part` of it."""
    tables: list[Any] = [calls, calls.table_of("attempts"), calls.table_of("uses")]
    return tuple(table.objects.filter(payer=payer, **part) for table in tables)
