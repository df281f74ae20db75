"""The providers of a run: who makes the clips of a take, and what their failures mean."""

from contextlib import AbstractContextManager

from generation.backends.exceptions import ModelError
from generation.models import VideoEndpoint
from generation.services.calls.keys import UnreadableKeyError
from generation.services.clips.provider_clips import ProviderClips
from generation.services.run_payer import take_payer
from generation.services.stage import TakeFailedError, TakeWork, failing_takes


def provider_clips_of(take: TakeWork, word: str) -> ProviderClips:
    """The clips that a run's options name by a provider's id, on behalf of a take.

    They stay within the run's budget and stop when the take is cancelled. TakeFailedError where the
    endpoint, or its adapter, is gone.
    """
    endpoint = VideoEndpoint.objects.filter(public_id=word).first()
    if endpoint is None:
        raise TakeFailedError(f"The video model {word} of this run was deleted.")
    with provider_failures(endpoint):
        adapter = endpoint.adapter()
    return ProviderClips(endpoint, take_payer(take), adapter=adapter)


def provider_failures(endpoint: VideoEndpoint) -> AbstractContextManager[None]:
    """Turn what goes wrong with a provider into what happens to the take, with the reason."""
    return failing_takes(f"{endpoint.name} gave no clip", (ModelError, UnreadableKeyError))
