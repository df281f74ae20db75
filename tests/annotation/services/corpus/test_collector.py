import gc

import pytest

from annotation.services.corpus.collector import paused_collector


def test_paused_collector_pauses_until_the_last_block_ends() -> None:
    seen = []

    with paused_collector():
        with paused_collector():
            seen.append(gc.isenabled())
        seen.append(gc.isenabled())
    seen.append(gc.isenabled())

    assert seen == [False, False, True]


def test_paused_collector_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="broken"), paused_collector():
        raise ValueError("broken")

    assert gc.isenabled()
