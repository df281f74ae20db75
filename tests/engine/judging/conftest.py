"""The published plans, for tests that read them."""

import pytest

from generation.engine.planner.files.plan_files import read_plans


@pytest.fixture(scope="session")
def published_plans(shared_data):
    """Return the 50 published plans with corrections, in file order."""
    return read_plans(shared_data / "piev" / "split_50_error_plan_with_corrections.json").plans
