"""Keep a run within its budget, whatever kind of model it asks."""

from decimal import Decimal

from generation.backends.exceptions import BudgetSpentError
from generation.models import Endpoint, RunTake
from generation.selectors.calls.admission import highest_spending_of
from generation.selectors.run_stops import BUDGET_IS
from generation.services.calls.locks import lock_spending


def check_budget(
    endpoint: Endpoint, run_take: RunTake | None, budget: Decimal, reserved: Decimal | None
) -> None:
    """Raise BudgetSpentError where the next request may cost more than is left.

    `reserved` is the most that the request can cost in US dollars, None where that is not known.
    To be called in the transaction that writes the reservation, under the endpoint's lock: nobody
    else of the run passes before it ends.
    """
    if reserved is None:
        raise BudgetSpentError(
            f"endpoint {endpoint.name} has no prices, so no budget can be kept with it"
        )
    spent = Decimal(0)
    if run_take is not None:
        # The run may ask several endpoints at once, and each has only a lock of its own.
        lock_spending(run_take.run_id)
        spent = highest_spending_of(run_take.run_id)
    if spent + reserved > budget:
        raise BudgetSpentError(
            f"{BUDGET_IS}${budget:.2f}, ${spent:.4f} of it is spent or on its way, and the next "
            f"request can cost ${reserved:.4f}"
        )
