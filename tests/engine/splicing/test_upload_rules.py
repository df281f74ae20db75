"""What an uploaded clip has to be, and what is said of one that is not quite it."""

import pytest

from generation.engine.splicing.upload_rules import (
    ClipFrame,
    cropped_share,
    least_frame,
    upload_fault,
    upload_notes,
)

RECORDING = ClipFrame(1280, 720)
FITTING = {"length_s": 4.0, "frame": RECORDING, "wanted_s": 4.0, "recording": RECORDING}


def test_clip_as_it_was_wanted_has_neither_fault_nor_note():
    assert (upload_fault(**FITTING), upload_notes(**FITTING)) == ("", ())


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"length_s": 2.0}, ""),
        ({"length_s": 1.99}, "it lasts 1.99 s; expected 4.00 s, at least 2.00 s"),
        ({"frame": ClipFrame(320, 180)}, ""),
        (
            {"frame": ClipFrame(319, 720)},
            "its picture has 319x720; expected 1280x720, at least 320x180",
        ),
        (
            {"frame": ClipFrame(1280, 179)},
            "its picture has 1280x179; expected 1280x720, at least 320x180",
        ),
    ],
)
def test_clip_is_refused_below_half_the_length_and_a_quarter_of_the_size(changes, fault):
    assert upload_fault(**{**FITTING, **changes}) == fault


@pytest.mark.parametrize(
    ("changes", "notes"),
    [
        ({"length_s": 4.05}, ()),
        ({"length_s": 9.0}, ("Of its 9.0 s the first 4.0 s are used.",)),
        (
            {"length_s": 3.0},
            ("It lasts 3.0 s instead of 4.0 s; the video gets shorter by the difference.",),
        ),
        ({"frame": ClipFrame(1920, 1080)}, ()),
        (
            {"frame": ClipFrame(720, 720)},
            (
                "Its picture (720x720) has another shape than the recording's (1280x720):"
                " 44% of it is cropped, evenly on both sides.",
            ),
        ),
    ],
)
def test_what_becomes_of_a_clip_that_is_not_quite_it_is_said(changes, notes):
    assert upload_notes(**{**FITTING, **changes}) == notes


def test_upright_picture_loses_most_of_its_height():
    # 9:16 into 16:9: the width stays, of 16 parts of the height 5.0625 are left.
    assert cropped_share(ClipFrame(720, 1280), RECORDING) == pytest.approx(1 - 81 / 256)


def test_least_frame_is_rounded_up():
    assert least_frame(ClipFrame(642, 361)) == ClipFrame(161, 91)
