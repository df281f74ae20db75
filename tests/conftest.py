"""What every test may ask for. Engine tests use only the fixtures of this file."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent

# How long one example takes says more about what else the machine does than about the code.
settings.register_profile("piev", deadline=None, derandomize=True)
# The same examples every time, so that nobody's change fails for an old fault. To look for old
# faults: HYPOTHESIS_PROFILE=search.
settings.register_profile("search", deadline=None, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "piev"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of the published annotation files, or skip and say where it was sought."""
    folder = Path(os.environ.get("PIEV_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no published annotation files at {folder}; set PIEV_SHARED_DATA")
    return folder
