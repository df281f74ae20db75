"""Settings of providers of clips, and trying them without paying."""

import logging
from dataclasses import replace
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from annotation.models import AuditEntry
from generation.backends.video.providers.adapters.seedance import Seedance
from generation.backends.video.providers.provider import Prices, Size
from generation.models import VideoEndpoint
from generation.services.calls.endpoints import change_endpoint, create_endpoint
from generation.services.calls.keys import decrypted, encrypted
from generation.services.clips import endpoints
from generation.services.clips.endpoints import (
    VideoEndpointSettings,
    connection_settings,
    try_video_endpoint,
)
from tests.fakes.video_provider_forms import KEPT_CARD
from tests.fakes.video_provider_server import API_KEY, FORMS, SECRET_KEY, VideoProviderServer
from tests.generation.video_endpoints import make_video_endpoint

pytestmark = pytest.mark.django_db
NEW = VideoEndpointSettings(
    name="Clips",
    provider="runway",
    base_url="https://api.dev.runwayml.com/",
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
        NEW, base_url="https://api.dev.runwayml.com", model_name="gen4.5"
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
        (
            {"provider": "kling", "base_url": "https://openrouter.ai", "api_key": "half:"},
            "Half of the key pair of kling is missing",
        ),
        ({"base_url": "https://video.example/v1"}, "only these hosts: openrouter.ai"),
        (
            {"provider": "sora"},
            "sora no longer exists: Sora was shut down on 24 September",
        ),
        ({"provider": "kling", "base_url": ""}, "Kling has no default for this; type it"),
        ({"provider": "openai_videos"}, "Your own server has no default for this; type it"),
        ({"lengths": "4 to 8"}, "'4 to 8' is not a length; expected whole seconds up to 60"),
        ({"lengths": "9-3"}, "'9-3' is not a length"),
        ({"sizes": "1280:720"}, "'1280:720' is not a size; expected width x height in pixels"),
        ({"price_per_second": Decimal(-1)}, "-1 is out of range; expected 0 to 999,999"),
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
    assert (reached.model, reached.job_limit_s) == ("kling-v3-omni", 600.0)


def test_one_key_of_kling_is_sent_as_it_is(administrator):
    endpoint = create(administrator, provider="kling", api_key=API_KEY)

    reached = connection_settings(endpoint)

    headers = endpoint.adapter().headers(reached, 0.0)
    assert headers == {"Authorization": f"Bearer {API_KEY}"}


def test_address_and_model_may_be_left_to_the_provider(owner):
    endpoint = create(owner, provider="openrouter", base_url="")

    assert (endpoint.base_url, endpoint.model_name) == (
        "https://openrouter.ai/api/v1",
        "bytedance/seedance-2.0",
    )
    assert endpoint.fault.startswith("the limits of bytedance/seedance-2.0 are not known yet")


def test_own_server_needs_no_key_and_has_the_typed_limits(administrator):
    with VideoProviderServer("openai_videos", wants_key=False) as server:
        endpoint = create(
            administrator,
            provider="openai_videos",
            base_url=server.url,
            model_name="film",
            api_key="",
            lengths="5, 10-12",
            sizes="832 x 480",
            takes_last_frame=True,
        )
        result = try_video_endpoint(endpoint=endpoint, actor=administrator)

    limits = endpoint.adapter().limits
    assert result.is_ok
    assert limits.clips.offered_s == (5.0, 10.0, 11.0, 12.0)
    assert (limits.sizes, limits.takes_last) == ((Size("832x480", 832, 480),), True)
    assert "authorization" not in server.asked[0].headers


def test_trial_keeps_what_the_service_says_of_the_model(owner):
    with VideoProviderServer("openrouter") as server:
        endpoint = make_video_endpoint(server.url, "openrouter", card={}, price_per_second=None)
        fault = endpoint.fault
        result = try_video_endpoint(endpoint=endpoint, actor=owner)

    stored = VideoEndpoint.objects.get()
    assert "are not known yet" in fault
    assert (result.is_ok, stored.fault, stored.card) == (True, "", KEPT_CARD)
    assert stored.card_read_at is not None
    assert [asked.path for asked in server.asked] == ["/key", "/videos/models"]
    # Silent, at 720p: the most exact of the prices that the service names.
    assert stored.prices == Prices(Decimal("0.10"))
    limits = stored.adapter().limits
    assert (limits.clips.min_s, limits.clips.max_s, limits.takes_last) == (2.0, 8.0, True)
    assert limits.sizes[0] == Size("16:9", 1280, 720)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("maker/film-1", "does not list 'maker/film-1'; it has maker/editor, maker/film-2"),
        ("maker/editor", "maker/editor makes no clips of a chosen length"),
    ],
)
def test_model_that_the_service_lacks_is_reported(owner, model, words):
    with VideoProviderServer("openrouter") as server:
        endpoint = make_video_endpoint(server.url, "openrouter", model_name=model)
        result = try_video_endpoint(endpoint=endpoint, actor=owner)

    assert (result.is_ok, result.error_kind) == (False, "SettingsError")
    assert words in result.error
    assert VideoEndpoint.objects.get().card_read_at is None


def test_trial_of_a_discontinued_model_names_a_successor(owner):
    with VideoProviderServer("seedance") as server:
        retired = "seedance-1-5-pro-251215"
        endpoint = make_video_endpoint(server.url, model_name=retired)
        result = try_video_endpoint(endpoint=endpoint, actor=owner)

    assert result.error == (
        "Seedance no longer has seedance-1-5-pro-251215; use dreamina-seedance-2-0-260128,"
        " which makes 4 to 15 s"
    )


def test_another_host_loses_the_stored_key(administrator):
    endpoint = create(administrator)
    other = replace(NEW, base_url="https://elsewhere.example/v1", model_name="veo3.1")

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
    paths = [asked.path for asked in server.asked if asked.path != "/videos/models"]
    assert paths == [server.forms.free] * 2
    assert server.submitted == []
    for secret in (API_KEY, SECRET_KEY, "right-key"):
        assert secret not in caplog.text


def test_trial_of_a_provider_without_a_free_request_sends_nothing_and_says_so(owner, monkeypatch):
    class Silent(Seedance):
        def free_call(self, model):
            return None

    adapter = endpoints.provider("seedance")
    silent = Silent(
        name="seedance",
        title="Seedance",
        default_model="m",
        limits=adapter.limits,
        places=adapter.places,
        job_path=adapter.job_path,
    )
    monkeypatch.setattr(endpoints, "provider", lambda name: silent)

    result = try_video_endpoint(endpoint=make_video_endpoint(), actor=owner)

    assert (result.is_ok, result.was_asked, result.error) == (False, False, "")


def test_trial_says_what_prevents_an_order(owner, settings):
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
