"""Keep a run from models that its owner may not use any more, whatever kind they are."""

from generation.backends.exceptions import NotAllowedError
from generation.models import Endpoint, RunTake
from generation.selectors.calls.admission import may_ask


def check_access(endpoint: Endpoint, run_take: RunTake | None) -> None:
    """Raise NotAllowedError where the owner of the run may not use the endpoint (any more).

    Endpoints are shared and unshared while runs are at work, so it is asked before every request
    that goes out. What is not for a run was asked for by somebody who may.
    """
    if run_take is not None and not may_ask(run_take.run_id, endpoint):
        raise NotAllowedError(
            f"its owner may not use {endpoint.name} any more; the owner of that model can share it"
        )
