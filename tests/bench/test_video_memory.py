import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.measure import forget_peak, in_fresh_process, peak_memory_bytes
from bench.video_jobs import JOBS, SAMPLE_S, encode_foreign, ingest, splice_reencoded
from bench.video_memory import Figures, Used, report, used
from tests.recordings import CLIP, write_recording

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="memory is measured on Linux"
)
BLOCK_MB = 60
HOLD = f"import time; held = bytearray(b'x') * {BLOCK_MB}_000_000; time.sleep(5)"
HOLD_TWICE = (
    f"import subprocess, sys; held = bytearray(b'x') * {BLOCK_MB}_000_000;"
    "subprocess.run([sys.executable, '-c', sys.argv[1]], check=True); print('[[1.5, 1], [2.5, 2]]')"
)


def test_used_adds_up_the_processes_of_a_command() -> None:
    command = [sys.executable, "-c", HOLD_TWICE, HOLD]

    figure = used(command, dict(os.environ))

    assert 2 * BLOCK_MB < figure.tree_mb < 3 * BLOCK_MB
    assert BLOCK_MB < figure.process_mb < 2 * BLOCK_MB
    assert (figure.peaks_mb, figure.left_mb) == ((1.5, 2.5), (1, 2))


def peaks_of_a_block() -> tuple[int, int]:
    block = bytearray(b"x") * (BLOCK_MB * 1_000_000)
    before = peak_memory_bytes()
    del block
    forget_peak()
    return before, peak_memory_bytes()


def test_forget_peak_counts_from_now_on() -> None:
    before, after = in_fresh_process(peaks_of_a_block)

    assert before - after > 0.9 * BLOCK_MB * 1_000_000


@pytest.fixture
def figures() -> Figures:
    jobs = {name: Used(150.0, 170.0) for name in JOBS}
    return Figures(jobs, Used(240.0, 260.0, (255.0, 260.0), (180.0, 184.0)), Used(400.0, 410.0))


def test_report_compares_with_the_goals(figures: Figures) -> None:
    lines, is_met = report(figures)

    assert is_met
    assert "260 MB, most of a job: goal of 300 met" in lines[-2]
    assert "1.02 times as much left: goal of 1.1 met" in lines[-1]
    assert [line.split()[-3:] for line in lines if "2 takes" in line] == [["240", "260", "300"]]
    assert [line.split()[-2:] for line in lines if "peer" in line] == [["400", "410"]]


@pytest.mark.parametrize(
    ("change", "missed"),
    [
        ({"jobs": {"probe": Used(301.0, 100.0)}}, "301 MB, most of a job: goal of 300 MISSED"),
        (
            {"stage": Used(200.0, 300.0, (250.0,) * 2, (180.0,) * 2)},
            "300 MB, most of a job: goal of 300 MISSED",
        ),
        (
            {"stage": Used(200.0, 290.0, (290.0, 290.0), (200.0, 290.0))},
            "1.45 times as much left: goal of 1.1 MISSED",
        ),
    ],
)
def test_report_says_which_goal_is_missed(change, missed, figures: Figures) -> None:
    lines, is_met = report(replace(figures, **change))

    assert not is_met
    assert any(missed in line for line in lines)


def test_report_says_that_there_is_no_peer(figures: Figures) -> None:
    lines, is_met = report(replace(figures, peer=None))

    assert is_met
    assert "  ffmpeg is not installed, so it has no figure" in lines


def test_jobs_on_a_foreign_recording_do_what_they_say(tmp_path: Path) -> None:
    write_recording(tmp_path / "sample.mp4", frame_count=30 * SAMPLE_S)
    write_recording(tmp_path / "clip.mp4", CLIP)
    encode_foreign(tmp_path / "sample.mp4", tmp_path / "foreign.mkv")

    ingest(tmp_path)
    splice_reencoded(tmp_path)

    made = {"proxy.mp4", "anew.mp4", "sprite.jpg", "step-0000.jpg", "step-0001.jpg"}
    assert made <= {path.name for path in tmp_path.iterdir()}
