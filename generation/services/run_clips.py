"""The providers of a run: who makes the clips of a take, and what their failures mean."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal

from annotation.services.jobs import LostClaimError
from generation.backends.exceptions import BudgetSpentError, CancelledError
from generation.backends.video.providers.exceptions import ProviderError
from generation.models import VideoEndpoint
from generation.services.clip_calls import ProviderClips
from generation.services.endpoint_keys import UnreadableKeyError
from generation.services.stage_work import RunStoppedError, TakeFailedError, TakeWork
from generation.services.video_endpoints import adapter_of


def provider_clips_of(take: TakeWork, word: str) -> ProviderClips:
    """Return the clips that a run's options name by a provider's id, on behalf of a take.

    They stay within the run's budget and stop when the take is cancelled. TakeFailedError where the
    endpoint, or its adapter, is gone.
    """
    endpoint = VideoEndpoint.objects.filter(public_id=word).first()
    if endpoint is None:
        raise TakeFailedError(f"The video model {word} of this run was deleted.")
    with provider_failures(endpoint):
        adapter = adapter_of(endpoint)
    budget = take.settings.options.budget_usd
    return ProviderClips(
        endpoint,
        adapter,
        run_take=take.run_take,
        budget=None if budget is None else Decimal(str(budget)),
        check=take.check_wanted,
    )


@contextmanager
def provider_failures(endpoint: VideoEndpoint) -> Iterator[None]:
    """Turn what goes wrong with a provider into what becomes of the take, with the reason."""
    try:
        yield
    except CancelledError as error:
        raise LostClaimError(str(error)) from error
    except BudgetSpentError as error:
        raise RunStoppedError(f"{error}.") from error
    except (ProviderError, UnreadableKeyError) as error:
        raise TakeFailedError(f"{endpoint.name} gave no clip: {error}") from error
