"""From a trace to its video: what is shown when is what the edit list says."""

from dataclasses import replace
from fractions import Fraction

import pytest

from annotation.backends.media.facts import read_media
from annotation.engine.taxonomy import Mod
from generation.backends.video.clips.backend import ClipRequest, anchors_of
from generation.backends.video.clips.bridge import BridgeBackend
from generation.backends.video.exceptions import ClipError
from generation.backends.video.splicing.splice import SplicePath
from generation.backends.video.splicing.splice_edit_list import splice_edit_list
from generation.engine.splicing.limits import ClipLimits
from generation.engine.splicing.options import EditOptions
from generation.engine.splicing.planning import plan_edits
from tests.engine.splicing.takes import make_take, make_trace
from tests.recordings import (
    CLIP,
    clip_numbers,
    shown_numbers,
    write_recording,
)

RATE = Fraction(30)
OPTIONS = EditOptions(
    limits=ClipLimits(min_s=0.2, max_s=12), insertion_s=1.0, bridge_s=0.5, frame_rate=RATE
)
SHORT_CLIP = replace(CLIP, frame_count=12)
TAKE = make_take((0.2, 0.8), (1.0, 1.4), (1.5, 1.9), (2.0, 2.5))


@pytest.fixture
def recording(tmp_path):
    return read_media(write_recording(tmp_path / "recording.mp4"))


def plan(*rows):
    return plan_edits(take=TAKE, trace=make_trace(*rows), source_duration_s=3.0, options=OPTIONS)


def placeholders(edits, recording, folder):
    backend = BridgeBackend(is_marked=False)
    clips = {}
    for piece in edits.clips:
        anchors = anchors_of(piece.clip_id, edits, recording)
        request = ClipRequest("", piece.duration_s, recording, anchors)
        clips[piece.clip_id] = backend.make_clip(request, folder / f"{piece.clip_id}.mp4").path
    return clips


def test_every_kind_of_row_is_shown_where_the_edit_list_says(recording, tmp_path) -> None:
    edits = plan(
        (Mod.ERROR, 0),
        (Mod.INSERTION, None),
        (Mod.MOVED_TARGET, 2),
        (Mod.MOVED_SOURCE, 1),
        (Mod.DELETION, 3),
    )
    out = tmp_path / "out.mp4"

    made = splice_edit_list(edits, recording, placeholders(edits, recording, tmp_path), out)

    numbers = shown_numbers(out)
    assert made.splice.path is SplicePath.PACKETS
    assert len(numbers) == round(edits.duration_s * RATE)
    assert made.edits == edits
    moved = made.edits.steps[2], made.edits.steps[3]
    shown = [numbers[round(step.start_s * RATE) : round(step.end_s * RATE)] for step in moved]
    assert shown == [list(range(45, 57)), list(range(30, 42))]
    # The end, after the removed step, is the recording's own.
    assert numbers[-15:] == list(range(75, 90))


def test_steps_are_timed_by_the_clips_that_came_out(recording, tmp_path) -> None:
    edits = plan((Mod.ERROR, 0), (Mod.UNCHANGED, 1), (Mod.UNCHANGED, 2), (Mod.UNCHANGED, 3))
    clip = write_recording(tmp_path / "clip.mp4", SHORT_CLIP)
    out = tmp_path / "out.mp4"

    made = splice_edit_list(edits, recording, {"clip-01": clip}, out)

    # Planned 0.6 s (18 frames), delivered 12 frames at 24 per second: 15 of the recording's.
    assert made.edits.steps[0].end_s == pytest.approx(0.2 + 0.5)
    assert made.edits.steps[1].start_s == pytest.approx(0.9)
    numbers = shown_numbers(out)
    assert numbers[27:39] == list(range(30, 42))
    assert numbers[6:21] == clip_numbers(15, RATE)


def test_a_clip_that_is_too_long_is_cut(recording, tmp_path) -> None:
    edits = plan((Mod.ERROR, 0), (Mod.UNCHANGED, 1))
    clip = write_recording(tmp_path / "clip.mp4", CLIP)
    out = tmp_path / "out.mp4"

    made = splice_edit_list(edits, recording, {"clip-01": clip}, out)

    assert made.edits == edits
    assert shown_numbers(out)[:24] == [*range(6), *clip_numbers(18, RATE)]


def test_a_missing_clip_is_named(recording, tmp_path) -> None:
    with pytest.raises(ClipError, match="no files for the clips clip-01"):
        splice_edit_list(plan((Mod.ERROR, 0)), recording, {}, tmp_path / "out.mp4")
