import threading

import pytest

from generation.backends.exceptions import CancelledError
from generation.backends.text.gate import Gate


def never():
    """Nobody cancels."""


def cancelled():
    raise CancelledError("the run was cancelled")


def test_no_more_than_the_concurrency_are_inside():
    gate, inside, seen = Gate(3, None), [], []
    three_here = threading.Barrier(3, timeout=60)

    def work():
        with gate.entered(never):
            inside.append(1)
            seen.append(len(inside))
            three_here.wait()
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (len(seen), max(seen)) == (21, 3)


def test_no_more_than_the_rate_start_in_any_minute():
    now = [0.0]
    gate = Gate(10, 2, clock=lambda: now[0])

    with gate.entered(cancelled), gate.entered(cancelled):
        pass

    with pytest.raises(CancelledError), gate.entered(cancelled):
        pass
    now[0] = 59.9
    with pytest.raises(CancelledError), gate.entered(cancelled):
        pass
    now[0] = 60.0
    with gate.entered(cancelled):
        pass


def test_place_is_given_back_after_an_error():
    gate = Gate(1, None)

    with pytest.raises(ZeroDivisionError), gate.entered(never):
        1 / 0  # noqa: B018

    with gate.entered(cancelled):
        pass
