"""The pages of providers of clips: what they share with text models is tested there."""

from decimal import Decimal

import pytest
from django.urls import reverse

from generation.models import ClipAttempt, ClipCall, VideoEndpoint
from generation.services.calls.keys import decrypted
from tests.fakes.video_provider_server import API_KEY, SECRET_KEY, VideoProviderServer
from tests.generation.video_endpoints import make_video_endpoint

FIELDS = {
    "name": "Hosted",
    "provider": "runway",
    "base_url": "https://api.dev.runwayml.com",
    "model_name": "",
    "api_key": API_KEY,
    "concurrency": "2",
    "requests_per_minute": "",
    "timeout_s": "600",
    "price_per_second": "0.1",
}
PAGES = [
    ("video-endpoint-detail", "get"),
    ("video-endpoint-test", "post"),
    ("video-endpoint-delete", "post"),
]


@pytest.fixture
def endpoint(owner):
    return make_video_endpoint(owner=owner)


@pytest.mark.parametrize(("name", "method"), PAGES)
def test_endpoint_of_another_is_not_found(
    endpoint, outsider_client, annotator_client, name, method
):
    address = reverse(name, args=[endpoint.public_id])

    answers = [getattr(client, method)(address) for client in (outsider_client, annotator_client)]

    assert [answer.status_code for answer in answers] == [404, 403]


def test_shared_endpoint_is_for_use_and_not_for_change(endpoint, outsider_client):
    VideoEndpoint.objects.update(is_shared=True)
    address = reverse("video-endpoint-detail", args=[endpoint.public_id])

    read, changed = outsider_client.get(address), outsider_client.post(address, FIELDS)

    assert (read.status_code, changed.status_code) == (200, 404)
    assert "Save the settings" not in read.content.decode()


def test_form_makes_an_endpoint_with_the_adapters_model(owner_client, owner):
    answer = owner_client.post(reverse("video-endpoint-create"), FIELDS)

    endpoint = VideoEndpoint.objects.get()
    assert answer.url == reverse("video-endpoint-detail", args=[endpoint.public_id])
    assert (endpoint.name, endpoint.owner, endpoint.model_name) == ("Hosted", owner, "gen4.5")
    assert (endpoint.timeout_s, endpoint.price_per_second) == (600, Decimal("0.1"))
    assert decrypted(endpoint.encrypted_key) == API_KEY


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("base_url", "http://intranet/v1", "only these hosts"),
        ("api_key", "clé", "The key contains a line break or a character that no key has"),
        ("lengths", "some", "is not a length; expected whole seconds"),
        ("sizes", "1x1", "is not a size; expected width x height"),
        ("provider", "dream", "Select a valid choice"),
        ("concurrency", "0", "0 is out of range; expected 1 to 256."),
        ("timeout_s", "999999", "999999 is out of range; expected 1 to 21,600."),
        ("price_per_second", "-1", "-1 is out of range; expected 0 to 999,999, or nothing."),
        ("name", "Clips", "already exists"),
    ],
)
def test_form_shows_faults_and_keeps_the_input(endpoint, owner_client, field, value, words):
    fields = {**FIELDS, "model_name": "gen9", field: value}

    shown = owner_client.post(reverse("video-endpoint-create"), fields).content.decode()

    assert words in shown
    assert 'value="gen9"' in shown
    assert VideoEndpoint.objects.count() == 1


def test_no_page_shows_a_key(owner, owner_client):
    endpoint = make_video_endpoint(provider="kling", owner=owner)
    pages = [
        owner_client.get(reverse("video-endpoints")),
        owner_client.get(reverse("video-endpoint-detail", args=[endpoint.public_id])),
        owner_client.post(reverse("video-endpoint-create"), {**FIELDS, "base_url": "nowhere"}),
        owner_client.post(
            reverse("video-endpoint-detail", args=[endpoint.public_id]),
            {**FIELDS, "concurrency": "0"},
        ),
        owner_client.post(reverse("video-endpoint-test", args=[endpoint.public_id])),
    ]

    for page in pages:
        shown = page.content.decode()
        for secret in (API_KEY, SECRET_KEY, endpoint.encrypted_key):
            assert secret not in shown


@pytest.mark.parametrize(
    ("provider", "words"),
    [("seedance", "accepts the key"), ("runway", "accepts the key")],
)
def test_trial_says_that_the_key_is_taken_and_orders_nothing(owner, owner_client, provider, words):
    with VideoProviderServer(provider) as server:
        endpoint = make_video_endpoint(server.url, provider, owner=owner)
        page = owner_client.post(reverse("video-endpoint-test", args=[endpoint.public_id]))

    assert words in page.content.decode()
    assert server.submitted == []


def test_trial_says_why_there_is_no_answer(endpoint, owner_client):
    page = owner_client.post(reverse("video-endpoint-test", args=[endpoint.public_id]))

    assert "The check failed: no connection" in page.content.decode()


def test_page_says_what_was_ordered_and_what_it_cost(endpoint, owner_client):
    fields = {"endpoint": endpoint, "provider": "seedance", "duration_s": 5}
    made = ClipCall.objects.create(key="a", status="made", path="clips/a.mp4", **fields)
    lost = ClipCall.objects.create(key="b", status="unclear", **fields)
    times = dict.fromkeys(("started_at", "lease_until", "ended_at"), "2026-01-01T00:00Z")
    reserved = {"endpoint": endpoint, "reserved_price": Decimal("0.5"), **times}
    ClipAttempt.objects.create(call=made, price=Decimal("0.5"), **reserved)
    ClipAttempt.objects.create(call=lost, outcome="lost", **reserved)

    shown = owner_client.get(
        reverse("video-endpoint-detail", args=[endpoint.public_id])
    ).content.decode()

    assert "1 made, 1 failed" in shown
    assert shown.count("<b>$0.50</b>") == 2


def test_form_removes_the_key_and_delete_the_endpoint(endpoint, owner_client):
    address = reverse("video-endpoint-detail", args=[endpoint.public_id])
    fields = {**FIELDS, "base_url": endpoint.base_url, "api_key": "", "removes_key": "on"}

    owner_client.post(address, fields)
    key = VideoEndpoint.objects.get().encrypted_key
    answer = owner_client.post(reverse("video-endpoint-delete", args=[endpoint.public_id]))

    assert (key, answer.url) == ("", reverse("video-endpoints"))
    assert VideoEndpoint.objects.count() == 0


def test_form_starts_with_the_usual_provider_and_says_who_may_keep_footage(owner_client):
    shown = owner_client.get(reverse("video-endpoint-create")).content.decode()

    assert '<option value="openrouter" selected>OpenRouter</option>' in shown
    assert "may keep what is sent" in shown


def test_new_endpoint_shows_what_the_service_says_that_it_makes(owner_client, settings):
    with VideoProviderServer("openrouter") as server:
        settings.VIDEO_ENDPOINT_HOSTS = [server.url.removeprefix("http://")]
        fields = {**FIELDS, "provider": "openrouter", "base_url": server.url}
        fields |= {"model_name": "maker/film-2", "price_per_second": ""}
        page = owner_client.post(reverse("video-endpoint-create"), fields, follow=True)

    shown = " ".join(page.content.decode().split())
    assert "Clips of 2 to 8 s; starts from a first and ends at a last frame" in shown
    assert "in 16:9, 9:16, 1:1." in shown
    assert "$0.1000 per second of clip, as the service says" in shown
    assert "As the service said on " in shown
    assert "may keep prompts and frames (no zero retention)" in shown
    assert server.submitted == []


def test_limits_that_cannot_be_read_are_reported_and_the_endpoint_kept(owner_client, settings):
    settings.VIDEO_ENDPOINT_HOSTS = ["127.0.0.1:9"]
    fields = {**FIELDS, "provider": "openrouter", "base_url": "http://127.0.0.1:9"}

    page = owner_client.post(reverse("video-endpoint-create"), fields, follow=True)

    shown = page.content.decode()
    assert "The limits of its model could not be read: no connection" in shown
    assert "No clip can be ordered here: the limits of bytedance/seedance-2.0 are not" in shown
    assert VideoEndpoint.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"provider": "veo"}, "the provider veo no longer exists"),
        ({"model_name": "seedance-1-5-pro-251215"}, "use dreamina-seedance-2-0-260128"),
        (
            {"provider": "openai_videos", "base_url": "https://api.openai.com/v1"},
            "OpenAI shut down its video models",
        ),
        ({"provider": "runway", "model_name": "gen3a_turbo"}, "Runway no longer has gen3a_turbo"),
    ],
    ids=str,
)
def test_pages_of_a_kept_endpoint_whose_model_is_gone_say_what_to_do(
    endpoint, owner_client, changes, words
):
    VideoEndpoint.objects.update(**changes)

    detail = owner_client.get(reverse("video-endpoint-detail", args=[endpoint.public_id]))
    listed = owner_client.get(reverse("video-endpoints")).content.decode()

    assert words in detail.content.decode()
    assert "cannot be used now" in listed


def test_discontinued_provider_is_not_replaced_silently(endpoint, owner_client):
    VideoEndpoint.objects.update(provider="veo")
    address = reverse("video-endpoint-detail", args=[endpoint.public_id])
    page = owner_client.get(address).content.decode()
    fields = {**FIELDS, "provider": "", "base_url": endpoint.base_url}

    refused = owner_client.post(address, fields)

    assert '<option value="">Choose a provider</option>' in page
    assert " selected>OpenRouter" not in page
    assert (refused.status_code, VideoEndpoint.objects.get().provider) == (400, "veo")


def test_settings_of_a_server_of_ones_own_are_in_sight_where_it_has_some(owner, owner_client):
    plain = make_video_endpoint(owner=owner)
    own = make_video_endpoint(provider="openai_videos", name="Own", owner=owner)

    pages = [
        owner_client.get(reverse("video-endpoint-detail", args=[it.public_id])).content.decode()
        for it in (plain, own)
    ]

    assert ["<details open>" in page for page in pages] == [False, True]


@pytest.mark.parametrize("count", [1, 3])
def test_list_costs_the_same_number_of_queries(
    owner, owner_client, django_assert_num_queries, count
):
    for number in range(count):
        make_video_endpoint(name=f"Endpoint {number}", owner=owner)

    with django_assert_num_queries(3):
        owner_client.get(reverse("video-endpoints"))
