"""The text models of a run: how they are asked for a take, and what their failures mean."""

from contextlib import AbstractContextManager

from django.core.exceptions import ObjectDoesNotExist

from generation.backends.exceptions import ModelError
from generation.backends.text.model import AskModel
from generation.models import TextEndpoint
from generation.services.calls.keys import UnreadableKeyError
from generation.services.run_payer import take_payer
from generation.services.stage import TakeFailedError, TakeWork, failing_takes
from generation.services.texts.asker import TextAsker
from generation.services.texts.writing import NotWrittenError


def text_endpoint_by_id(public_id: str) -> TextEndpoint:
    """The endpoint that a run's options name; raises TakeFailedError if it was deleted."""
    endpoint = TextEndpoint.objects.filter(public_id=public_id).first()
    if endpoint is None:
        raise TakeFailedError(f"The text model {public_id} of this run was deleted.")
    return endpoint


def asker_of(take: TakeWork, endpoint: TextEndpoint) -> AskModel:
    """A function that asks an endpoint for a take, within the budget of its run."""
    return TextAsker(endpoint, take_payer(take)).ask


def model_failures(endpoint: TextEndpoint) -> AbstractContextManager[None]:
    """Turn a model's errors into a failed or stopped take, with the reason."""
    failures = (ModelError, NotWrittenError, UnreadableKeyError, ObjectDoesNotExist)
    return failing_takes(f"{endpoint.name} gave no text", failures)
