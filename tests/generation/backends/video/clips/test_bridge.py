import numpy as np
import pytest
from PIL import Image

from annotation.backends.media.facts import Media, read_media
from annotation.backends.media.frames import frames_between
from generation.backends.video.clips.backend import Anchors, ClipRequest, anchors_at
from generation.backends.video.clips.bridge import BridgeBackend, between, camera_shift
from generation.backends.video.edits import ClipSource, Edit
from generation.backends.video.exceptions import ClipError
from generation.backends.video.splicing.splice import SplicePath, splice
from tests.recordings import (
    expected_numbers,
    number_of,
    shown_numbers,
    write_recording,
)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Media:
    return read_media(write_recording(tmp_path_factory.mktemp("bridge") / "recording.mp4"))


def request(recording: Media, **changes) -> ClipRequest:
    anchors = anchors_at(recording, 30, 60)
    return ClipRequest(
        **{"prompt": "", "duration_s": 1.0, "recording": recording, "anchors": anchors, **changes}
    )


def pixels(path, index: int) -> np.ndarray:
    media = read_media(path)
    [frame] = frames_between(media, index, index + 1)
    return frame.to_ndarray(format="rgb24").astype(int)


def test_anchors_are_the_frames_beside_the_window(recording) -> None:
    anchors = anchors_at(recording, 30, 60)

    [before] = frames_between(recording, 29, 30)
    [after] = frames_between(recording, 60, 61)
    assert np.array_equal(np.asarray(anchors.first), before.to_ndarray(format="rgb24"))
    assert np.array_equal(np.asarray(anchors.last), after.to_ndarray(format="rgb24"))
    assert (number_of(before), number_of(after)) == (29, 60)


def test_anchors_at_the_ends_are_missing(recording) -> None:
    anchors = anchors_at(recording, 0, 90)

    assert anchors == Anchors(None, None)


def test_a_bridge_leads_from_one_frame_to_the_other(recording, tmp_path) -> None:
    out = tmp_path / "bridge.mp4"

    made = BridgeBackend(is_marked=False).make_clip(request(recording), out)

    numbers = shown_numbers(out)
    assert (made.frame_count, made.duration_s) == (30, 1.0)
    assert (numbers[0], numbers[-1]) == (29, 60)


def test_a_bridge_is_marked_unless_that_is_turned_off(recording, tmp_path) -> None:
    marked, plain = tmp_path / "marked.mp4", tmp_path / "plain.mp4"
    BridgeBackend().make_clip(request(recording), marked)
    BridgeBackend(is_marked=False).make_clip(request(recording), plain)

    orange = [
        (picture[..., 0] > 170) & (picture[..., 2] < 90)
        for picture in (pixels(marked, 15), pixels(plain, 15))
    ]

    # The frame is drawn along all four sides.
    sides = [orange[0][0], orange[0][-1], orange[0][:, 0], orange[0][:, -1]]
    assert all(side.mean() > 0.9 for side in sides)
    assert not orange[1][:, 0].any()


def test_a_caption_is_drawn_at_the_bottom_and_can_be_left_out(recording, tmp_path) -> None:
    said, silent = tmp_path / "said.mp4", tmp_path / "silent.mp4"
    asked = request(recording, caption="Put the cup on the wrong shelf")
    BridgeBackend(is_marked=False).make_clip(asked, said)
    BridgeBackend(is_marked=False, shows_caption=False).make_clip(asked, silent)

    difference = np.abs(pixels(said, 15) - pixels(silent, 15)).mean(axis=(1, 2))

    height = len(difference)
    assert difference[: height // 2].max() < 8
    assert difference[2 * height // 3 :].max() > 20


def test_a_bridge_is_copied_into_its_recording(recording, tmp_path) -> None:
    made = BridgeBackend(is_marked=False).make_clip(request(recording), tmp_path / "bridge.mp4")
    out = tmp_path / "out.mp4"

    result = splice(recording.path, [Edit(1.0, 2.0, (ClipSource(made.path),))], out)

    assert result.path is SplicePath.PACKETS
    assert result.encoded_count == 0
    numbers = shown_numbers(out)
    assert numbers[:30] + numbers[60:] == expected_numbers(90, (30, 60, []))


def test_a_bridge_at_the_start_holds_the_frame_that_there_is(recording, tmp_path) -> None:
    out = tmp_path / "bridge.mp4"
    asked = request(recording, anchors=anchors_at(recording, 0, 10))

    BridgeBackend(is_marked=False).make_clip(asked, out)

    assert set(shown_numbers(out)) == {10}


def test_a_bridge_needs_a_frame(recording, tmp_path) -> None:
    with pytest.raises(ClipError, match="no frame before or after"):
        BridgeBackend().make_clip(
            request(recording, anchors=Anchors(None, None)), tmp_path / "bridge.mp4"
        )

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shift", [(0, 0), (6, 0), (0, -9), (-5, 12)])
def test_camera_shift_finds_how_the_scene_moved(shift) -> None:
    scene = np.random.default_rng(1).integers(0, 256, (150, 220, 3), dtype=np.uint8)
    before = scene[20:120, 30:190]
    after = scene[20 - shift[0] : 120 - shift[0], 30 - shift[1] : 190 - shift[1]]

    assert camera_shift(before, after) == shift


def test_camera_shift_is_none_between_different_scenes() -> None:
    rng = np.random.default_rng(2)
    pictures = rng.integers(0, 256, (2, 100, 160, 3), dtype=np.uint8)

    assert camera_shift(*pictures) == (0, 0)


def test_between_ends_at_both_pictures() -> None:
    before, after = np.random.default_rng(3).integers(0, 256, (2, 8, 8, 3), dtype=np.uint8)

    images, rows = (Image.fromarray(before), Image.fromarray(after)), range(8)
    assert np.array_equal(np.asarray(between(*images, (2, 1), 0.0, rows)), before)
    assert np.array_equal(np.asarray(between(*images, (2, 1), 1.0, rows)), after)
