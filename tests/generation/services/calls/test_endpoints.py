from dataclasses import replace
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.http import Http404

from annotation.models import AuditEntry
from generation.models import TextCall, TextEndpoint
from generation.services.calls.endpoints import (
    change_endpoint,
    create_endpoint,
    delete_endpoint,
    usable_base_url,
)
from generation.services.calls.keys import decrypted
from generation.services.texts.endpoints import TextEndpointSettings
from tests.at_once import raised_after
from tests.generation.text_endpoints import KEY, make_endpoint

HOSTS = "TEXT_ENDPOINT_HOSTS"
NEW = TextEndpointSettings(
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
    endpoint = create_endpoint(endpoint=TextEndpoint(), new=NEW, api_key=f" {KEY}\n", actor=owner)

    stored = TextEndpoint.objects.get()
    assert TextEndpointSettings.of(stored) == replace(NEW, base_url="https://api.openai.com/v1")
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
    endpoint = create_endpoint(endpoint=TextEndpoint(), new=NEW, api_key=KEY, actor=owner)

    changed = replace(TextEndpointSettings.of(endpoint), concurrency=2)
    change_endpoint(endpoint=endpoint, new=changed, api_key=typed, actor=owner)

    stored = TextEndpoint.objects.get()
    assert (stored.concurrency, decrypted(stored.encrypted_key)) == (2, kept)
    assert entries()[-1] == (
        "text_endpoint.change",
        {"changed": {"concurrency": 2}, "key": told},
    )


@pytest.mark.parametrize("key", ["sk-one\r\nX-Evil: 1", "sk-\xe9", "sk\x00"], ids=ascii)
def test_key_that_cannot_be_sent_is_refused(owner, key):
    with pytest.raises(ValidationError, match="paste it again"):
        create_endpoint(endpoint=TextEndpoint(), new=NEW, api_key=key, actor=owner)

    assert not TextEndpoint.objects.exists()


@pytest.mark.parametrize(
    ("base_url", "kept"),
    [
        ("https://api.openai.com/v2", KEY),
        ("https://api.openai.com:8443/v1", ""),
        ("https://evil.example/v1", ""),
    ],
)
def test_another_server_does_not_get_the_stored_key(administrator, base_url, kept):
    endpoint = create_endpoint(endpoint=TextEndpoint(), new=NEW, api_key=KEY, actor=administrator)

    changed = replace(TextEndpointSettings.of(endpoint), base_url=base_url)
    change_endpoint(endpoint=endpoint, new=changed, api_key=None, actor=administrator)

    assert decrypted(TextEndpoint.objects.get().encrypted_key) == kept


def test_what_two_people_change_of_one_endpoint_is_kept(owner):
    of_one = make_endpoint()
    of_another = TextEndpoint.objects.get()

    for endpoint, changed in ((of_one, {"concurrency": 2}), (of_another, {"timeout_s": 90})):
        new = replace(TextEndpointSettings.of(endpoint), **changed)
        change_endpoint(endpoint=endpoint, new=new, api_key=None, actor=owner)

    stored = TextEndpoint.objects.get()
    assert (stored.concurrency, stored.timeout_s) == (2, 90)


def test_a_key_does_not_go_to_the_server_that_somebody_else_has_named_meanwhile(administrator):
    seen = create_endpoint(endpoint=TextEndpoint(), new=NEW, api_key=KEY, actor=administrator)
    before = TextEndpointSettings.of(seen)
    moved = replace(before, base_url="https://evil.example/v1")
    change_endpoint(
        endpoint=TextEndpoint.objects.get(), new=moved, api_key=None, actor=administrator
    )

    with pytest.raises(ValidationError, match=r"has changed it to https://evil\.example/v1"):
        change_endpoint(endpoint=seen, new=before, api_key="sk-new", actor=administrator)

    assert not TextEndpoint.objects.get().has_key


def test_an_endpoint_deleted_meanwhile_is_not_changed_back_into_being_nor_deleted_twice(owner):
    endpoint = make_endpoint()
    old = TextEndpointSettings.of(endpoint)
    delete_endpoint(endpoint=TextEndpoint.objects.get(), old=old, actor=owner)

    changed = replace(old, concurrency=2)
    with pytest.raises(Http404):
        change_endpoint(endpoint=endpoint, new=changed, api_key=None, actor=owner)
    delete_endpoint(endpoint=endpoint, old=old, actor=owner)

    assert not TextEndpoint.objects.exists()
    assert [action for action, _ in entries()] == ["text_endpoint.delete"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")
def test_two_endpoints_that_get_one_name_at_the_same_moment_are_one(owner):
    def create():
        create_endpoint(endpoint=TextEndpoint(), new=NEW, api_key=KEY, actor=owner)

    refused = raised_after(create, create)

    assert isinstance(refused, ValidationError)
    assert list(refused.message_dict) == ["name"]
    assert TextEndpoint.objects.count() == 1


def test_deleted_endpoint_leaves_its_calls(owner):
    endpoint = make_endpoint()
    TextCall.objects.create(key="k", endpoint=endpoint, prompt="Name a step.")

    delete_endpoint(endpoint=endpoint, old=TextEndpointSettings.of(endpoint), actor=owner)

    assert TextEndpoint.objects.count() == 0
    assert TextCall.objects.values_list("prompt", "endpoint").get() == ("Name a step.", None)
    assert entries()[0][0] == "text_endpoint.delete"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://api.openai.com/v1", "not a web address"),
        ("file:///etc/passwd", "not a web address"),
        ("api.openai.com/v1", "not a web address"),
        ("https://", "not a web address"),
        ("https://key@api.openai.com/v1", "user name or password"),
        ("https://api.openai.com/v1?key=1", "contains a"),
        ("https://api.openai.com:99999/v1", "not an address"),
        ("http://169.254.169.254/latest", "link-local"),
        ("http://2852039166/latest", "link-local"),
        ("http://[::ffff:169.254.169.254]/", "link-local"),
        ("http://[fe80::1]/v1", "link-local"),
        ("https://api.op\nenai.com/v1", "a space or a line break"),
        ("https://api.openai.com/v 1", "a space or a line break"),
    ],
)
def test_address_that_is_none_is_refused_to_everybody(administrator, url, words):
    with pytest.raises(ValidationError, match=words):
        usable_base_url(url, administrator, HOSTS)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000/v1", "http://intranet/v1", "https://api.openai.com:444/v1"]
)
def test_host_that_is_not_listed_is_for_administrators(owner, administrator, url):
    with pytest.raises(ValidationError, match=r"only these hosts: api\.openai\.com"):
        usable_base_url(url, owner, HOSTS)

    assert usable_base_url(url, administrator, HOSTS) == url


@pytest.mark.parametrize(
    ("hosts", "url"),
    [
        (["api.openai.com"], "http://api.openai.com/v1"),
        (["8.8.8.8"], "http://8.8.8.8/v1"),
        (["8.8.8.8:8000"], "http://8.8.8.8:8000/v1"),
        (["134744072"], "http://134744072/v1"),
        (["[2001:4860:4860::8888]", "2001:4860:4860::8888"], "http://[2001:4860:4860::8888]/v1"),
        (["nowhere.invalid"], "http://nowhere.invalid/v1"),
    ],
)
@pytest.mark.parametrize("setting", [HOSTS, "VIDEO_ENDPOINT_HOSTS"])
def test_key_goes_over_the_internet_only_encrypted(owner, settings, setting, hosts, url):
    setattr(settings, setting, hosts)

    with pytest.raises(ValidationError, match="is on the internet, where http:// shows the key"):
        usable_base_url(url, owner, setting)

    encrypted_url = url.replace("http://", "https://")
    setattr(settings, setting, [*hosts, "8.8.8.8:8000"])
    assert usable_base_url(encrypted_url, owner, setting) == encrypted_url


@pytest.mark.parametrize(
    ("hosts", "url"),
    [
        (["127.0.0.1:8000"], "http://127.0.0.1:8000/v1"),
        (["localhost"], "http://localhost/v1"),
        (["10.1.2.3"], "http://10.1.2.3/v1"),
        (["192.168.1.20:8000"], "http://192.168.1.20:8000/v1"),
        (["vllm:8000"], "http://vllm:8000/v1"),
        (["http://8.8.8.8"], "http://8.8.8.8/v1"),
        (["http://models.example:8000"], "http://models.example:8000/v1"),
    ],
)
def test_unencrypted_addresses_are_in_the_own_network_or_allowed_by_administrators(
    owner, settings, hosts, url
):
    settings.TEXT_ENDPOINT_HOSTS = hosts

    assert usable_base_url(url, owner, HOSTS) == url


def test_entry_with_http_does_not_allow_https(owner, settings):
    settings.TEXT_ENDPOINT_HOSTS = ["http://models.example"]

    with pytest.raises(ValidationError, match="only these hosts"):
        usable_base_url("https://models.example/v1", owner, HOSTS)


def test_listed_host_is_for_researchers_too(owner, settings):
    settings.TEXT_ENDPOINT_HOSTS = ["127.0.0.1:8000"]

    assert (
        usable_base_url(" http://127.0.0.1:8000/v1/ ", owner, HOSTS) == "http://127.0.0.1:8000/v1"
    )
