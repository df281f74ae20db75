"""The text models of a run: who is asked on behalf of a take, and what their failures mean."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal

from annotation.services.jobs import LostClaimError
from generation.backends.exceptions import BudgetSpentError, CancelledError
from generation.backends.text.exceptions import TextModelError
from generation.backends.text.model import TextAnswer, TextRequest
from generation.models import TextEndpoint
from generation.services.endpoint_keys import UnreadableKeyError
from generation.services.model_writing import NotWrittenError
from generation.services.stage_work import RunStoppedError, TakeFailedError, TakeWork
from generation.services.text_calls import Caller, asking

Ask = Callable[[TextRequest], TextAnswer]


def endpoint_called(word: str) -> TextEndpoint:
    """Return the endpoint that a run's options name; TakeFailedError where it was deleted."""
    endpoint = TextEndpoint.objects.filter(public_id=word).first()
    if endpoint is None:
        raise TakeFailedError(f"The text model {word} of this run was deleted.")
    return endpoint


def asker_of(take: TakeWork, endpoint: TextEndpoint) -> Ask:
    """Return what asks an endpoint on behalf of a take, within the budget of its run."""
    budget = take.settings.options.budget_usd
    return asking(
        Caller(
            endpoint,
            run_take=take.run_take,
            budget=None if budget is None else Decimal(str(budget)),
            check=take.check_wanted,
        )
    )


@contextmanager
def model_failures(endpoint: TextEndpoint) -> Iterator[None]:
    """Turn what goes wrong with a model into what becomes of the take, with the reason in words."""
    try:
        yield
    except CancelledError as error:
        raise LostClaimError(str(error)) from error
    except BudgetSpentError as error:
        raise RunStoppedError(f"{error}.") from error
    except (TextModelError, NotWrittenError, UnreadableKeyError) as error:
        raise TakeFailedError(f"{endpoint.name} gave no text: {error}") from error
