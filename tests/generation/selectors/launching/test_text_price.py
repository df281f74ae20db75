"""What the writing of a run would take, for plans and for texts without a plan."""

from dataclasses import replace
from decimal import Decimal

import pytest

from generation.engine.planner.profiles import PIEV
from generation.models import TextCall, TextCallStatus
from generation.selectors.launching.sample import RunSample
from generation.selectors.launching.text_price import WritingPrice, price_of_writing
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db


def recorded(endpoint, key, *, seconds, tokens_out, status=TextCallStatus.ANSWERED):
    TextCall.objects.create(
        key=key, endpoint=endpoint, base_url=endpoint.base_url, model_name=endpoint.model_name,
        prompt_version="x", prompt="x", status=status, seconds=seconds, tokens_out=tokens_out,
    )  # fmt: skip


@pytest.mark.parametrize("is_freeform", [False, True])
def test_price_of_writing_has_no_time_without_recorded_answers(tea_dataset, is_freeform):
    endpoint = make_endpoint()

    told = price_of_writing(
        RunSample(tea_dataset.takes.all(), PIEV), endpoint, is_freeform=is_freeform
    )

    assert told.call_count == 3
    assert told.tokens_in > told.tokens_out > 0
    assert told.price == (Decimal(10) * told.tokens_in + Decimal(30) * told.tokens_out) / 1_000_000
    assert told.seconds is None


def test_freeform_text_takes_other_tokens_than_a_planned_one(tea_dataset):
    endpoint, sample = make_endpoint(), RunSample(tea_dataset.takes.all(), PIEV)

    planned = price_of_writing(sample, endpoint)
    free = price_of_writing(sample, endpoint, is_freeform=True)

    # No plan to show, and rows of four fields in place of six.
    assert free.tokens_in < planned.tokens_in
    assert free.tokens_out < planned.tokens_out


@pytest.mark.parametrize("is_freeform", [False, True])
def test_time_is_that_of_the_answers_on_record_as_many_at_once_as_allowed(tea_dataset, is_freeform):
    endpoint = make_endpoint(concurrency=2)
    recorded(endpoint, "a", seconds=3.0, tokens_out=100)
    recorded(endpoint, "b", seconds=1.0, tokens_out=100, status=TextCallStatus.UNUSABLE)
    recorded(endpoint, "c", seconds=60.0, tokens_out=0, status=TextCallStatus.FAILED)
    recorded(make_endpoint(name="Other", model_name="y"), "d", seconds=9.0, tokens_out=1)

    told = price_of_writing(
        RunSample(tea_dataset.takes.all(), PIEV), endpoint, is_freeform=is_freeform
    )

    assert told.seconds == pytest.approx(0.02 * told.tokens_out / 2)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "1 s"), (45.0, "45 s"), (119.0, "119 s"), (120.0, "2 min"), (7_300.0, "2 h")],
)
def test_time_is_shown_in_a_suitable_unit(seconds, text):
    price = WritingPrice(1, 1, 1, None)

    assert replace(price, seconds=seconds).time_text == text
