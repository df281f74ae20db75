"""The recipe of a text protocol: one file in `adapters/`, and an endpoint that names it."""

import pytest
from django.urls import reverse

from generation.backends.text import adapters
from generation.models import TextCall, TextEndpoint
from generation.services.texts.asker import TextAsker
from tests import api_contract
from tests.generation.text_endpoints import make_endpoint, question

pytestmark = pytest.mark.django_db
ADAPTER = """
from generation.backends.text.answers import checked_answer
from generation.backends.text.model import FinishReason, TextAnswer

TITLE = "Echo"


class EchoModel:
    def __init__(self, settings):
        self.settings = settings

    def complete(self, request, *, hang_up=None):
        text = '{"steps": ["%s"]}' % request.prompt
        answer = TextAnswer(text, None, self.settings.model, 1, 2, 0.5, FinishReason.STOP)
        return checked_answer(request, answer)


def build(settings):
    return EchoModel(settings)
"""
FIELDS = {"name": "Echo", "base_url": "http://127.0.0.1:9/v1", "model_name": "parrot",
          "api_style": "chat", "concurrency": 2, "timeout_s": 5}  # fmt: skip


@pytest.fixture
def echo(tmp_path, monkeypatch):
    (tmp_path / "echo.py").write_text(ADAPTER)
    monkeypatch.setattr(adapters, "__path__", [*adapters.__path__, str(tmp_path)])
    api_contract.forget()
    yield
    api_contract.forget()


def test_endpoint_is_asked_in_the_protocol_that_it_names(echo):
    asker = TextAsker(make_endpoint(protocol="echo"))

    answer = asker.ask(question("Get a cup"))

    assert (answer.parsed, answer.model) == ({"steps": ["Get a cup"]}, "gpt-x")
    assert TextCall.objects.get().status == "answered"


def test_another_protocol_is_another_question(echo):
    endpoint = make_endpoint()
    asked = [TextAsker(endpoint).question(question()).key]
    endpoint.protocol = "echo"

    assert TextAsker(endpoint).question(question()).key not in asked


def test_form_and_api_offer_it_and_the_page_says_it(echo, admin_client):
    form = admin_client.get(reverse("endpoint-create")).content.decode()
    admin_client.post(reverse("endpoint-create"), {**FIELDS, "protocol": "echo"})
    by_api = admin_client.post(
        "/api/v1/text-endpoints/", {**FIELDS, "name": "E2", "protocol": "echo"},
        content_type="application/json",
    )  # fmt: skip
    page = admin_client.get(reverse("endpoint-detail", args=[by_api.json()["id"]]))

    assert '<option value="echo">Echo</option>' in form
    assert list(TextEndpoint.objects.values_list("protocol", flat=True)) == ["echo", "echo"]
    assert "· Echo ·" in page.content.decode()


def test_unknown_protocol_is_refused_with_those_there_are(admin_client):
    by_api = admin_client.post(
        "/api/v1/text-endpoints/", {**FIELDS, "protocol": "smoke"}, content_type="application/json"
    )

    assert by_api.status_code == 400
    assert "smoke" in str(by_api.json()["protocol"])
