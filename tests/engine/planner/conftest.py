"""The published takes and plans, read once."""

import json
from pathlib import Path
from typing import Any

import pytest

from generation.engine.planner.files.plan_files import PlanningInput, read_planning_input


@pytest.fixture(scope="session")
def published_input(shared_data: Path) -> PlanningInput:
    folder = shared_data / "piev"
    return read_planning_input(
        folder / "split_50_rebuilt.json",
        semrep=folder / "semantic_representations_split_50.json",
        taxonomy=folder / "keystep_taxonomy_rebuilt.json",
    )


@pytest.fixture(scope="session")
def published_plan(shared_data: Path) -> dict[str, Any]:
    return json.loads((shared_data / "piev" / "split_50_error_plan.json").read_text())
