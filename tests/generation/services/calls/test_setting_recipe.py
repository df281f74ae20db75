"""The recipe of a setting: its range stands at its column, and everybody has it from there."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from django.core.exceptions import ValidationError

from generation.api.endpoints import OWN_FIELDS, EndpointSerializer
from generation.forms.endpoints import EndpointForm, setting_field
from generation.services.calls.endpoints import EndpointSettings, create_endpoint

pytestmark = pytest.mark.django_db(transaction=True)
GIVEN = {
    "name": "Calm", "base_url": "http://127.0.0.1:9/v1", "model_name": "m", "concurrency": 2,
    "timeout_s": 5,
}  # fmt: skip
TOO_PATIENT = {"patience_s": ["10 is out of range; expected 1 to 9."]}


@dataclass(frozen=True, slots=True, kw_only=True)
class CarefulSettings(EndpointSettings):
    HOSTS: ClassVar[str] = "TEXT_ENDPOINT_HOSTS"

    patience_s: int = 3


@pytest.fixture
def kind(pictures):
    from tests.picture_questions.models import CarefulEndpoint  # noqa: PLC0415 - wants its app

    return CarefulEndpoint


def form_of(kind, **given):
    class CarefulForm(EndpointForm):
        Settings = CarefulSettings

        class Meta:
            model = kind
            fields = CarefulSettings.names()
            formfield_callback = setting_field

    return CarefulForm({**GIVEN, **given})


def body_of(kind, **given):
    class CarefulSerializer(EndpointSerializer):
        Settings = CarefulSettings

        class Meta:
            model = kind
            fields = [*OWN_FIELDS, *CarefulSettings.names()]

    return CarefulSerializer(data={**GIVEN, **given})


def test_form_refuses_values_outside_the_column_and_names_the_range(kind):
    wrong, right = form_of(kind, patience_s=10), form_of(kind, patience_s=9)

    assert wrong.errors == TOO_PATIENT
    assert (right.is_valid(), right.to_settings().patience_s) == (True, 9)
    assert 'min="1" max="9"' in str(right["patience_s"])


def test_api_refuses_values_outside_the_column_and_keeps_its_default(kind):
    wrong, right, silent = body_of(kind, patience_s=10), body_of(kind, patience_s=9), body_of(kind)

    assert (wrong.is_valid(), wrong.errors) == (False, TOO_PATIENT)
    assert right.is_valid()
    assert silent.is_valid()
    assert silent.to_settings(kind()).patience_s == 3


def test_service_refuses_it_for_every_caller(kind, admin_user):
    new = CarefulSettings(**GIVEN, requests_per_minute=None, is_shared=False, patience_s=10)

    with pytest.raises(ValidationError) as refused:
        create_endpoint(endpoint=kind(), new=new, api_key="", actor=admin_user)

    assert refused.value.message_dict == TOO_PATIENT
    assert kind.objects.count() == 0
