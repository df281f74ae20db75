"""What takes minutes. Every test of this folder is marked `proof`."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items):
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.proof)
