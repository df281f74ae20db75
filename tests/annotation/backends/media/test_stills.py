"""Single pictures of a recording: the right moment, upright, small, or refused."""

from io import BytesIO

import pytest
from PIL import Image

from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.stills import LONGEST_SIDE, still
from tests.e2e.conftest import FRAME_RATE, write_clip

FIRST_GREY = 40


def grey_of(jpeg):
    """Return the brightness of a picture of one colour."""
    return Image.open(BytesIO(jpeg)).convert("L").getpixel((10, 10))


@pytest.fixture
def clip(tmp_path):
    write_clip(tmp_path / "clean.mp4", 6.0, FIRST_GREY)
    return tmp_path / "clean.mp4"


@pytest.mark.parametrize("time_s", [0.0, 0.55, 2.5, 5.05])
def test_still_is_the_picture_that_is_shown_at_the_time(clip, time_s):
    # The clip brightens by one with each frame.
    expected = FIRST_GREY + int(time_s * FRAME_RATE)

    assert grey_of(still(clip, time_s)) == pytest.approx(expected, abs=3)


def test_still_after_the_end_is_the_last_picture(clip):
    assert grey_of(still(clip, 99.0)) == pytest.approx(FIRST_GREY + 59, abs=3)


def test_still_is_never_larger_than_models_want(clip):
    assert max(Image.open(BytesIO(still(clip, 1.0))).size) <= LONGEST_SIDE


def test_still_of_a_file_that_is_no_video_is_refused(tmp_path):
    (tmp_path / "notes.mp4").write_text("no video")

    with pytest.raises(SourceError, match=r"notes\.mp4 is damaged or not a video"):
        still(tmp_path / "notes.mp4", 1.0)
