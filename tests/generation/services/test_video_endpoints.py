"""Settings of providers of clips, and trying them without paying."""

import logging
from dataclasses import replace
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from annotation.models import AuditEntry
from generation.backends.video.providers.adapters.seedance import Seedance
from generation.models import VideoEndpoint
from generation.services import video_endpoints
from generation.services.endpoint_keys import decrypted, encrypted
from generation.services.endpoints import change_endpoint, create_endpoint
from generation.services.video_endpoints import (
    VideoEndpointSettings,
    connection_settings,
    try_video_endpoint,
)
from tests.fakes.video_provider_server import API_KEY, FORMS, SECRET_KEY, VideoProviderServer
from tests.generation.video_endpoints import make_video_endpoint

pytestmark = pytest.mark.django_db
NEW = VideoEndpointSettings(
    name="Clips",
    provider="sora",
    base_url="https://api.openai.com/v1/",
    model_name="",
    concurrency=2,
    requests_per_minute=None,
    timeout_s=600,
    price_per_second=Decimal("0.1"),
    is_shared=False,
)


def create(actor, api_key=API_KEY, **changes):
    return create_endpoint(
        endpoint=VideoEndpoint(), new=replace(NEW, **changes), api_key=api_key, actor=actor
    )


def test_created_endpoint_gets_the_adapters_model_and_keeps_its_key_apart(owner):
    endpoint = create(owner)

    stored = VideoEndpoint.objects.get()
    assert VideoEndpointSettings.of(stored) == replace(
        NEW, base_url="https://api.openai.com/v1", model_name="sora-2"
    )
    assert (stored.owner, decrypted(stored.encrypted_key)) == (owner, API_KEY)
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.detail["has_key"]) == ("video_endpoint.create", True)
    assert API_KEY not in str(entry.detail)
    assert endpoint.encrypted_key not in str(entry.detail)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"provider": "dream"}, "the video provider is 'dream'; expected one of kling, "),
        ({"provider": "kling"}, "wants two keys: type both, with a :"),
        ({"base_url": "https://video.example/v1"}, "these hosts only: api.openai.com"),
        ({"price_per_second": Decimal(-1)}, "The price is below 0"),
    ],
)
def test_setting_that_cannot_be_is_refused(owner, changes, words):
    with pytest.raises(ValidationError, match=words):
        create(owner, **changes)

    assert VideoEndpoint.objects.count() == 0


def test_hosts_of_providers_are_a_setting_of_their_own(owner, settings):
    settings.VIDEO_ENDPOINT_HOSTS = ["video.example"]
    settings.TEXT_ENDPOINT_HOSTS = []

    endpoint = create(owner, base_url="https://video.example/api")

    assert endpoint.base_url == "https://video.example/api"


def test_key_pair_is_handed_to_the_adapter_in_two_halves(administrator):
    pair = f" {API_KEY} : {SECRET_KEY} "
    endpoint = create(administrator, provider="kling", api_key=pair)

    reached = connection_settings(endpoint)

    assert (reached.api_key, reached.secret_key) == (API_KEY, SECRET_KEY)
    assert (reached.model, reached.job_limit_s) == ("kling-video-o1", 600.0)


def test_another_host_loses_the_stored_key(administrator):
    endpoint = create(administrator)
    other = replace(NEW, base_url="https://elsewhere.example/v1")

    change_endpoint(endpoint=endpoint, new=other, api_key=None, actor=administrator)

    assert VideoEndpoint.objects.get().encrypted_key == ""


@pytest.mark.parametrize("provider", FORMS)
def test_trial_reads_something_free_with_the_key(owner, provider, caplog):
    caplog.set_level(logging.DEBUG)
    with VideoProviderServer(provider) as server:
        good = try_video_endpoint(endpoint=make_video_endpoint(server.url, provider), actor=owner)
        endpoint = make_video_endpoint(
            server.url, provider, name="Wrong", encrypted_key=encrypted("not-the:right-key")
        )
        wrong = try_video_endpoint(endpoint=endpoint, actor=owner)

    assert (good.is_ok, good.was_asked, good.error) == (True, True, "")
    assert (wrong.is_ok, wrong.error_kind) == (False, "RejectedError")
    assert wrong.error.startswith("HTTP 401: ")
    assert [asked.path for asked in server.asked] == [server.forms.free] * 2
    assert server.submitted == []
    for secret in (API_KEY, SECRET_KEY, "right-key"):
        assert secret not in caplog.text


def test_trial_of_a_provider_without_a_free_request_sends_nothing_and_says_so(owner, monkeypatch):
    class Silent(Seedance):
        def free_call(self, model):
            return None

    adapter = video_endpoints.provider("seedance")
    silent = Silent(
        name="seedance",
        default_model="m",
        limits=adapter.limits,
        places=adapter.places,
        job_path=adapter.job_path,
    )
    monkeypatch.setattr(video_endpoints, "provider", lambda name: silent)

    result = try_video_endpoint(endpoint=make_video_endpoint(), actor=owner)

    assert (result.is_ok, result.was_asked, result.error) == (False, False, "")


def test_trial_says_what_stands_in_the_way(owner, settings):
    unreachable = try_video_endpoint(endpoint=make_video_endpoint(), actor=owner)
    keyless = make_video_endpoint(name="Keyless", encrypted_key="")
    without_key = try_video_endpoint(endpoint=keyless, actor=owner)
    settings.SECRET_KEY = "another"
    unreadable = try_video_endpoint(endpoint=VideoEndpoint.objects.first(), actor=owner)

    assert [result.error_kind for result in (unreachable, without_key, unreadable)] == [
        "UnreachableError",
        "SettingsError",
        "UnreadableKeyError",
    ]
    assert [result.was_asked for result in (unreachable, without_key, unreadable)] == [
        True,
        False,
        False,
    ]
