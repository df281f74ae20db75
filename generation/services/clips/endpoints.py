"""The settings of a provider of clips, how its adapter reaches it, and the test of one."""

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import ClassVar

from django.core.exceptions import ValidationError
from django.utils import timezone

from annotation.models import User
from generation.backends.exceptions import ModelError
from generation.backends.video.providers.exceptions import SettingsError
from generation.backends.video.providers.offers import read_lengths, read_sizes
from generation.backends.video.providers.provider import VideoSettings
from generation.backends.video.providers.registry import provider
from generation.backends.video.providers.transport import Transport
from generation.models import VideoEndpoint
from generation.services.calls.endpoints import EndpointSettings, EndpointTest, note_test
from generation.services.calls.keys import UnreadableKeyError, decrypted

# Separates the two halves of a key pair.
PAIR_MARK = ":"
# The user's page waits for the test.
TEST_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoEndpointSettings(EndpointSettings):
    """The settings of a provider, without its key; see `VideoEndpoint`."""

    HOSTS: ClassVar[str] = "VIDEO_ENDPOINT_HOSTS"

    provider: str
    price_per_second: Decimal | None
    lengths: str = ""
    sizes: str = ""
    takes_last_frame: bool = False

    def completed(self) -> "VideoEndpointSettings":
        """The settings with address and model filled in; raises ValidationError for a wrong one."""
        try:
            adapter = provider(self.provider)
        except SettingsError as error:
            raise ValidationError({"provider": f"{error}."}) from error
        filled = replace(
            self,
            base_url=self.base_url.strip() or adapter.usual_base_url,
            model_name=self.model_name.strip() or adapter.default_model,
        )
        missing = {
            name: f"{adapter.title} has no default for this; type it."
            for name in ("base_url", "model_name")
            if not getattr(filled, name)
        }
        if missing:
            raise ValidationError(missing)
        return replace(
            filled,
            lengths=_checked("lengths", self.lengths, read_lengths),
            sizes=_checked("sizes", self.sizes, read_sizes),
        )

    def check_key(self, api_key: str) -> None:
        """Raise ValidationError if half of a key pair is missing."""
        is_pair = provider(self.provider).takes_key_pair and PAIR_MARK in api_key
        if is_pair and not all(_halves(api_key)):
            raise ValidationError(
                f"Half of the key pair of {self.provider} is missing: type both halves with a"
                f" {PAIR_MARK} between them, or a single key without a {PAIR_MARK}."
            )


def _checked(name: str, text: str, read: Callable[[str], object]) -> str:
    """A text as it is stored; raises ValidationError if `read` does not understand it."""
    try:
        read(text)
    except ValueError as error:
        raise ValidationError({name: str(error)}) from error
    return " ".join(text.split())


def _halves(key: str) -> tuple[str, str]:
    first, _, second = key.partition(PAIR_MARK)
    return first.strip(), second.strip()


def connection_settings(endpoint: VideoEndpoint) -> VideoSettings:
    """How an endpoint is reached; raises SettingsError or UnreadableKeyError."""
    key, secret_key = decrypted(endpoint.encrypted_key), ""
    if provider(endpoint.provider).takes_key_pair and PAIR_MARK in key:
        key, secret_key = _halves(key)
    return VideoSettings(
        base_url=endpoint.base_url,
        model=endpoint.model_name,
        api_key=key,
        secret_key=secret_key,
        job_limit_s=float(endpoint.timeout_s),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoEndpointTest(EndpointTest):
    """The result of testing a provider; `error` is empty if address and key are right.

    `was_asked` is False if the provider has no free request, so that none was sent.
    """

    was_asked: bool

    @property
    def is_ok(self) -> bool:
        return self.was_asked and not self.error


def try_video_endpoint(*, endpoint: VideoEndpoint, actor: User) -> VideoEndpointTest:
    """Send a provider one request that costs nothing, and return what happened."""
    started_s = time.perf_counter()
    call, error_kind, words = None, "", ""
    try:
        with _connected(endpoint) as transport:
            call = transport.provider.free_call(endpoint.model_name)
            if call is not None:
                transport.ask(call)
            _keep_card(endpoint, transport)
        # Only this notices a model that the service no longer has.
        endpoint.adapter()
    except (ModelError, UnreadableKeyError) as error:
        error_kind, words = type(error).__name__, str(error)
    result = VideoEndpointTest(
        was_asked=call is not None,
        seconds=time.perf_counter() - started_s,
        error_kind=error_kind,
        error=words,
    )
    note_test(endpoint, result, actor)
    return result


def read_offer(endpoint: VideoEndpoint) -> str:
    """Read and store what the service says about its model: what it makes and what that costs.

    Return why that was not possible; empty if it was, or if this provider publishes nothing.
    """
    try:
        if provider(endpoint.provider).card_call() is None:
            return ""
        with _connected(endpoint) as transport:
            _keep_card(endpoint, transport)
    except (ModelError, UnreadableKeyError) as error:
        return f"{error}."
    return ""


def _connected(endpoint: VideoEndpoint) -> closing[Transport]:
    reached = replace(connection_settings(endpoint), answer_timeout_s=TEST_TIMEOUT_S)
    return closing(Transport(provider(endpoint.provider), reached))


def _keep_card(endpoint: VideoEndpoint, transport: Transport) -> None:
    call = transport.provider.card_call()
    if call is None:
        return
    endpoint.card = transport.provider.card(transport.ask(call), endpoint.model_name)
    endpoint.card_read_at = timezone.now()
    # Somebody may have set another model meanwhile.
    same = VideoEndpoint.objects.filter(pk=endpoint.pk, model_name=endpoint.model_name)
    same.update(card=endpoint.card, card_read_at=endpoint.card_read_at)
