"""The text models of a run: who is asked on behalf of a take, and what their failures mean."""

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


def endpoint_called(word: str) -> TextEndpoint:
    """The endpoint that a run's options name; TakeFailedError where it was deleted."""
    endpoint = TextEndpoint.objects.filter(public_id=word).first()
    if endpoint is None:
        raise TakeFailedError(f"The text model {word} of this run was deleted.")
    return endpoint


def asker_of(take: TakeWork, endpoint: TextEndpoint) -> AskModel:
    """What asks an endpoint on behalf of a take, within the budget of its run."""
    return TextAsker(endpoint, take_payer(take)).ask


def model_failures(endpoint: TextEndpoint) -> AbstractContextManager[None]:
    """Turn what goes wrong with a model into what happens to the take, with the reason in words."""
    failures = (ModelError, NotWrittenError, UnreadableKeyError, ObjectDoesNotExist)
    return failing_takes(f"{endpoint.name} gave no text", failures)
