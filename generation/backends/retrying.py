"""Ask again if that can help: back-off with jitter, and the server's own Retry-After."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from generation.backends.exceptions import MayPassError

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often to ask, and with which pauses.

    If a server asks for a longer pause than `max_pause_s`, the job fails with that reason and can
    be retried when the server is back.
    """

    max_attempts: int = 5
    first_pause_s: float = 1.0
    max_pause_s: float = 60.0


def pause_s(
    policy: RetryPolicy, attempt: int, error: MayPassError, rng: np.random.Generator
) -> float:
    """How long to wait after the `attempt`-th failure, counted from 1.

    The pause doubles with each failure up to `max_pause_s` and is drawn from its upper half, so
    that requests that failed together do not come back together. It is never shorter than the
    server asks for.
    """
    grown_s = min(policy.max_pause_s, policy.first_pause_s * 2 ** (attempt - 1))
    jitter = float(rng.uniform(0.5, 1.0))
    if error.retry_after_s is None:
        return grown_s * jitter
    return error.retry_after_s + policy.first_pause_s * (jitter - 0.5)


def ask_with_retries(
    ask: Callable[[], Answer],
    *,
    policy: RetryPolicy,
    rng: np.random.Generator,
    pause: Callable[[float], None],
) -> Answer:
    """The first answer; an error that asking again cannot help is raised at once.

    `pause` waits for so many seconds; if it raises (a cancelled run), the waiting ends. After the
    last attempt the last MayPassError is raised.
    """
    attempt = 0
    while True:
        attempt += 1
        try:
            return ask()
        except MayPassError as error:
            server_pause_s = error.retry_after_s or 0.0
            if server_pause_s > policy.max_pause_s:
                error.args = (f"{error}; the server asks to wait {server_pause_s:,.0f} s",)
                raise
            if attempt >= policy.max_attempts:
                raise
            wait_s = pause_s(policy, attempt, error, rng)
        pause(wait_s)
