from dataclasses import replace
from pathlib import Path

import pytest

from bench.splice import Figures, Spent, Timed, report, timed_edits
from generation.backends.video.checking.expected import FileCheck, Verification
from tests.recordings import CLIP, write_recording


@pytest.fixture
def timed(tmp_path: Path) -> Timed:
    source = write_recording(tmp_path / "recording.mp4")
    clip = write_recording(tmp_path / "clip.mp4", CLIP)
    return timed_edits(source, clip, tmp_path / "out.mp4", [(1.0, 2.0)])


@pytest.fixture
def figures(timed: Timed) -> Figures:
    timed = replace(timed, writing=Spent(4.0, 6.0), total=Spent(4.0, 7.0), peak_mb=250.0)
    return Figures(
        full=Spent(120.0, 200.0),
        copy=Spent(1.0, 0.5),
        foreign=timed,
        conformed=timed,
        short_copy=Spent(0.3, 0.2),
        short=timed,
        many=timed,
        lowest_psnr_db=48.5,
        peaks_mb={"placeholder of 2 s": 207.0},
    )


def test_timed_edits_separates_the_verification(timed: Timed) -> None:
    checking_s = timed.result.seconds["verification"]

    assert timed.total.wall_s == pytest.approx(timed.writing.wall_s + checking_s)
    assert 0 < timed.writing.cpu_s < timed.total.cpu_s
    assert timed.peak_mb > 10


def test_report_compares_with_the_goals(figures: Figures, tmp_path: Path) -> None:
    lines, is_met = report(tmp_path / "recording.mp4", figures, 3)

    assert is_met
    assert "     30.00 times faster than a full re-encoding: met" in lines
    assert "      4.00 times a copy, with a conformed clip: met" in lines
    assert "  with its verification: 4.0 copies, " in "\n".join(lines)
    assert (
        "  peak memory, MB: foreign clip 250, conformed clip 250, ten edits 250,"
        " placeholder of 2 s 207"
    ) in lines
    assert "  beyond a copy, of CPU: 5.50 s; in 3 minutes 5.80 s" in lines


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"full": Spent(99.0, 99.0)}, "     24.75 times faster than a full re-encoding: MISSED"),
        ({"copy": Spent(0.9, 0.5)}, "      4.44 times a copy, with a conformed clip: MISSED"),
        ({"peaks_mb": {"any": 301.0}}, "    301.00 MB, peak memory of a job: MISSED"),
        ({"lowest_psnr_db": 46.9}, "     46.90 dB, lowest of the frames beside the cuts: MISSED"),
    ],
)
def test_report_says_which_goal_is_missed(change, line, figures: Figures, tmp_path: Path) -> None:
    lines, is_met = report(tmp_path / "recording.mp4", replace(figures, **change), 3)

    assert not is_met
    assert line in lines


def test_report_reads_the_lag_that_the_verification_saw(figures: Figures, tmp_path: Path) -> None:
    late = FileCheck(
        "sound at the joins", True, "largest lag 1.50 ms at 4 places, 0 too quiet to tell"
    )
    others = [
        item for item in figures.foreign.result.verification.checks if "sound" not in item.name
    ]
    result = replace(figures.foreign.result, verification=Verification((*others, late)))

    lines, is_met = report(
        tmp_path / "recording.mp4",
        replace(figures, foreign=replace(figures.foreign, result=result)),
        3,
    )

    assert not is_met
    assert "      1.50 ms, largest lag of the sound: MISSED" in lines
