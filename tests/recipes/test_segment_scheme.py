"""The recipe of a scheme: one file, and segments can be made, checked and mapped after it.

`segment_schemes/handovers.py` is the file; nothing else knows of it.
"""

import sys
from pathlib import Path

import pytest

from annotation.engine.taxonomy import TaxonomyLabel
from segments import schemes
from segments.engine.scheme import UnmappedLabelError, available_schemes, scheme

FOLDER = Path(__file__).parent / "segment_schemes"


@pytest.fixture
def handovers():
    """Add `segment_schemes/handovers.py` for one test."""
    path = list(schemes.__path__)
    schemes.__path__.append(str(FOLDER))
    available_schemes.cache_clear()
    try:
        yield scheme("handovers")
    finally:
        sys.modules.pop(f"{schemes.__name__}.handovers", None)
        schemes.__path__[:] = path
        available_schemes.cache_clear()


def test_fifth_scheme_is_known_by_its_file(handovers):
    assert list(available_schemes()) == [
        "captaincook4d", "egooops", "handovers", "onset", "partition",
    ]  # fmt: skip
    assert handovers.events_of(["dropped"]) == {"dropped": TaxonomyLabel.WRONG_EXECUTION}
    with pytest.raises(UnmappedLabelError, match="maps no event to 'given'"):
        handovers.events_of(["given", "dropped"])
    label = handovers.track("handovers").label("given")
    assert label.templates[0].values("give cup to Ann") == {"object": "cup", "person": "Ann"}
