"""Who pays for calls: a run, a command, or anything else that asks models."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from generation.engine.progress import UNWATCHED
from generation.models import Endpoint
from generation.selectors.calls.admission import Holder


@dataclass(frozen=True, slots=True, kw_only=True)
class Payer:
    """On whose behalf, and at whose expense, a question is asked.

    What it spends is recorded under its `key`, as "run:abc", and the question under its `part`,
    where it has any, as the position of a take. `name` is told to others who wait for it. `budget`
    is in US dollars for all that is asked under the key, None for no limit; where it would stop
    something, `budget_now` reads it again, for it may have been raised meanwhile.

    `check` is called while waiting and raises CancelledError when the answer is not wanted any
    more. `hang_up` is the same while an answer is on its way, which is then lost; None waits for
    it. `may_ask` says before every request whether the endpoint may (still) be used. `is_cancelled`
    tells somebody's wish to end from work that merely was taken over. `tell_wait` is told on whom
    this one waits. After `patience_s` of waiting a request ends with NoPlaceError; None: never.
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
    tell_wait: Callable[[Endpoint, Holder], None] | None = None
    patience_s: float | None = None

    def __post_init__(self) -> None:
        if self.budget is not None and not self.key:
            raise ValueError("a budget is kept by the key of its payer, and this one has none")


# Who need not stay within a budget and has nothing added up: the test of an endpoint.
NOBODY = Payer()
