"""What every interval has to be, whoever made it."""

from math import inf

from annotation.analytics.agreement.intervals import Method


def assert_possible(value, interval, least=-inf, most=inf):
    """It holds its figure, has a width, stays within bounds and names its method; or says why."""
    if interval.low is None or interval.high is None:
        assert (interval.low, interval.high, interval.method) == (None, None, Method.NONE)
        assert interval.reason
        return
    assert interval.reason == ""
    assert interval.method is not Method.NONE
    assert least <= interval.low <= value + 1e-9
    assert value - 1e-9 <= interval.high <= most
    assert interval.low < interval.high
