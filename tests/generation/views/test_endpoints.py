"""The pages of endpoints, as owner, outsider, annotator and administrator."""

from decimal import Decimal

import pytest
from django.urls import reverse

from generation.models import TextEndpoint
from generation.services.calls.keys import decrypted
from tests.fakes.openai_server import OpenAiServer
from tests.generation.text_endpoints import KEY, make_endpoint

FIELDS = {
    "name": "Hosted",
    "base_url": "https://api.openai.com/v1",
    "model_name": "gpt-x",
    "api_style": "responses",
    "api_key": KEY,
    "concurrency": "8",
    "requests_per_minute": "",
    "timeout_s": "60",
    "price_in": "1.25",
    "price_out": "10",
}
PAGES = [("endpoint-detail", "get"), ("endpoint-test", "post"), ("endpoint-delete", "post")]


@pytest.fixture
def endpoint(owner):
    return make_endpoint(owner=owner, timeout_s=1)


def test_section_is_closed_to_annotators(annotator_client):
    answers = [annotator_client.get(reverse(name)) for name in ("endpoints", "endpoint-create")]

    assert [answer.status_code for answer in answers] == [403, 403]


@pytest.mark.parametrize(("name", "method"), PAGES)
def test_endpoint_of_another_is_not_found(
    endpoint, outsider_client, annotator_client, name, method
):
    address = reverse(name, args=[endpoint.public_id])

    answers = [getattr(client, method)(address) for client in (outsider_client, annotator_client)]

    assert [answer.status_code for answer in answers] == [404, 403]


def test_form_speaks_of_a_stored_key_only_where_there_is_one(endpoint, owner_client):
    address = reverse("endpoint-detail", args=[endpoint.public_id])

    new = owner_client.get(reverse("endpoint-create")).content.decode()
    stored = owner_client.get(address).content.decode()

    words = "Leave it empty to keep the stored one."
    assert (words in new, words in stored) == (False, True)


def test_shared_endpoint_is_for_use_and_not_for_change(endpoint, outsider_client):
    TextEndpoint.objects.update(is_shared=True)
    address = reverse("endpoint-detail", args=[endpoint.public_id])

    read, changed = outsider_client.get(address), outsider_client.post(address, FIELDS)

    assert (read.status_code, changed.status_code) == (200, 404)
    assert "Save the settings" not in read.content.decode()
    assert TextEndpoint.objects.get().name == "Local"


def test_form_makes_an_endpoint(owner_client, owner):
    answer = owner_client.post(reverse("endpoint-create"), FIELDS)

    endpoint = TextEndpoint.objects.get()
    assert answer.url == reverse("endpoint-detail", args=[endpoint.public_id])
    assert (endpoint.name, endpoint.owner, endpoint.api_style) == ("Hosted", owner, "responses")
    assert (endpoint.concurrency, endpoint.requests_per_minute) == (8, None)
    assert decrypted(endpoint.encrypted_key) == KEY


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("base_url", "http://intranet/v1", "only these hosts"),
        ("base_url", "nowhere", "not a web address"),
        ("price_out", "", "Give both prices, or neither."),
        ("concurrency", "0", "0 is out of range; expected 1 to 256."),
        ("requests_per_minute", "0", "0 is out of range; expected 1 to 100,000, or nothing."),
        ("price_out", "-3", "-3 is out of range; expected 0 to 999,999, or nothing."),
        ("name", "Local", "already exists"),
    ],
)
def test_form_shows_faults_and_keeps_the_input(endpoint, owner_client, field, value, words):
    answer = owner_client.post(reverse("endpoint-create"), {**FIELDS, field: value})

    shown = answer.content.decode()
    assert words in shown
    assert 'value="gpt-x"' in shown
    assert TextEndpoint.objects.count() == 1


def test_no_page_shows_the_key(endpoint, owner_client):
    pages = [
        owner_client.get(reverse("endpoints")),
        owner_client.get(reverse("endpoint-detail", args=[endpoint.public_id])),
        owner_client.post(reverse("endpoint-create"), {**FIELDS, "base_url": "nowhere"}),
        owner_client.post(
            reverse("endpoint-detail", args=[endpoint.public_id]), {**FIELDS, "concurrency": "0"}
        ),
    ]

    for page in pages:
        shown = page.content.decode()
        assert KEY not in shown
        assert endpoint.encrypted_key not in shown


def test_form_without_a_key_keeps_the_stored_one(endpoint, administrator_client):
    fields = {**FIELDS, "base_url": endpoint.base_url, "api_key": ""}

    administrator_client.post(reverse("endpoint-detail", args=[endpoint.public_id]), fields)

    stored = TextEndpoint.objects.get()
    assert (stored.name, decrypted(stored.encrypted_key)) == ("Hosted", KEY)


def test_form_removes_the_key(endpoint, owner_client):
    fields = {**FIELDS, "base_url": endpoint.base_url, "api_key": "", "removes_key": "on"}

    answer = owner_client.post(
        reverse("endpoint-detail", args=[endpoint.public_id]), fields, follow=True
    )

    assert TextEndpoint.objects.get().encrypted_key == ""
    assert "The stored key was removed" in answer.content.decode()


@pytest.mark.django_db(transaction=True)
def test_trial_shows_the_answer_and_counts_it(owner, owner_client):
    with OpenAiServer([{"do": "answer", "text": '{"word": "ready"}'}]) as server:
        endpoint = make_endpoint(server.url, owner=owner)
        page = owner_client.post(reverse("endpoint-test", args=[endpoint.public_id]))

    shown = page.content.decode()
    assert "It works: gpt-x-2026 answered as expected" in shown
    assert "{&quot;word&quot;: &quot;ready&quot;}" in shown
    assert "1 answered, 0 of them unusable" in shown


def test_trial_shows_why_there_is_no_answer(endpoint, owner_client):
    page = owner_client.post(reverse("endpoint-test", args=[endpoint.public_id]))

    assert "No usable answer: no connection" in page.content.decode()


def test_delete_removes_the_endpoint(endpoint, owner_client):
    answer = owner_client.post(reverse("endpoint-delete", args=[endpoint.public_id]))

    assert answer.url == reverse("endpoints")
    assert TextEndpoint.objects.count() == 0


@pytest.mark.parametrize(("price", "shown"), [("100", "$100 / "), ("0.075", "$0.0750 / ")])
def test_prices_are_shown_as_people_write_them(owner, owner_client, price, shown):
    make_endpoint(owner=owner, price_in=Decimal(price))

    assert shown in owner_client.get(reverse("endpoints")).content.decode()


@pytest.mark.parametrize("count", [1, 3])
def test_list_costs_the_same_number_of_queries(
    owner, owner_client, django_assert_num_queries, count
):
    for number in range(count):
        make_endpoint(name=f"Endpoint {number}", owner=owner)

    with django_assert_num_queries(3):
        owner_client.get(reverse("endpoints"))
