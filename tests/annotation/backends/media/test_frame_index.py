"""The table of frames of a file, read without decoding."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.frame_index import FrameIndex, read_frame_index
from tests.recordings import write_recording


def index_of(gaps: list[int], *, stated_rate: Fraction | None = None) -> FrameIndex:
    """Return an index in milliseconds whose frames follow each other after these gaps."""
    pts = np.cumsum([0, *gaps])
    return FrameIndex(
        time_base=Fraction(1, 1000),
        pts=pts,
        key_pts=pts[:1],
        end_pts=int(pts[-1]) + gaps[-1],
        stated_rate=stated_rate,
        has_closed_groups=True,
    )


def test_frame_index_of_a_steady_recording(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "a.mp4", frame_count=75, group=30)

    index = read_frame_index(path)

    assert (index.frame_count, len(index.key_pts)) == (75, 3)
    assert index.key_frame_distance_s == pytest.approx(1.0)
    assert index.duration_s == pytest.approx(2.5)
    assert (index.has_closed_groups, index.is_rate_variable) == (True, False)
    assert index.grid_rate == 30
    assert [index.frame_at(time_s) for time_s in (-1, 0, 0.99, 1.0, 99)] == [0, 0, 29, 30, 74]


def test_frame_index_tells_open_groups(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "a.mp4", frame_count=90, parameters="open-gop=1")

    assert read_frame_index(path).has_closed_groups is False


@pytest.mark.parametrize("rate", [Fraction(24), Fraction(25), Fraction(30000, 1001), Fraction(60)])
@pytest.mark.parametrize("name", ["a.mp4", "a.mkv"])
def test_frame_index_finds_the_rate_through_rounded_times(
    tmp_path: Path, rate: Fraction, name: str
) -> None:
    path = write_recording(tmp_path / name, rate=rate, frame_count=60, sound=None)

    index = read_frame_index(path)

    assert (index.grid_rate, index.is_rate_variable) == (rate, False)


def test_frame_index_forgives_a_lost_frame_but_no_varying_rate() -> None:
    steady, lost = [40] * 500, [*[40] * 250, 80, *[40] * 249]
    varying = [40, 80] * 250

    seen = [index_of(gaps).is_rate_variable for gaps in (steady, lost, varying)]

    assert seen == [False, False, True]
    assert index_of(lost).grid_rate == 25
    assert index_of(varying).grid_rate == 25


@pytest.mark.parametrize("rate", [Fraction(25), Fraction(30000, 1001), Fraction(60)])
@pytest.mark.parametrize("name", ["a.mp4", "a.mkv"])
def test_even_rate_is_the_grid_of_all_frames(tmp_path: Path, rate: Fraction, name: str) -> None:
    path = write_recording(tmp_path / name, rate=rate, frame_count=120, sound=None)

    assert read_frame_index(path).even_rate == rate


@pytest.mark.parametrize(
    ("gaps", "stated_rate", "expected"),
    [
        # A lost frame leaves its number empty.
        ([*[40] * 250, 80, *[40] * 249], None, Fraction(25)),
        ([40, 80] * 250, None, None),
        # Half a frame off from its middle on, though every distance but one is regular.
        ([*[40] * 250, 420, *[40] * 249], None, None),
        ([40], Fraction(25), Fraction(25)),
    ],
)
def test_even_rate_is_none_where_frames_leave_the_grid(gaps, stated_rate, expected) -> None:
    assert index_of(gaps, stated_rate=stated_rate).even_rate == expected


def test_even_rate_of_a_clock_that_runs_off_is_what_its_times_add_up_to() -> None:
    """By the rate that the file states, the numbers of an hour would be off by seventy."""
    times = np.rint(np.arange(3000) * 1000 / 29.98).astype(int)

    rate = index_of(np.diff(times).tolist(), stated_rate=Fraction(30)).even_rate

    assert float(rate) == pytest.approx(29.98, rel=1e-5)


def test_grid_rate_of_a_varying_recording_has_limits() -> None:
    assert index_of([1, 2, 3, 9] * 50).grid_rate == 60
    assert index_of([2000, 5000, 9000] * 20).grid_rate == 10


def test_frame_index_refuses_a_file_cut_to_its_head(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "a.mkv", sound=None)
    path.write_bytes(path.read_bytes()[:700])

    with pytest.raises(VideoError):
        read_frame_index(path)
