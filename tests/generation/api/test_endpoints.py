from decimal import Decimal

import pytest
from rest_framework.test import APIClient

from annotation.models import Role
from generation.models import TextEndpoint
from generation.services.calls.keys import decrypted
from tests.factories import UserFactory
from tests.generation.text_endpoints import KEY, make_endpoint

LIST = "/api/v1/text-endpoints/"


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
        "base_url": "https://api.openai.com/v1/",
        "model_name": "gpt-x",
        "api_key": KEY,
        "price_in": "1.25",
        "price_out": "10",
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
            "base_url": "https://api.openai.com/v1",
            "model_name": "gpt-x",
            "protocol": "openai",
            "api_style": "chat",
            "supports_images": False,
            "takes_temperature": True,
            "reasoning_effort": "",
            "image_detail": "low",
            "concurrency": 4,
            "requests_per_minute": None,
            "timeout_s": 120,
            "price_in": "1.2500",
            "price_out": "10.0000",
            "is_shared": False,
        },
    )
    assert decrypted(TextEndpoint.objects.get().encrypted_key) == KEY


OUT_OF_RANGE = [
    ({"requests_per_minute": 0}, "0 is out of range; expected 1 to 100,000, or nothing."),
    ({"requests_per_minute": -2}, "-2 is out of range; expected 1 to 100,000, or nothing."),
    ({"requests_per_minute": 10**6}, "1000000 is out of range; expected 1 to 100,000, or nothing."),
    ({"concurrency": 0}, "0 is out of range; expected 1 to 256."),
    ({"concurrency": 257}, "257 is out of range; expected 1 to 256."),
    ({"timeout_s": 901}, "901 is out of range; expected 1 to 900."),
    ({"price_in": "-1"}, "-1.0000 is out of range; expected 0 to 999,999, or nothing."),
    ({"price_out": "-0.5"}, "-0.5000 is out of range; expected 0 to 999,999, or nothing."),
]


@pytest.mark.parametrize(("number", "words"), OUT_OF_RANGE)
def test_number_out_of_range_is_reported_with_field_value_and_range(api, researcher, number, words):
    fields = {"name": "H", "base_url": "https://api.openai.com/v1", "model_name": "m"}
    prices = {"price_in": "1", "price_out": "2"}
    endpoint = make_endpoint(owner=researcher)

    added = api.post(LIST, {**fields, **prices, **number}, format="json")
    changed = api.patch(f"{LIST}{endpoint.public_id}/", number, format="json")

    expected = {name: [words] for name in number}
    assert [(answer.status_code, answer.json()) for answer in (added, changed)] == [
        (400, expected),
        (400, expected),
    ]


def test_forbidden_address_is_reported_under_its_field(api):
    fields = {"name": "H", "base_url": "http://intranet/v1", "model_name": "m"}

    faults = api.post(LIST, fields, format="json").json()

    assert list(faults) == ["base_url"]
    assert "only these hosts" in faults["base_url"][0]


def test_one_price_alone_is_no_change(api, researcher):
    address = f"{LIST}{make_endpoint(owner=researcher).public_id}/"

    one, both = (
        api.patch(address, {"price_in": None}, format="json"),
        api.patch(address, {"price_in": None, "price_out": None}, format="json"),
    )

    assert one.json() == {"price_out": ["Give both prices, or neither."]}
    assert (both.status_code, both.json()["price_in"]) == (200, None)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"base_url": "http://intranet/v1"}, "only these hosts"),
        ({"price_in": "1"}, "Give both prices"),
        ({"api_style": "smoke"}, "not a valid choice"),
    ],
)
def test_impossible_input_is_answered_with_400(api, body, words):
    fields = {"name": "H", "base_url": "https://api.openai.com/v1", "model_name": "m", **body}

    answer = api.post(LIST, fields, format="json")

    assert answer.status_code == 400
    assert words in answer.content.decode()


def test_patch_changes_only_the_named_fields(api, researcher):
    endpoint = make_endpoint(owner=researcher, concurrency=9)

    answer = api.patch(f"{LIST}{endpoint.public_id}/", {"name": "New"}, format="json")

    stored = TextEndpoint.objects.get()
    assert (answer.status_code, stored.name, stored.concurrency) == (200, "New", 9)
    assert (stored.price_in, decrypted(stored.encrypted_key)) == (Decimal(10), KEY)


def test_patch_with_an_empty_key_removes_it(api, researcher):
    endpoint = make_endpoint(owner=researcher)

    answer = api.patch(f"{LIST}{endpoint.public_id}/", {"api_key": ""}, format="json")

    assert answer.json()["has_key"] is False


def test_trial_answers_with_what_happened(api, researcher):
    endpoint = make_endpoint(owner=researcher)

    shown = api.post(f"{LIST}{endpoint.public_id}/test/").json()

    assert (shown["is_ok"], shown["error_kind"]) == (False, "ConnectionFailedError")


@pytest.mark.parametrize("count", [1, 3])
def test_list_costs_the_same_number_of_queries(api, researcher, django_assert_num_queries, count):
    for number in range(count):
        make_endpoint(name=f"Endpoint {number}", owner=researcher)

    with django_assert_num_queries(2):
        assert api.get(LIST).json()["count"] == count
