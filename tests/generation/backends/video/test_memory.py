"""Every job on 1080p fits into the memory that a worker may use."""

from pathlib import Path

import pytest

from annotation.backends.media.facts import read_media
from bench.measure import in_fresh_process, peak_memory_bytes
from generation.backends.video.clips.backend import ClipRequest, anchors_at
from generation.backends.video.clips.bridge import BridgeBackend
from generation.backends.video.clips.conform import conform_clip
from generation.backends.video.edits import ClipSource, Edit
from generation.backends.video.splicing.splice import splice
from tests.recordings import CLIP, write_recording

LIMIT_MB = 300.0


def peak_of_bridge(folder: Path) -> float:
    recording = read_media(folder / "source.mp4")
    asked = ClipRequest("", 0.5, recording, anchors_at(recording, 10, 30), caption="Pour it")
    BridgeBackend().make_clip(asked, folder / "bridge.mp4")
    return peak_memory_bytes() / 1e6


def peak_of_conforming(folder: Path) -> float:
    conform_clip(folder / "clip.mp4", read_media(folder / "source.mp4"), folder / "stored.mp4")
    return peak_memory_bytes() / 1e6


def peak_of_packets(folder: Path) -> float:
    return _peak_of_splice(folder, "source.mp4")


def peak_of_encoding(folder: Path) -> float:
    return _peak_of_splice(folder, "odd.mp4")


def _peak_of_splice(folder: Path, name: str) -> float:
    clip = ClipSource(folder / "clip.mp4")
    splice(folder / name, [Edit(0.5, 0.9, (clip,))], folder / f"out-{name}")
    return peak_memory_bytes() / 1e6


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memory")
    size = (1920, 1080)
    write_recording(folder / "source.mp4", size=size, frame_count=45)
    # Interlaced, which only the slow path can take.
    write_recording(folder / "odd.mp4", size=size, frame_count=45, parameters="tff=1")
    write_recording(folder / "clip.mp4", CLIP)
    return folder


@pytest.mark.parametrize(
    "job", [peak_of_bridge, peak_of_conforming, peak_of_packets, peak_of_encoding]
)
def test_a_job_on_1080p_stays_under_the_limit(job, folder) -> None:
    peak_mb = in_fresh_process(job, folder)

    # The frame alone has three megabytes, so a smaller peak would mean that nothing was done.
    assert 60 < peak_mb < LIMIT_MB
