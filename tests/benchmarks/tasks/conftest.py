"""Tests of tasks check intervals, so they take as many draws as a site does."""

import pytest


@pytest.fixture
def few_draws():
    """Leave the draws as they are."""
