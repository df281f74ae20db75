from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import connection
from django.db.models import DateTimeField, JSONField
from django.utils import timezone

from benchmarks.models import Answer
from generation.models import TextAttempt, TextCall
from generation.services.calls.plain_rows import ADAPTED, UNCHANGED, insert_row, update_row
from tests.generation.text_endpoints import SCHEMA, make_endpoint

pytestmark = pytest.mark.django_db


def fields_of(call):
    told = TextCall.objects.values().get(pk=call)
    return {name: value for name, value in told.items() if name not in {"id", "key", "created_at"}}


def new_call(key):
    return {
        "key": key,
        "endpoint": make_endpoint(name=key),
        "base_url": "http://127.0.0.1:9/v1",
        "model_name": "gpt-x",
        "prompt_version": "test.v1",
        "prompt": "Name a step: 100% “quoted” \\ and 'so'.",
        "schema": SCHEMA,
        "parameters": {"temperature": None},
        "status": "asking",
        "price": Decimal("0.00000001"),
        "finished_at": datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC),
    }


def written_call(key):
    call = new_call(key)
    return insert_row(TextCall, {**call, "endpoint": call["endpoint"].pk})


def test_plain_row_reads_back_as_one_that_the_orm_wrote():
    plain = written_call("plain")
    row = TextCall.objects.create(**new_call("orm"))

    written, wanted = fields_of(plain), fields_of(row.pk)
    assert {**written, "endpoint_id": None} == {**wanted, "endpoint_id": None}
    assert TextCall.objects.get(pk=plain).created_at <= row.created_at


def test_change_touches_the_fields_that_it_names_and_no_other_row():
    first, second = written_call("a"), written_call("b")
    before = fields_of(second)

    update_row(TextCall, first, {"status": "answered", "price": None, "parameters": {"sample": 1}})

    changed = fields_of(first)
    assert (changed["status"], changed["price"], changed["parameters"]) == (
        "answered",
        None,
        {"sample": 1},
    )
    assert changed["prompt"] == new_prompt()
    assert fields_of(second) == before


def new_prompt():
    return "Name a step: 100% “quoted” \\ and 'so'."


@pytest.mark.parametrize("model", [TextCall, TextAttempt])
def test_what_is_not_prepared_is_what_the_orm_leaves_as_it_is(model):
    for field in model._meta.concrete_fields:
        kind = UNCHANGED.get(type(field))
        values = [None, *(it for it in ("words", 3, True, 0.5) if type(it) is kind)]

        assert [field.get_db_prep_save(it, connection) for it in values] == values


@pytest.mark.parametrize("model", [TextCall, TextAttempt, Answer])
def test_what_is_adapted_at_once_is_what_the_field_would_make_of_it(model):
    values = {
        DateTimeField: [datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC), timezone.now()],
        JSONField: [{}, [], {"step": ["1", 2.5, None, "grüß"]}, "words", 3],
    }
    for field in model._meta.concrete_fields:
        for value in values.get(type(field), []):
            made = ADAPTED[type(field)](connection.ops, value)
            assert str(made) == str(field.get_db_prep_save(value, connection))
    assert set(values) == set(ADAPTED)
