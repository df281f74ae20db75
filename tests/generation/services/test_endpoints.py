from dataclasses import replace
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from annotation.models import AuditEntry
from generation.models import TextCall, TextEndpoint
from generation.services.endpoint_keys import decrypted
from generation.services.endpoints import (
    EndpointSettings,
    change_endpoint,
    create_endpoint,
    delete_endpoint,
    settings_of,
    try_endpoint,
    usable_base_url,
)
from tests.fakes.openai_server import OpenAiServer
from tests.generation.text_endpoints import KEY, make_endpoint

NEW = EndpointSettings(
    name="Hosted",
    base_url="https://api.openai.com/v1/",
    model_name="gpt-x",
    api_style="chat",
    supports_images=True,
    takes_temperature=False,
    concurrency=8,
    requests_per_minute=500,
    timeout_s=60,
    price_in=Decimal("1.25"),
    price_out=Decimal(10),
    is_shared=False,
)


def entries():
    return [(entry.action, entry.detail) for entry in AuditEntry.objects.order_by("pk")]


def test_created_endpoint_keeps_its_settings_and_its_key_apart(owner):
    endpoint = create_endpoint(new=NEW, api_key=f" {KEY}\n", actor=owner)

    stored = TextEndpoint.objects.get()
    assert settings_of(stored) == replace(NEW, base_url="https://api.openai.com/v1")
    assert decrypted(stored.encrypted_key) == KEY
    assert stored.owner == owner
    ((action, detail),) = entries()
    assert (action, detail["has_key"]) == ("text_endpoint.create", True)
    assert KEY not in str(detail)
    assert endpoint.encrypted_key not in str(detail)


@pytest.mark.parametrize(
    ("typed", "kept", "told"),
    [(None, KEY, "kept"), ("", "", "removed"), ("sk-new", "sk-new", "set")],
)
def test_key_is_kept_removed_or_replaced(owner, typed, kept, told):
    endpoint = create_endpoint(new=NEW, api_key=KEY, actor=owner)

    changed = replace(settings_of(endpoint), concurrency=2)
    change_endpoint(endpoint=endpoint, new=changed, api_key=typed, actor=owner)

    stored = TextEndpoint.objects.get()
    assert (stored.concurrency, decrypted(stored.encrypted_key)) == (2, kept)
    assert entries()[-1] == (
        "text_endpoint.change",
        {"changed": {"concurrency": 2}, "key": told},
    )


@pytest.mark.parametrize(
    ("base_url", "kept"),
    [
        ("https://api.openai.com/v2", KEY),
        ("https://api.openai.com:8443/v1", ""),
        ("https://evil.example/v1", ""),
    ],
)
def test_another_server_does_not_get_the_stored_key(administrator, base_url, kept):
    endpoint = create_endpoint(new=NEW, api_key=KEY, actor=administrator)

    changed = replace(settings_of(endpoint), base_url=base_url)
    change_endpoint(endpoint=endpoint, new=changed, api_key=None, actor=administrator)

    assert decrypted(TextEndpoint.objects.get().encrypted_key) == kept


def test_deleted_endpoint_leaves_its_calls(owner):
    endpoint = make_endpoint()
    TextCall.objects.create(key="k", endpoint=endpoint, prompt="Name a step.")

    delete_endpoint(endpoint=endpoint, actor=owner)

    assert TextEndpoint.objects.count() == 0
    assert TextCall.objects.values_list("prompt", "endpoint").get() == ("Name a step.", None)
    assert entries()[0][0] == "text_endpoint.delete"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://api.openai.com/v1", "no web address"),
        ("file:///etc/passwd", "no web address"),
        ("api.openai.com/v1", "no web address"),
        ("https://", "no web address"),
        ("https://key@api.openai.com/v1", "user name or password"),
        ("https://api.openai.com/v1?key=1", "holds a"),
        ("https://api.openai.com:99999/v1", "no address"),
        ("http://169.254.169.254/latest", "link-local"),
        ("http://[fe80::1]/v1", "link-local"),
    ],
)
def test_address_that_is_none_is_refused_to_everybody(administrator, url, words):
    with pytest.raises(ValidationError, match=words):
        usable_base_url(url, administrator)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000/v1", "http://intranet/v1", "https://api.openai.com:444/v1"]
)
def test_host_that_is_not_listed_is_for_administrators(owner, administrator, url):
    with pytest.raises(ValidationError, match=r"these hosts only: api\.openai\.com"):
        usable_base_url(url, owner)

    assert usable_base_url(url, administrator) == url


def test_listed_host_is_for_researchers_too(owner, settings):
    settings.TEXT_ENDPOINT_HOSTS = ["127.0.0.1:8000"]

    assert usable_base_url(" http://127.0.0.1:8000/v1/ ", owner) == "http://127.0.0.1:8000/v1"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("act", "told"),
    [
        ({"do": "answer", "text": '{"word": "Ready."}'}, ("", "")),
        (
            {"do": "answer", "text": '{"word": "banana"}'},
            ("WrongContent", 'the model should have said "ready"'),
        ),
        (
            {"do": "echo_key"},
            ("RejectedError", "HTTP 401: Incorrect API key: Bearer [key]"),
        ),
        ({"do": "server_error"}, ("ServerFailedError", "HTTP 500: The server had an error")),
    ],
)
def test_trial_says_what_happened_after_one_request(owner, act, told):
    with OpenAiServer([act]) as server:
        result = try_endpoint(endpoint=make_endpoint(server.url), actor=owner)

    assert (result.error_kind, result.error) == told
    assert result.is_ok is (told == ("", ""))
    assert len(server.asked) == 1


@pytest.mark.django_db(transaction=True)
def test_trial_asks_anew_each_time(owner):
    with OpenAiServer([{"do": "answer", "text": '{"word": "ready"}'}]) as server:
        endpoint = make_endpoint(server.url)
        results = [try_endpoint(endpoint=endpoint, actor=owner).is_ok for _ in range(2)]

    assert (results, len(server.asked)) == ([True, True], 2)


@pytest.mark.django_db(transaction=True)
def test_trial_with_a_key_of_another_secret_says_so(owner, settings):
    endpoint = make_endpoint()
    settings.SECRET_KEY = "another"

    result = try_endpoint(endpoint=endpoint, actor=owner)

    assert result.error_kind == "UnreadableKeyError"
