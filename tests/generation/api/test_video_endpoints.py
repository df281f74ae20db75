from decimal import Decimal

import pytest
from rest_framework.test import APIClient

from annotation.models import Role
from generation.models import VideoEndpoint
from generation.services.calls.keys import decrypted
from tests.factories import UserFactory
from tests.fakes.video_provider_server import API_KEY, SECRET_KEY, VideoProviderServer
from tests.generation.video_endpoints import make_video_endpoint

LIST = "/api/v1/video-endpoints/"


@pytest.fixture
def researcher(db):
    return UserFactory(username="owner", role=Role.RESEARCHER)


@pytest.fixture
def api(researcher):
    client = APIClient()
    client.force_authenticate(researcher)
    return client


def test_created_endpoint_answers_with_everything_but_the_key(api):
    body = {
        "name": "Hosted",
        "provider": "runway",
        "base_url": "https://api.dev.runwayml.com/",
        "api_key": API_KEY,
        "price_per_second": "0.1",
    }

    answer = api.post(LIST, body, format="json")

    shown = answer.json()
    for name in ("id", "created_at", "changed_at"):
        shown.pop(name)
    assert (answer.status_code, shown) == (
        201,
        {
            "owner": "owner",
            "has_key": True,
            "name": "Hosted",
            "provider": "runway",
            "base_url": "https://api.dev.runwayml.com",
            "model_name": "gen4.5",
            "concurrency": 2,
            "requests_per_minute": None,
            "timeout_s": 1800,
            "price_per_second": "0.1000",
            "is_shared": False,
            "lengths": "",
            "sizes": "",
            "takes_last_frame": False,
            "fault": "",
            "card_read_at": None,
        },
    )
    assert decrypted(VideoEndpoint.objects.get().encrypted_key) == API_KEY


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"base_url": "http://intranet/v1"}, "only these hosts"),
        ({"provider": "dream"}, "not a valid choice"),
        ({"provider": "kling", "api_key": ":half"}, "Half of the key pair of kling"),
        ({"provider": "sora"}, "not a valid choice"),
        ({"lengths": "long"}, "is not a length; expected whole seconds"),
        ({"timeout_s": 0}, "0 is out of range; expected 1 to 21,600."),
        ({"requests_per_minute": 0}, "0 is out of range; expected 1 to 100,000, or nothing."),
        ({"price_per_second": "-1"}, "-1.0000 is out of range; expected 0 to 999,999, or nothing."),
    ],
)
def test_impossible_input_is_answered_with_400(api, body, words):
    fields = {
        "name": "H",
        "provider": "runway",
        "base_url": "https://api.dev.runwayml.com",
        "api_key": "half",
        **body,
    }

    answer = api.post(LIST, fields, format="json")

    assert answer.status_code == 400
    assert words in answer.content.decode()


def test_patch_changes_only_the_named_fields(api, researcher):
    endpoint = make_video_endpoint(provider="kling", owner=researcher, concurrency=9)

    answer = api.patch(f"{LIST}{endpoint.public_id}/", {"name": "New"}, format="json")

    stored = VideoEndpoint.objects.get()
    assert (answer.status_code, stored.name, stored.concurrency) == (200, "New", 9)
    assert (stored.price_per_second, decrypted(stored.encrypted_key)) == (
        Decimal("0.1"),
        f"{API_KEY}:{SECRET_KEY}",
    )


def test_trial_answers_with_what_happened(api, researcher):
    with VideoProviderServer("runway") as server:
        endpoint = make_video_endpoint(server.url, "runway", owner=researcher)
        good = api.post(f"{LIST}{endpoint.public_id}/test/").json()
    gone = api.post(f"{LIST}{endpoint.public_id}/test/").json()

    assert (good["is_ok"], good["was_asked"], good["error"]) == (True, True, "")
    assert (gone["is_ok"], gone["error_kind"]) == (False, "UnreachableError")


def test_created_endpoint_reads_the_card_of_its_model_at_once(api, settings):
    with VideoProviderServer("openrouter") as server:
        settings.VIDEO_ENDPOINT_HOSTS = [server.url.removeprefix("http://")]
        fields = {"name": "Router", "provider": "openrouter", "base_url": server.url}
        body = {**fields, "model_name": "maker/film-2", "api_key": API_KEY}
        made = api.post(LIST, body, format="json").json()
        other = {"model_name": "maker/editor"}
        changed = api.patch(f"{LIST}{made['id']}/", other, format="json").json()

    assert (made["fault"], made["card_read_at"] is None) == ("", False)
    assert changed["fault"].startswith("the limits of maker/editor are not known yet")


@pytest.mark.parametrize("count", [1, 3])
def test_list_costs_the_same_number_of_queries(api, researcher, django_assert_num_queries, count):
    for number in range(count):
        make_video_endpoint(name=f"Endpoint {number}", owner=researcher)

    with django_assert_num_queries(2):
        assert api.get(LIST).json()["count"] == count
