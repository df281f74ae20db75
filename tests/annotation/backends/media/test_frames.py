"""One reader gives the same frames, whichever way their times were found out."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import av
import pytest

from annotation.backends.media.container import opened_pictures
from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.facts import read_media
from annotation.backends.media.frame_index import read_frame_index
from annotation.backends.media.frames import FrameReader
from tests.recordings import number_of, remuxed, write_recording


@contextmanager
def reading(path: Path, times) -> Iterator[FrameReader]:
    with opened_pictures(path) as (container, stream):
        yield FrameReader(container, stream, times, path.name)


@pytest.fixture(params=[read_frame_index, read_media])
def times_of(request):
    return request.param


@pytest.mark.parametrize("recipe", [{}, {"b_frames": 0}, {"parameters": "open-gop=1"}])
def test_reader_gives_ranges_and_single_frames_in_any_order(tmp_path, times_of, recipe) -> None:
    path = write_recording(tmp_path / "a.mp4", **recipe)

    with reading(path, times_of(path)) as reader:
        ranges = [[number_of(item) for item in reader.between(*at)] for at in ((58, 63), (0, 3))]
        singles = [number_of(reader.frame(wanted)) for wanted in (5, 7, 7, 80, 31, 29, 89, 0)]
        rest = [(number, number_of(frame)) for number, frame in reader.starting_at(87)]

    assert ranges == [[58, 59, 60, 61, 62], [0, 1, 2]]
    assert singles == [5, 7, 7, 80, 31, 29, 89, 0]
    assert rest == [(87, 87), (88, 88), (89, 89)]


def test_damage_is_left_out_or_said_as_asked(tmp_path: Path, times_of) -> None:
    count = 0

    def damage(packet: av.Packet, kind: str) -> bool:
        nonlocal count
        count += kind == "video"
        if kind == "video" and count == 41:
            packet.update(bytes(packet.size))
        return True

    whole = write_recording(tmp_path / "whole.mp4", b_frames=0, sound=None)
    path = remuxed(whole, tmp_path / "a.mp4", damage)

    with reading(path, times_of(path)) as reader:
        numbers = [number for number, _ in reader.starting_at(38)]
        shown = [number_of(reader.frame(wanted)) for wanted in (39, 40)]
        with pytest.raises(SourceError, match=r"frame 40 of a\.mp4 is (missing or )?damaged"):
            list(reader.between(38, 42))
        with pytest.raises(SourceError, match=r"a\.mp4 ends at frame 90; expected 91"):
            list(reader.between(89, 91))

    assert numbers == [38, 39, *range(41, 90)]
    assert shown == [39, 39]
