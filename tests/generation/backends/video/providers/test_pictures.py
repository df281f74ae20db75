import io

import av
import numpy as np
import pytest
from PIL import Image

from annotation.backends.media.facts import read_media
from annotation.backends.media.frames import frames_between
from generation.backends.video.clips.backend import anchors_at
from generation.backends.video.clips.conform import conform_clip
from generation.backends.video.providers.exceptions import UnfitRequestError
from generation.backends.video.providers.pictures import (
    enlarged,
    jpeg_of,
    nearest_size,
    widened,
)
from generation.backends.video.providers.provider import Size
from tests.recordings import write_recording

WIDE, TALL, SQUARE = Size("wide", 160, 90), Size("tall", 90, 160), Size("square", 100, 100)

WIDE_CLIP = Size("wide", 640, 360)


def still(path, picture):
    """Write a video of ten frames that all show the picture."""
    with av.open(str(path), "w") as container:
        track = container.add_stream("libx264", rate=30)
        track.width, track.height = picture.size
        track.options = {"preset": "ultrafast", "crf": "5"}
        for _ in range(10):
            container.mux(track.encode(av.VideoFrame.from_image(picture)))
        container.mux(track.encode(None))
    return path


def noise(width, height):
    pixels = np.random.default_rng(4).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


@pytest.mark.parametrize(
    ("shape", "word"), [((1920, 1080), "wide"), ((480, 640), "tall"), ((500, 480), "square")]
)
def test_nearest_size_has_the_nearest_shape(shape, word):
    assert nearest_size((WIDE, TALL, SQUARE), *shape).word == word


@pytest.mark.parametrize(
    ("shape", "size", "box"),
    [
        ((120, 90), WIDE, (20, 0, 140, 90)),
        ((160, 80), WIDE, (0, 5, 160, 85)),
        ((160, 90), WIDE, (0, 0, 160, 90)),
        ((121, 90), WIDE, (19, 0, 140, 90)),
    ],
)
def test_widened_picture_holds_the_whole_frame_in_its_middle(shape, size, box):
    image = noise(*shape)

    made = widened(image, size)

    assert made.size == (size.width, size.height)
    assert np.array_equal(np.asarray(made.crop(box)), np.asarray(image))


def test_widened_picture_continues_by_its_mirrored_edge():
    image = noise(120, 90)

    made = np.asarray(widened(image, WIDE))

    assert np.array_equal(made[:, :20], np.asarray(image)[:, 19::-1])


@pytest.mark.parametrize(("shape", "size"), [((144, 108), WIDE_CLIP), ((216, 108), WIDE_CLIP)])
def test_clip_of_a_widened_frame_is_conformed_to_the_frame_itself(shape, size, tmp_path):
    recording = read_media(write_recording(tmp_path / "recording.mp4", size=shape, sound=None))
    frame = anchors_at(recording, 10, 20).first
    clip = still(tmp_path / "clip.mp4", widened(frame, size))

    made = conform_clip(clip, recording, tmp_path / "made.mp4")

    [first] = frames_between(read_media(made.path), 0, 1)
    difference = np.asarray(frame).astype(int) - first.to_ndarray(format="rgb24")
    assert np.abs(difference).mean() < 3


def test_small_picture_is_enlarged_and_a_large_one_left():
    assert enlarged(noise(40, 30), 300).size == (400, 300)
    assert enlarged(noise(40, 30), 30).size == (40, 30)


def test_jpeg_becomes_coarser_until_it_fits():
    image = noise(200, 200)
    best = jpeg_of(image, 10**6)

    smaller = jpeg_of(image, len(best) - 1)

    assert len(smaller) < len(best)
    assert Image.open(io.BytesIO(smaller)).size == (200, 200)


def test_picture_that_stays_too_large_is_refused():
    with pytest.raises(UnfitRequestError, match=r"a frame of 200x200 has .* at most 1000"):
        jpeg_of(noise(200, 200), 1000)
