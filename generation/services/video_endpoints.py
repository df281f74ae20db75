"""What can be set at a provider of clips, how its adapter reaches it, and how one is tried."""

import time
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import ClassVar

from django.core.exceptions import ValidationError

from annotation.models import User
from annotation.services.audit_log import record
from generation.backends.video.providers.exceptions import ProviderError, SettingsError
from generation.backends.video.providers.provider import Provider, VideoSettings
from generation.backends.video.providers.registry import provider
from generation.backends.video.providers.transport import Transport
from generation.models import VideoEndpoint
from generation.services.endpoint_keys import UnreadableKeyError, decrypted
from generation.services.endpoints import EndpointSettings, subject_of

# Between the two halves of a key pair.
PAIR_MARK = ":"
# A page waits for the test.
TEST_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoEndpointSettings(EndpointSettings):
    """What can be set at a provider beside its key; see `VideoEndpoint`."""

    HOSTS: ClassVar[str] = "VIDEO_ENDPOINT_HOSTS"

    provider: str
    price_per_second: Decimal | None

    def completed(self) -> "VideoEndpointSettings":
        """Return the settings with a model; ValidationError where no adapter has this name."""
        try:
            adapter = provider(self.provider)
        except SettingsError as error:
            raise ValidationError({"provider": f"{error}."}) from error
        return replace(self, model_name=self.model_name.strip() or adapter.default_model)

    def check_key(self, api_key: str) -> None:
        """Raise ValidationError where half of a key pair is missing."""
        if provider(self.provider).needs_secret_key and not all(_halves(api_key)):
            raise ValidationError(
                f"{self.provider} wants two keys: type both, with a {PAIR_MARK} between them."
            )


def _halves(key: str) -> tuple[str, str]:
    first, _, second = key.partition(PAIR_MARK)
    return first.strip(), second.strip()


def adapter_of(endpoint: VideoEndpoint) -> Provider:
    """Return the adapter of an endpoint; raises SettingsError where it is gone."""
    return provider(endpoint.provider)


def connection_settings(endpoint: VideoEndpoint) -> VideoSettings:
    """Return how an endpoint is reached; raises SettingsError or UnreadableKeyError."""
    key, secret_key = decrypted(endpoint.encrypted_key), ""
    if adapter_of(endpoint).needs_secret_key:
        key, secret_key = _halves(key)
    return VideoSettings(
        base_url=endpoint.base_url,
        model=endpoint.model_name,
        api_key=key,
        secret_key=secret_key,
        job_limit_s=float(endpoint.timeout_s),
    )


@dataclass(frozen=True, slots=True)
class VideoEndpointTest:
    """What happened when a provider was tried; `error` is empty where address and key are right.

    `was_asked` is False where the provider has no request that is free, so that none was sent.
    """

    was_asked: bool
    seconds: float
    error_kind: str = ""
    error: str = ""

    @property
    def is_ok(self) -> bool:
        return self.was_asked and not self.error


def try_video_endpoint(*, endpoint: VideoEndpoint, actor: User) -> VideoEndpointTest:
    """Send a provider a request that costs nothing, once, and return what happened."""
    result = _tried(endpoint)
    detail = {"is_ok": result.is_ok, "error_kind": result.error_kind}
    record(actor=actor, action="video_endpoint.try", subject=subject_of(endpoint), detail=detail)
    return result


def _tried(endpoint: VideoEndpoint) -> VideoEndpointTest:
    started_s = time.perf_counter()
    call = None
    try:
        adapter, reached = adapter_of(endpoint), connection_settings(endpoint)
        with Transport(adapter, replace(reached, answer_timeout_s=TEST_TIMEOUT_S)) as transport:
            call = adapter.free_call(endpoint.model_name)
            if call is not None:
                transport.ask(call)
    except (ProviderError, UnreadableKeyError) as error:
        seconds = time.perf_counter() - started_s
        return VideoEndpointTest(call is not None, seconds, type(error).__name__, str(error))
    return VideoEndpointTest(call is not None, time.perf_counter() - started_s)
