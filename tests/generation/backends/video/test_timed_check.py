"""Work on a video that is not wanted any more ends within a second or so, and leaves nothing."""

import pytest

from annotation.backends.media.facts import read_media
from generation.backends.video import timed_check
from generation.backends.video.checking.verification import verify
from generation.backends.video.clips.backend import ClipRequest, anchors_at
from generation.backends.video.clips.bridge import BridgeBackend
from generation.backends.video.clips.conform import conform_clip
from generation.backends.video.edits import ClipSource, Edit
from generation.backends.video.splicing.splice import SpliceOptions, SplicePath, splice
from generation.backends.video.timed_check import TimedCheck
from tests.recordings import CLIP, write_recording

# Where in the work somebody cancels, as a share of all looks at whether it is wanted.
MOMENTS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.99)


class UnwantedError(Exception):
    """Stands for whatever tells that the work is not wanted."""


class Check:
    """Counts how often it is asked, and refuses from a number on."""

    def __init__(self, refused_from=float("inf")):
        self.count = 0
        self.refused_from = refused_from

    def __call__(self):
        if self.count >= self.refused_from:
            raise UnwantedError
        self.count += 1


@pytest.fixture
def impatient(monkeypatch):
    """Look at every frame and packet instead of once a second."""
    monkeypatch.setattr(timed_check, "PAUSE_S", 0.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("watched")
    write_recording(folder / "plain.mp4")
    # A pixel format that only the slow path can take.
    write_recording(folder / "odd.mp4", pixel_format="yuv444p")
    write_recording(folder / "clip.mp4", CLIP)
    return folder


def test_pulse_asks_at_most_once_in_its_pause():
    now, check = [0.0], Check()
    timed_check = TimedCheck(check, clock=lambda: now[0])

    for now[0] in (0.0, 0.5, 0.99, 1.0, 1.2, 1.9, 2.0, 7.0, 7.5):
        timed_check()

    assert check.count == 3


@pytest.mark.parametrize(
    ("recording", "path"), [("plain", SplicePath.PACKETS), ("odd", SplicePath.REENCODED)]
)
def test_cancelled_splice_leaves_no_file(folder, tmp_path, impatient, recording, path):
    source = folder / f"{recording}.mp4"
    edits = [Edit(1.0, 2.0, (ClipSource(folder / "clip.mp4"),))]
    counting = Check()
    whole = splice(source, edits, tmp_path / "whole.mp4", SpliceOptions(check=counting))
    (tmp_path / "whole.mp4").unlink()
    asked = []

    for moment in MOMENTS:
        check = Check(refused_from=int(moment * counting.count))
        with pytest.raises(UnwantedError):
            splice(source, edits, tmp_path / "out.mp4", SpliceOptions(check=check))
        asked.append(check.count)

    assert whole.path is path
    assert asked == [int(moment * counting.count) for moment in MOMENTS]
    assert list(tmp_path.iterdir()) == []


def test_splice_looks_whether_it_is_wanted_while_it_writes_and_while_it_verifies(
    folder, tmp_path, impatient, monkeypatch
):
    seen_by_phase = {}
    check = Check()

    def noted_verify(*args):
        seen_by_phase["writing"] = check.count
        return verify(*args)

    monkeypatch.setattr("generation.backends.video.splicing.splice.verify", noted_verify)
    edits = [Edit(1.0, 2.0, (ClipSource(folder / "clip.mp4"),))]

    result = splice(folder / "plain.mp4", edits, tmp_path / "out.mp4", SpliceOptions(check=check))

    seen_by_phase["verification"] = check.count - seen_by_phase["writing"]
    assert all(count > result.frame_count / 2 for count in seen_by_phase.values())


def test_cancelled_placeholder_and_conforming_leave_no_file(folder, tmp_path, impatient):
    recording = read_media(folder / "plain.mp4")
    request = ClipRequest("", 1.0, recording, anchors_at(recording, 30, 60))
    check = Check(refused_from=10)

    with pytest.raises(UnwantedError):
        BridgeBackend(check=check).make_clip(request, tmp_path / "placeholder.mp4")
    with pytest.raises(UnwantedError):
        conform_clip(
            folder / "clip.mp4",
            recording,
            tmp_path / "conformed.mp4",
            timed_check=TimedCheck(Check(refused_from=10)),
        )

    assert check.count == 10
    assert list(tmp_path.iterdir()) == []
