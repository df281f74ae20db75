"""Alignment of steps and frames by hand, and equal parts on the published EgoOops."""

import numpy as np
import pytest

from annotation.engine.corpus.formats import egooops
from benchmarks.engine.frame_values import pack_frames
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.tasks.step_alignment import TASK
from tests.benchmarks.tasks.material import TEA, defaults, figures, read


def test_ends_are_rounded_and_included_and_later_segments_overwrite():
    """Frames 0-7 step 1, 8-12 step 3, 13-19 none, 20-23 step 4."""
    [item] = TASK.items(TEA, defaults(TASK), 0)
    values = [
        pack_frames(np.ones(24, dtype=np.int64), 2.0),
        pack_frames(np.repeat([1, 3, 0, 4], [8, 5, 7, 4]), 2.0),
        pack_frames(np.zeros(24, dtype=np.int64), 2.0),
    ]

    one, right, nothing = (figures(TASK, [item], read(value)) for value in values)

    assert [round(one[key] * 24, 4) for key in ("precision", "mof")] == [8, 8]
    assert round(one["recall"] * 17, 4) == 8
    assert round(one["f1"], 4) == round(2 * 8 / (24 + 17), 4)
    assert [right[key] for key in ("f1", "precision", "recall", "mof", "iou")] == [1] * 5
    assert [nothing[key] for key in ("f1", "precision", "recall")] == [0] * 3
    assert round(nothing["mof"] * 24, 4) == 7
    claims = [(one.start_s, one.end_s, one.label) for one in TASK.claims(item, values[1])]
    assert claims == [(0, 4, "Boil water"), (4, 6.5, "Add tea"), (10, 12, "Pour water")]
    assert TASK.check(item, pack_frames(np.full(24, 5), 2.0)) == (
        "frame 0 is 5; expected a step from 1 to 4, or 0"
    )


@pytest.mark.shared_data
def test_equal_parts_of_the_published_recordings_are_above_every_published_row(shared_data):
    reading = egooops.read(shared_data / "egooops")
    takes = {take.uid: take for take in reading.takes}
    recordings = [Recording(f"take:{take.uid}", take) for take in reading.takes]
    recordings += [
        Recording(f"trace:{trace.uid}", takes[trace.take_uid], trace) for trace in reading.traces
    ]
    items = list(TASK.items(Material("EgoOops", tuple(recordings)), defaults(TASK), 0))
    _, parts, _ = TASK.baselines(items, np.random.default_rng(0))

    found = figures(TASK, items, read(*parts.values))

    assert len(items) == 50
    assert [round(100 * found[key], 1) for key in ("f1", "recall", "mof")] == [41.1, 44.9, 38.2]
    assert all(found["f1"] > row.figures["f1"] for row in TASK.published({}))
