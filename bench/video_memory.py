"""How much memory every video job takes, in a process that holds all that a worker of a site does.

The recording is that of `bench.splice` (1080p30, ten minutes unless told otherwise). Every job runs
in a process of its own, and the stage of a run goes through four takes in one. Of its tree of
processes the proportional set sizes (PSS) are added up while it runs: no page is counted twice.
Beside it stands the peak of the process alone as the system keeps it (resident, libraries shared
with other programs included), which no moment escapes. The goal is held against the larger one.

The peer is the `ffmpeg` program, encoding the same recording anew in its usual way.

    python -m bench.video_memory [--folder FOLDER] [--minutes 10]
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from annotation.backends.media.facts import read_media
from bench.runs import REPOSITORY, environment_of
from bench.video_jobs import JOBS, make_recordings

GOAL_MB = 300.0
# Of what is held after the last take over the first; what is loaded once comes with the first.
# The peaks themselves differ with what is cut from a take.
GROWTH_GOAL = 1.1
PAUSE_S = 0.02
PEER_S = 20
# What reading of a process says that has just ended; that it may not be read would be no 0 MB.
GONE = (FileNotFoundError, ProcessLookupError)
STAGE = "stage of a run, {count} takes in one process"


@dataclass(frozen=True, slots=True)
class Used:
    """Peaks in MB: of the tree of processes (PSS, sampled) and of its largest process (resident).

    `peaks_mb` are those of the process by part of the work, `left_mb` what it held after each,
    where it told them.
    """

    tree_mb: float
    process_mb: float
    peaks_mb: tuple[float, ...] = ()
    left_mb: tuple[float, ...] = ()

    @property
    def largest_mb(self) -> float:
        return max(self.tree_mb, self.process_mb)


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured; `peer` is None where the `ffmpeg` program is not installed."""

    jobs: dict[str, Used]
    stage: Used
    peer: Used | None


def main() -> int:
    """Print the figures; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the memory of video jobs.")
    parser.add_argument("--folder", type=Path, help="keep the recordings here")
    parser.add_argument("--minutes", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as scratch:
        folder = options.folder or Path(scratch, "videos")
        folder.mkdir(parents=True, exist_ok=True)
        source = make_recordings(folder.absolute(), options.minutes)
        lines, is_met = report(measured(source, Path(scratch)))
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if is_met else 1


def measured(source: Path, scratch: Path) -> Figures:
    """Measure every job, the stage and the peer, one after the other."""
    environment = environment_of(scratch)
    folder = str(source.parent)
    inside = [sys.executable, "-m", "bench.video_memory_site"]
    duration_s = str(read_media(source).duration_s)
    used([*inside, "prepare", folder, duration_s], environment)
    return Figures(
        jobs={name: used([*inside, "job", name, folder], environment) for name in JOBS},
        stage=used([*inside, "takes"], environment),
        peer=peer(source, scratch / "anew.mp4", environment),
    )


def peer(source: Path, out: Path, environment: dict[str, str]) -> Used | None:
    """What `ffmpeg` takes for some seconds of the recording; longer takes no more."""
    program = shutil.which("ffmpeg")
    if program is None:
        return None
    quality = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-c:a", "aac"]
    read = [program, "-v", "error", "-y", "-t", str(PEER_S), "-i", str(source)]
    return used([*read, *quality, str(out)], environment)


def used(command: list[str], environment: dict[str, str]) -> Used:
    """What a command takes, looked at every few milliseconds until it ends."""
    tree_mb = process_mb = 0.0
    with subprocess.Popen(
        command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        while process.poll() is None:
            ids = list(tree_of(process.pid))
            tree_mb = max(tree_mb, sum(_mb(pid, "smaps_rollup", "Pss:") for pid in ids))
            process_mb = max(process_mb, *(_mb(pid, "status", "VmHWM:") for pid in ids))
            time.sleep(PAUSE_S)
        answer = process.stdout.read() if process.stdout else ""
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    told = json.loads(answer) if answer.startswith("[") else []
    peaks_mb, left_mb = (tuple(each[place] for each in told) for place in (0, 1))
    return Used(tree_mb, max(process_mb, *peaks_mb, 0.0), peaks_mb, left_mb)


def tree_of(process_id: int) -> Iterator[int]:
    """Yield a process and those that it started, as far as they are still there (Linux)."""
    yield process_id
    try:
        tasks = list(Path(f"/proc/{process_id}/task").iterdir())
        children = " ".join((task / "children").read_text() for task in tasks).split()
    except GONE:
        return
    for child in children:
        yield from tree_of(int(child))


def _mb(process_id: int, file: str, word: str) -> float:
    """What a line of a process's file says, in MB; 0 when it has just ended."""
    with suppress(*GONE):
        for line in Path(f"/proc/{process_id}/{file}").read_text().splitlines():
            if line.startswith(word):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def report(figures: Figures) -> tuple[list[str], bool]:
    """Every figure as lines of text, and whether the goals are met."""
    stage = figures.stage
    by_take = stage.peaks_mb
    everything = {**figures.jobs, STAGE.format(count=len(by_take)): stage}
    largest_mb = max(item.largest_mb for item in everything.values())
    growth = stage.left_mb[-1] / stage.left_mb[0]
    goals = [
        (f"{largest_mb:.0f} MB, most of a job: goal of {GOAL_MB:g}", largest_mb < GOAL_MB),
        (f"{growth:.2f} times as much left: goal of {GROWTH_GOAL:g}", growth <= GROWTH_GOAL),
    ]
    peer_line = "  ffmpeg is not installed, so it has no figure"
    if figures.peer is not None:
        peer_line = row("peer: ffmpeg, x264 veryfast", figures.peer)
    lines = [
        f"  {'peak in MB':46}{'tree (PSS)':>12}{'process':>10}{'goal':>7}",
        *(f"{row(name, item)}{GOAL_MB:7.0f}" for name, item in everything.items()),
        peer_line,
        f"  by take: {_listed(by_take)}; left after each: {_listed(stage.left_mb)}",
        *(f"  {text} {'met' if met else 'MISSED'}" for text, met in goals),
    ]
    return lines, all(met for _, met in goals)


def _listed(figures_mb: Iterable[float]) -> str:
    return ", ".join(f"{mb:.0f}" for mb in figures_mb)


def row(name: str, item: Used) -> str:
    return f"  {name:46}{item.tree_mb:12.0f}{item.process_mb:10.0f}"


if __name__ == "__main__":
    sys.exit(main())
