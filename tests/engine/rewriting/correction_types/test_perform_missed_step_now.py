"""The step that was left out is named."""

import pytest

from annotation.engine.taxonomy import ErrorType
from tests.engine.rewriting.plans import correction, error
from tests.engine.rewriting.take import correction_text


@pytest.mark.parametrize("seed", range(6))
def test_missed_step_is_done(seed):
    planned = correction("E01", ErrorType.DELETION, "perform_missed_step_now", 5, redo_step_index=4)

    text = correction_text([error("E01", ErrorType.DELETION, 4)], planned, seed=seed)

    assert text.endswith("whisk the egg with the fork")
    assert text[0].isupper()
