"""What work on videos frees goes back to the system."""

import os
import platform
from pathlib import Path
from threading import Thread

import pytest

from annotation.backends.media.exceptions import SourceError, VideoError
from annotation.backends.media.facts import read_media
from annotation.backends.media.memory import bound_memory, memory_released
from annotation.backends.media.probe import probe_video
from bench.measure import in_fresh_process

STATUS = Path("/proc/self/statm")
PAGE_BYTES, MB = os.sysconf("SC_PAGE_SIZE"), 1_000_000
FRAME_BYTES, FRAME_COUNT, SMALL_BYTES = 3 * MB, 40, 4000

pytestmark = pytest.mark.skipif(
    not STATUS.exists() or platform.libc_ver()[0] != "glibc",
    reason="the memory of other systems and C libraries cannot be told or bound",
)


def resident_mb() -> float:
    return int(STATUS.read_text().split()[1]) * PAGE_BYTES / MB


def kept_mb(prepare) -> float:
    """Return how much memory is still there after frames were freed, here and in a thread."""
    prepare()
    before_mb = resident_mb()
    kept: list[bytes] = []

    def hold_frames() -> None:
        # Once a larger block was freed, the C library takes such as these from its heap.
        bytearray(10 * FRAME_BYTES)
        frames = []
        for _ in range(FRAME_COUNT):
            frames.append(bytearray(b"\x01") * FRAME_BYTES)
            kept.append(bytes(bytearray(b"\x01") * SMALL_BYTES))

    hold_frames()
    thread = Thread(target=hold_frames)
    thread.start()
    thread.join()
    return resident_mb() - before_mb


def nothing() -> None:
    pass


def open_to_annotate() -> None:
    with pytest.raises(VideoError):
        probe_video(Path(__file__))


def open_to_generate() -> None:
    with pytest.raises(SourceError):
        read_media(Path(__file__))


@pytest.mark.parametrize("prepare", [bound_memory, open_to_annotate, open_to_generate])
def test_frames_that_were_freed_are_given_back(prepare) -> None:
    assert in_fresh_process(kept_mb, prepare) < 10


def test_without_the_bound_freed_frames_would_stay(monkeypatch) -> None:
    for name in ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_ARENA_MAX"):
        monkeypatch.delenv(name, raising=False)

    assert in_fresh_process(kept_mb, nothing) > 80


def fail_with_small_blocks(kept: list[bytes]) -> None:
    with memory_released():
        blocks = [bytes(bytearray(b"\x01") * SMALL_BYTES) for _ in range(10_000)]
        kept.append(blocks[-1])
        del blocks
        raise VideoError("is damaged")


def kept_after_failing_mb() -> float:
    bound_memory()
    before_mb = resident_mb()
    # The last block lies above all others, so nothing of the heap's end can be given back.
    kept: list[bytes] = []
    with pytest.raises(VideoError, match="damaged"):
        fail_with_small_blocks(kept)
    return resident_mb() - before_mb


def test_small_blocks_are_given_back_when_work_ends_with_an_error() -> None:
    assert in_fresh_process(kept_after_failing_mb) < 10
