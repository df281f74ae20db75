import numpy as np
import pytest

from generation.backends.exceptions import (
    CancelledError,
    RateLimitedError,
    RejectedError,
    ServerFailedError,
)
from generation.backends.retrying import RetryPolicy, ask_with_retries, pause_s
from generation.backends.text.exceptions import ModelRefusedError
from tests.fakes.scripted_model import ScriptedModel
from tests.generation.backends.text.conftest import PLAIN

POLICY = RetryPolicy(max_attempts=4, first_pause_s=1.0, max_pause_s=10.0)
OK = {"do": "answer", "text": "fine"}


def ask(acts, pause=None):
    """Return the model, the pauses that were made, and a function that asks."""
    model, pauses = ScriptedModel(acts), []
    run = lambda: ask_with_retries(  # noqa: E731
        lambda: model.complete(PLAIN),
        policy=POLICY,
        rng=np.random.default_rng(1),
        pause=pause or pauses.append,
    )
    return model, pauses, run


@pytest.mark.parametrize("do", ["timeout", "connection", "server_error", "rate_limit"])
def test_temporary_failure_is_retried(do):
    model, pauses, run = ask([{"do": do}, {"do": do}, OK])

    answer = run()

    assert (answer.text, len(model.requests), len(pauses)) == ("fine", 3, 2)


@pytest.mark.parametrize(
    ("do", "error"), [("reject", RejectedError), ("refuse", ModelRefusedError)]
)
def test_permanent_failure_is_not_retried(do, error):
    model, pauses, run = ask([{"do": do}])

    with pytest.raises(error):
        run()

    assert (len(model.requests), pauses) == (1, [])


def test_last_failure_is_raised_after_the_last_attempt():
    model, pauses, run = ask([{"do": "server_error"}])

    with pytest.raises(ServerFailedError):
        run()

    assert (len(model.requests), len(pauses)) == (4, 3)


def test_pauses_double_to_the_cap_and_lie_in_their_upper_half():
    rng, error = np.random.default_rng(5), ServerFailedError("500")

    pauses = [
        [pause_s(POLICY, attempt, error, rng) for _ in range(200)] for attempt in (1, 2, 3, 9)
    ]

    for drawn, top in zip(pauses, (1.0, 2.0, 4.0, 10.0), strict=True):
        assert top / 2 <= min(drawn) < top * 0.55
        assert top * 0.95 < max(drawn) <= top


def test_pause_is_at_least_that_of_the_server():
    rng, error = np.random.default_rng(5), RateLimitedError("429", retry_after_s=7.0)

    drawn = [pause_s(POLICY, 1, error, rng) for _ in range(200)]

    assert 7.0 <= min(drawn) < max(drawn) <= 7.5


def test_pause_longer_than_the_policy_ends_the_attempts():
    model, pauses, run = ask([{"do": "rate_limit", "retry_after_s": 3600}])

    with pytest.raises(
        RateLimitedError, match="too many requests; the server asks to wait 3,600 s"
    ):
        run()

    assert (len(model.requests), pauses) == (1, [])


def test_cancelling_ends_the_pause():
    def cancelled(seconds):
        raise CancelledError("the run was cancelled")

    model, _, run = ask([{"do": "server_error"}], pause=cancelled)

    with pytest.raises(CancelledError):
        run()

    assert len(model.requests) == 1
