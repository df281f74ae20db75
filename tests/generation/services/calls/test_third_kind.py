"""A kind of calls that the core was not written for, and a payer that is no run."""

from dataclasses import replace
from decimal import Decimal

import pytest

from generation.backends.exceptions import (
    BudgetSpentError,
    CancelledError,
    NotAllowedError,
    RejectedError,
)
from generation.selectors.calls.spending import Spending, paid_by, spending_of
from generation.services.calls.payer import Payer
from generation.services.texts.asker import TextAsker
from tests.fakes.openai_server import OpenAiServer
from tests.generation.payer_sums import spent_by
from tests.generation.text_endpoints import make_endpoint, question

pytestmark = pytest.mark.django_db(transaction=True)


class Grader:
    """Gives another grade every time that it is asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, request):
        self.asked.append(request)
        return len(self.asked)


def survey(part=1, **changes):
    return Payer(key="survey:cups", part=part, name="the survey of cups", **changes)


def asker_of(pictures, payer=None, **endpoint):
    return pictures.PictureAsker(
        make_endpoint(name="Eyes", **endpoint), payer or survey(), grader=Grader()
    )


def spending_on(pictures, **part):
    tables = paid_by(pictures.PictureCall, "survey:cups", **part)
    return Spending(**spending_of(*tables))


def test_same_question_is_paid_once_and_a_repeat_has_another_answer(pictures):
    asker = asker_of(pictures)

    once, again, third, third_again = (
        asker.ask(pictures.PictureQuestion("a", repeat=repeat)) for repeat in (0, 0, 2, 2)
    )

    assert (once, again, third, third_again) == (1, 1, 2, 2)
    assert len(asker.grader.asked) == 2


def test_cost_of_all_answers_and_price_of_paid_ones_are_apart(pictures):
    asker = asker_of(pictures)
    asker.ask(pictures.PictureQuestion("a"))
    other = replace(asker, payer=survey(part=2))

    for picture in "ab":
        other.ask(pictures.PictureQuestion(picture))

    spent = spending_on(pictures, part=2)
    assert (spent.call_count, spent.read_count) == (1, 1)
    assert (spent.cost, spent.price) == (Decimal(1), Decimal("0.5"))
    assert spending_on(pictures).price == spent_by("survey:cups") == Decimal(1)


def test_budget_is_kept_over_kinds(pictures):
    payer = survey(budget=Decimal("0.501"))
    pictured = asker_of(pictures, payer)
    with OpenAiServer([{"do": "answer", "text": '{"steps": []}'}]) as server:
        texts = TextAsker(make_endpoint(server.url), payer)
        pictured.ask(pictures.PictureQuestion("a"))

        with pytest.raises(BudgetSpentError, match=r"\$0\.5000 of it is spent"):
            texts.ask(question())

        assert server.asked == []


def test_places_at_an_endpoint_are_counted_over_kinds(pictures):
    pictured = asker_of(pictures, requests_per_minute=1)
    pictured.ask(pictures.PictureQuestion("a"))
    waited = []

    def check():
        if len(waited) > 2:
            raise CancelledError("waited long enough")

    with pytest.raises(CancelledError):
        TextAsker(pictured.endpoint, Payer(check=check), sleep=waited.append).ask(question())

    assert len(waited) == 3


def test_call_that_the_payer_does_not_allow_is_refused(pictures):
    asker = asker_of(pictures, survey(may_ask=lambda endpoint: False))

    with pytest.raises(NotAllowedError):
        asker.ask(pictures.PictureQuestion("a"))

    assert pictures.PictureCall.objects.count() == 0


def test_failure_is_recorded_with_its_outcome_and_asked_again(pictures):
    asker = asker_of(pictures)

    def reject(request):
        raise RejectedError("no pictures here")

    with pytest.raises(RejectedError):
        replace(asker, grader=reject).ask(pictures.PictureQuestion("a"))
    failed = pictures.PictureCall.objects.get()

    assert asker.ask(pictures.PictureQuestion("a")) == 1
    assert (failed.status, failed.error_kind, failed.error) == (
        "failed", "rejected", "no pictures here",
    )  # fmt: skip
    assert spent_by("survey:cups") == Decimal("0.5")
