from pathlib import Path

import pytest

from annotation.services.videos import folder_videos
from bench import probe
from bench.probe import KINDS, Figures, make_files, measured, report


def test_probe_bench_probes_as_linking_does() -> None:
    assert folder_videos.PROBING_THREADS == probe.PROBING_THREADS


def test_measured_probes_every_kind_of_file(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(probe, "RUNS", 1)
    monkeypatch.setattr(probe.shutil, "which", lambda name: None)
    names = make_files(tmp_path, len(KINDS))

    figures = measured(tmp_path, names)

    assert [Path(name).suffix for name in names] == [".mp4", ".mov", ".webm", ".mkv"]
    assert (figures.file_count, figures.ffprobe) == (4, None)
    assert min(*figures.probe, *figures.index) > 0


@pytest.mark.parametrize(
    ("wall_s", "line", "is_met"),
    [
        (5.0, "  200 files/s: goal of 100 met", True),
        (10.1, "  99 files/s: goal of 100 MISSED", False),
    ],
)
def test_report_compares_with_the_goal(wall_s: float, line: str, is_met: bool) -> None:
    figures = Figures(1000, (wall_s, 8.0), (1.0, 2.0), (20.0, 40.0))

    lines, met = report(figures)

    assert (lines[-1], met) == (line, is_met)
    assert ["one", "ffprobe", "per", "file", "50", "20.00", "40.00"] in [
        line.split() for line in lines
    ]
