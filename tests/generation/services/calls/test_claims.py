from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from generation.backends.exceptions import BudgetSpentError, ServerFailedError
from generation.backends.text.model import FinishReason, TextAnswer
from generation.models import TextAttempt, TextCall, TextEndpoint
from generation.selectors.texts.calls import text_spending_of
from generation.services.calls.claims import Admitted, Busy, Recorded, Terms, admit
from generation.services.calls.payer import Payer
from generation.services.run_payer import payer_of
from generation.services.texts.asker import TextAsker
from tests.generation.payer_sums import spent_by
from tests.generation.text_endpoints import make_endpoint, question

pytestmark = pytest.mark.django_db
ANSWER = TextAnswer('{"steps": []}', None, "gpt-x-2026", 1000, 100, 0.5, FinishReason.STOP)


def admitted(endpoint, prompt="Name a step.", run_take=None, budget=None):
    asker, request = TextAsker(endpoint), question(prompt)
    payer = Payer(key="command:1", budget=budget)
    if run_take is not None:
        payer = payer_of(run_take, budget)
    terms = Terms(asker.highest_price(request), asker.lease, asker.earlier_outcome)
    return admit(asker.question(request), payer, terms)


def record_answer(claim, endpoint):
    TextAsker(endpoint).send(question(), claim, Answering(ANSWER))


def record_failure(claim, endpoint):
    with pytest.raises(ServerFailedError):
        TextAsker(endpoint).send(question(), claim, Answering(ServerFailedError("HTTP 500")))


class Answering:
    """A model that gives one answer, or none."""

    def __init__(self, answer):
        self.answer = answer

    def complete(self, request, *, hang_up=None):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def let_leases_run_out():
    TextAttempt.objects.update(lease_until=timezone.now() - timedelta(seconds=1))


def test_first_request_is_admitted_and_the_second_waits():
    endpoint = make_endpoint()

    first, second = admitted(endpoint), admitted(endpoint)

    call, attempt = TextCall.objects.get(), TextAttempt.objects.get()
    admitted_first = Admitted(
        TextCall, call.pk, attempt.pk, payer="command:1", reserved=attempt.reserved_price
    )
    assert (first, second) == (admitted_first, Busy())
    assert (call.status, attempt.ended_at) == ("asking", None)


def test_recorded_answer_is_handed_out():
    endpoint = make_endpoint()
    record_answer(admitted(endpoint), endpoint)

    again = admitted(endpoint)

    assert isinstance(again, Recorded)
    assert again.call.text == ANSWER.text
    assert again.call.price == Decimal("0.013")  # 1000 tokens at $10, 100 at $30, per million


def test_no_more_are_at_the_endpoint_than_its_concurrency():
    endpoint = make_endpoint(concurrency=2)

    outcomes = [admitted(endpoint, prompt) for prompt in "abc"]

    assert [type(outcome) for outcome in outcomes] == [Admitted, Admitted, Busy]


def test_place_is_free_again_when_a_request_has_ended():
    endpoint = make_endpoint(concurrency=1)
    record_failure(admitted(endpoint, "a"), endpoint)

    assert isinstance(admitted(endpoint, "b"), Admitted)


def test_no_more_start_in_a_minute_than_the_rate():
    endpoint = make_endpoint(requests_per_minute=2)
    for prompt in "ab":
        record_answer(admitted(endpoint, prompt), endpoint)

    within_the_minute = admitted(endpoint, "c")
    TextAttempt.objects.update(started_at=timezone.now() - timedelta(seconds=61))
    a_minute_later = admitted(endpoint, "c")

    assert (type(within_the_minute), type(a_minute_later)) == (Busy, Admitted)


def test_claim_of_a_dead_process_is_taken_over_and_reported():
    endpoint = make_endpoint(concurrency=1)
    admitted(endpoint)
    let_leases_run_out()

    assert isinstance(admitted(endpoint), Admitted)

    assert [attempt.outcome for attempt in TextAttempt.objects.all()] == ["lost", ""]


def test_late_failure_does_not_replace_an_answer():
    endpoint = make_endpoint()
    late = admitted(endpoint)
    let_leases_run_out()
    record_answer(admitted(endpoint), endpoint)
    spent_before = spent_by("command:1")

    record_failure(late, endpoint)

    assert TextCall.objects.get().status == "answered"
    # That the late one cost nothing is known only now.
    assert (spent_before - late.reserved, spent_by("command:1")) == (Decimal("0.013"),) * 2


def test_prices_finer_than_a_database_keeps_are_summed_as_it_keeps_them():
    # 1000 tokens in and 100 out: 0.000000015 and 0.000000045 US dollars, halves of the last digit.
    for name, price_out in (("A", "0.00005"), ("B", "0.00035")):
        endpoint = make_endpoint(
            name=name, model_name=name, price_in=Decimal("0.00001"), price_out=Decimal(price_out)
        )
        record_answer(admitted(endpoint), endpoint)

    spent = spent_by("command:1")

    assert spent == sum(TextAttempt.objects.values_list("price", flat=True))


def test_budget_admits_no_request_that_could_exceed_it(tea_run):
    endpoint, run_take = make_endpoint(is_shared=True), tea_run.run_takes.first()
    record_answer(admitted(endpoint, "a", run_take), endpoint)
    # 50 tokens out and at most 100 in: 0.0025 is the most that the second can cost.
    enough, too_little = Decimal("0.0155"), Decimal("0.0140")

    with pytest.raises(BudgetSpentError, match=r"\$0\.0130 of it is spent"):
        admitted(endpoint, "b", run_take, too_little)
    assert isinstance(admitted(endpoint, "b", run_take, enough), Admitted)


def test_requests_on_their_way_count_against_the_budget(tea_run):
    endpoint, run_take = make_endpoint(is_shared=True), tea_run.run_takes.first()
    admitted(endpoint, "a", run_take)

    spending = text_spending_of(tea_run)

    assert (spending.price, spending.call_count) == (0, 1)
    assert spending.possible_price == TextAttempt.objects.get().reserved_price > 0
    with pytest.raises(BudgetSpentError):
        admitted(endpoint, "b", run_take, spending.possible_price)


def test_request_that_was_lost_counts_as_possibly_paid(tea_run):
    endpoint, run_take = make_endpoint(is_shared=True), tea_run.run_takes.first()
    admitted(endpoint, "a", run_take)
    let_leases_run_out()
    record_answer(admitted(endpoint, "a", run_take), endpoint)

    spending = text_spending_of(tea_run)

    assert spending.price == Decimal("0.013")
    assert spending.possible_price == TextAttempt.objects.first().reserved_price


def test_budget_cannot_be_kept_without_prices():
    endpoint = make_endpoint(price_in=None, price_out=None)

    with pytest.raises(BudgetSpentError, match="no prices"):
        admitted(endpoint, budget=Decimal(5))


class Noting:
    """Something that is written with claims."""

    def __init__(self):
        self.did = []

    def write(self):
        self.did.append("write")
        TextEndpoint.objects.update(name="renamed with the claim")

    def written(self):
        self.did.append("written")


def claimed_beside(noting, endpoint, **of_payer):
    asker, request = TextAsker(endpoint), question()
    terms = Terms(asker.highest_price(request), asker.lease, asker.earlier_outcome)
    return admit(asker.question(request), Payer(with_claims=noting, **of_payer), terms)


def test_what_is_written_with_a_claim_is_written():
    endpoint, noting = make_endpoint(), Noting()

    assert isinstance(claimed_beside(noting, endpoint), Admitted)

    endpoint.refresh_from_db()
    assert (noting.did, endpoint.name) == (["write", "written"], "renamed with the claim")


@pytest.mark.django_db(transaction=True)
def test_what_is_written_with_a_refused_claim_is_undone_and_not_said_to_be_written():
    endpoint, noting = make_endpoint(), Noting()
    name = endpoint.name

    with pytest.raises(BudgetSpentError):
        claimed_beside(noting, endpoint, key="command:1", budget=Decimal("0.000001"))

    endpoint.refresh_from_db()
    assert set(noting.did) == {"write"}
    assert endpoint.name == name
