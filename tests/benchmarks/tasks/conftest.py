"""Intervals are looked at here, with as many draws as a site takes."""

import pytest


@pytest.fixture
def few_draws():
    """Leave the draws as they are."""
