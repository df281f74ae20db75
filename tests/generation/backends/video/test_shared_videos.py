"""Real recordings from outside: spliced correctly, or refused with a reason."""

from pathlib import Path

import pytest

from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.facts import read_media
from generation.backends.video.edits import ClipSource, Edit
from generation.backends.video.splicing.splice import SplicePath, splice
from tests.recordings import CLIP, write_recording

pytestmark = pytest.mark.shared_data


@pytest.fixture
def videos(shared_data: Path) -> Path:
    folder = shared_data.parent / "video"
    if not folder.is_dir():
        pytest.skip(f"no recordings at {folder}")
    return folder


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("movie-hello.mp4", SplicePath.PACKETS),
        ("bottle-detection.mp4", SplicePath.PACKETS),
        ("gnome-display-dual-monitors.webm", SplicePath.REENCODED),
        ("edge/unordered.mov", SplicePath.PACKETS),
        ("edge/video_90.mov", SplicePath.PACKETS),
    ],
)
def test_splice_of_a_real_recording_is_verified(name, path, videos, tmp_path) -> None:
    clip = write_recording(tmp_path / "clip.mp4", CLIP)
    media = read_media(videos / name)
    start_s, end_s = 0.5 * media.duration_s, 0.75 * media.duration_s

    result = splice(
        videos / name, [Edit(start_s, end_s, (ClipSource(clip),))], tmp_path / "out.mp4"
    )

    assert result.path is path
    assert result.verification.is_passed
    checks = {check.name: check.seen for check in result.verification.checks}
    if path is SplicePath.PACKETS:
        assert float(checks["pictures at the joins"].split()[2]) >= 47
    removed = round(
        (result.edits[0].source_end_s - result.edits[0].source_start_s) * media.frame_rate
    )
    assert result.frame_count == media.frame_count - removed + round(media.frame_rate)
    assert read_media(tmp_path / "out.mp4").frame_count == result.frame_count


def test_splice_of_a_corrupted_recording_is_refused_where_it_is_damaged(videos, tmp_path) -> None:
    out = tmp_path / "out.mp4"

    with pytest.raises(SourceError, match=r"frame \d+ of corrupted.mp4 is (missing or )?damaged"):
        splice(videos / "edge" / "corrupted.mp4", [Edit(2.0, 3.0)], out)

    assert not out.exists()
