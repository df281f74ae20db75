"""A command's money: reserved before a request goes out, paid by what came back."""

import math
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from django.db import connection

from generation.backends.exceptions import BudgetSpentError, ServerFailedError
from generation.backends.retrying import RetryPolicy
from generation.backends.text.exceptions import NoAnswerInTimeError, NotJsonError
from generation.selectors.texts.calls import highest_price
from generation.services.texts.command_budget import CommandBudget
from tests.fakes.openai_server import OpenAiServer
from tests.generation import payer_sums
from tests.generation.text_endpoints import make_endpoint, question

pytestmark = pytest.mark.django_db(transaction=True)
GOOD = {"do": "answer", "text": '{"steps": ["Get a bowl"]}'}
ONCE = RetryPolicy(max_attempts=1)
COST = Decimal("0.0021")  # 120 tokens at $10 and 30 at $30, per million


@pytest.fixture
def server():
    with OpenAiServer([GOOD]) as running:
        yield running


def asker(server, most, **changes):
    endpoint = make_endpoint(server.url, **changes)
    budget = CommandBudget(None if most is None else Decimal(most))
    return budget, budget.asking(endpoint, ONCE), endpoint


def spent_by(budget):
    return payer_sums.spent_by(budget.payer.key)


def test_spending_equals_the_cost_of_the_answers(server):
    budget, ask, _ = asker(server, "1")

    for number in range(3):
        ask(question(f"Step {number}"))

    assert spent_by(budget) == 3 * COST


def test_request_that_may_exceed_the_budget_is_not_sent(server):
    _, ask, endpoint = asker(server, "1")
    most = highest_price(endpoint, question("Step 0"))
    budget = CommandBudget(most + COST / 2)
    ask = budget.asking(endpoint, ONCE)
    ask(question("Step 0"))

    with pytest.raises(BudgetSpentError, match=r"\$0\.0021 of it is spent"):
        ask(question("Step 1"))

    assert len(server.asked) == 1


def test_recorded_answers_are_free(server):
    _, ask, endpoint = asker(server, "1")
    ask(question())
    again = CommandBudget(Decimal("0.000001"))

    answer = again.asking(endpoint, ONCE)(question())

    assert (answer.text, spent_by(again), len(server.asked)) == (GOOD["text"], 0, 1)


@pytest.mark.parametrize(
    ("act", "error", "is_charged"),
    [("not_json", NotJsonError, "answer"), ("server_error", ServerFailedError, "nothing")],
)
def test_failures_cost_what_the_server_charges(server, act, error, is_charged):
    server.acts = [{"do": act}]
    budget, ask, _ = asker(server, "1")

    with pytest.raises(error):
        ask(question())

    assert spent_by(budget) == (COST if is_charged == "answer" else 0)


def test_abandoned_answer_counts_as_paid(server):
    server.latency_s = 30
    budget, ask, endpoint = asker(server, "1", timeout_s=1)

    with pytest.raises(NoAnswerInTimeError):
        ask(question())

    assert spent_by(budget) == highest_price(endpoint, question())


def test_requests_on_their_way_count(server):
    server.most_answered, stopped = 0, []
    _, _, endpoint = asker(server, "1", timeout_s=120)
    budget = CommandBudget(highest_price(endpoint, question("Step 0")) * Decimal("2.5"))
    ask = budget.asking(endpoint, ONCE)

    def outcome(number):
        try:
            ask(question(f"Step {number}"))
        except BudgetSpentError:
            stopped.append(number)
            # Both others are on their way, and their answers have not told what they really cost.
            if len(stopped) == 2:
                server.most_answered = math.inf
            return "stopped"
        finally:
            connection.close()
        return "answered"

    with ThreadPoolExecutor(4) as pool:
        outcomes = sorted(pool.map(outcome, range(4)))

    assert outcomes == ["answered", "answered", "stopped", "stopped"]
    assert spent_by(budget) == 2 * COST


def test_threads_that_ask_at_once_never_spend_more_than_the_budget(server):
    _, _, endpoint = asker(server, "1", concurrency=16)
    # Each can cost more than it does.
    most = highest_price(endpoint, question("Step 10", max_tokens=200))
    budget = CommandBudget(most + 7 * COST)
    ask = budget.asking(endpoint, ONCE)

    def is_answered(number):
        try:
            ask(question(f"Step {number}", max_tokens=200))
        except BudgetSpentError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(16) as pool:
        answered_count = sum(pool.map(is_answered, range(10, 58)))

    assert spent_by(budget) == answered_count * COST <= budget.payer.budget
    # How many are refused while others are on their way depends on who comes first.
    assert 1 <= answered_count <= 8


def test_budget_needs_prices(server):
    _, ask, _ = asker(server, "1", price_in=None, price_out=None)

    with pytest.raises(BudgetSpentError, match="no prices"):
        ask(question())


def test_command_without_a_budget_needs_no_prices(server):
    budget, ask, _ = asker(server, None, price_in=None, price_out=None)

    assert ask(question()).text == GOOD["text"]
    assert spent_by(budget) == 0
