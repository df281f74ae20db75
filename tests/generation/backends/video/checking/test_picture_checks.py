import numpy as np
import pytest
from av.video.frame import VideoFrame

from generation.backends.video.checking.picture_checks import is_same_picture, psnr

# A width that is no multiple of what lines are filled up to.
SIZE = (100, 70)


def picture(change: tuple[int, int] | None = None) -> VideoFrame:
    width, height = SIZE
    samples = np.random.default_rng(3).integers(16, 235, (height * 3 // 2, width), dtype=np.uint8)
    if change is not None:
        samples[change] += 1
    return VideoFrame.from_ndarray(samples, format="yuv420p")


@pytest.mark.parametrize("change", [(0, 0), (69, 99), (70, 0), (104, 99)])
def test_pictures_differ_when_one_sample_of_any_plane_does(change) -> None:
    assert is_same_picture(picture(), picture())
    assert not is_same_picture(picture(), picture(change))


def test_padding_of_picture_lines_does_not_matter() -> None:
    filled = picture()
    plane = filled.planes[0]
    lines = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
    assert lines.shape[1] > SIZE[0]
    lines[:, SIZE[0] :] += 1

    assert is_same_picture(filled, picture())


def test_pictures_of_other_forms_are_not_the_same() -> None:
    assert not is_same_picture(picture(), picture().reformat(format="gray"))
    assert not is_same_picture(picture(), picture().reformat(width=50, height=35))


def test_psnr_counts_every_line_of_large_pictures() -> None:
    # As many lines as two bands and a part of one, so different that 32 bits cannot hold the sum.
    black = np.zeros((150, 3840), np.uint8)
    white = np.full_like(black, 255)
    last = black.copy()
    last[-1, -1] = 255

    assert psnr(white, black) == 0.0
    assert psnr(black, black) == float("inf")
    assert psnr(last, black) == pytest.approx(10 * np.log10(150 * 3840))
    assert psnr(black, black[:-1]) == 0.0
