"""A trace gets the times of its edit list, and of no other."""

from dataclasses import replace

import pytest

from annotation.engine.taxonomy import Mod
from generation.engine.splicing.exceptions import EditListError
from generation.engine.splicing.filmed_trace import filmed_trace
from generation.engine.splicing.options import EditOptions
from generation.engine.splicing.planning import plan_edits
from tests.engine.splicing.takes import make_take, make_trace

TAKE = make_take((0.0, 4.1), (5.0, 9.0), (10.0, 12.0))
TRACE = make_trace((Mod.UNCHANGED, 0), (Mod.DELETION, 1), (Mod.INSERTION, None), (Mod.UNCHANGED, 2))
EDITS = plan_edits(
    take=TAKE, trace=TRACE, source_duration_s=13.1, options=EditOptions(insertion_s=3.3)
)


def test_rows_get_the_times_of_the_new_recording() -> None:
    trace = filmed_trace(TRACE, EDITS, video_stem="ab12", maker="bridge")

    # A bridge of 1 s stands for the second step, then come 3.3 s of the insertion and 1 s between.
    assert [(row.start_s, row.end_s) for row in trace.steps] == [
        (0.0, 4.1), (None, None), (6.0, 9.3), (10.3, 12.3),
    ]  # fmt: skip
    assert (trace.video_stem, trace.provenance["clips"]) == ("ab12", "bridge")


def test_nothing_else_changes() -> None:
    trace = filmed_trace(TRACE, EDITS, video_stem="", maker="bridge")

    untimed = tuple(replace(row, start_s=None, end_s=None) for row in trace.steps)
    assert untimed == TRACE.steps
    assert trace.events == TRACE.events


def test_edits_of_another_trace_are_refused() -> None:
    with pytest.raises(EditListError, match="expected the 4 rows of other"):
        filmed_trace(replace(TRACE, uid="other"), EDITS, video_stem="", maker="bridge")
