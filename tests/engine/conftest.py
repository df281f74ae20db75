"""The published representations and plan, for tests that compare with them."""

import json

import pytest


@pytest.fixture(scope="session")
def published_cache(shared_data):
    """The 1,301 cache entries: id -> {step_description, semantic_representation}."""
    path = shared_data / "piev" / "semantic_representations_split_50.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def published_strings(published_cache):
    return [entry["semantic_representation"] for entry in published_cache.values()]


@pytest.fixture(scope="session")
def published_plan(shared_data):
    path = shared_data / "piev" / "split_50_error_plan.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def published_steps(published_plan):
    return [step for take in published_plan["takes"].values() for step in take["steps"]]
