"""Who pays for calls: a run, a command, or anything else that asks models."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from generation.engine.progress import UNWATCHED
from generation.models import Endpoint
from generation.selectors.calls.admission import Holder


class WithClaims(Protocol):
    """What a payer has to write anyway, and saves a transaction by writing with its next claim."""

    def write(self) -> None:
        """Write it, once more after a rollback; raises where no request may go out any more."""

    def written(self) -> None:
        """It is committed."""


class _Nothing:
    def write(self) -> None: ...

    def written(self) -> None: ...


NOTHING = _Nothing()


@dataclass(frozen=True, slots=True, kw_only=True)
class Payer:
    """On whose behalf, and at whose expense, a question is asked.

    Spending is recorded under `key`, as "run:abc", and the question under `part`, if there are
    parts, as the position of a take. `name` is shown to others who wait for this payer. `budget` is
    in US dollars for everything under the key, None for no limit; before it stops a request,
    `budget_now` reads it again, since it may have been raised meanwhile.

    `check` is called while waiting and raises CancelledError when the answer is no longer wanted.
    `hang_up` does the same while an answer is on its way, which is then lost; None waits for it.
    `may_ask` says before every request whether the endpoint may (still) be used. `is_cancelled`
    says whether somebody cancelled the work, or another worker merely took it over. `report_wait`
    is called with whom this payer waits for. After `patience_s` of waiting a request ends with
    NoPlaceError; None waits for ever. `with_claims` is written in the transaction of every claim.
    """

    key: str = ""
    part: int | None = None
    name: str = ""
    budget: Decimal | None = None
    budget_now: Callable[[], Decimal | None] | None = None
    check: Callable[[], None] = UNWATCHED.check
    hang_up: Callable[[], None] | None = None
    may_ask: Callable[[Endpoint], bool] = lambda endpoint: True
    is_cancelled: Callable[[], bool] = lambda: False
    report_wait: Callable[[Endpoint, Holder], None] | None = None
    patience_s: float | None = None
    with_claims: WithClaims = NOTHING

    def __post_init__(self) -> None:
        if self.budget is not None and not self.key:
            raise ValueError("a payer with a budget needs a key, under which spending is summed")


# Without a budget or sums, for the test of an endpoint.
NOBODY = Payer()
