"""What an hour of recording costs at ingest: sound and stills second by second beside what was.

"Before" is what was made of a recording of any length: 100 tiles and 1,000 peaks. "Now" adds a tile
and 100 values of loudness for every second, and the onsets; the sound is read once for both. Each
runs in a process of its own. The recording is H.264 with sound, in groups of 2 s.

The peer is the `ffmpeg` program, drawing the same sheets and reading the same sound, which is all
that it is asked for.

    python -m bench.long_recording [--minutes 60] [--folder FOLDER]
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from annotation.backends.media.frame_index import read_frame_index
from annotation.backends.media.memory import memory_released
from annotation.backends.media.picture_form import picture_form
from annotation.backends.media.pictures import PictureSource, draw_pictures, draw_tiles
from annotation.backends.media.sound import read_sound
from bench.measure import in_fresh_process, peak_memory_bytes
from bench.splice_recording import RATE, encode_pattern, repeat_minute

SIZE, MINUTE_FRAMES = (640, 360), 60 * RATE
# Of the recording's length, on two cores that do nothing else.
GOAL_SHARE = 0.1
MEMORY_GOAL_MB = 300.0


@dataclass(frozen=True, slots=True)
class Cost:
    """Wall time, peak of the process in MB, and what it wrote in MB."""

    seconds: float
    peak_mb: float
    written_mb: float


def main() -> int:
    """Print the figures; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the ingest of a long recording.")
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--folder", type=Path, help="keep the recording here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as scratch:
        folder = options.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        minute, path = folder / "minute-360.mp4", folder / f"long-{options.minutes}.mp4"
        if not path.exists():
            encode_pattern(minute, "testsrc2", SIZE, RATE, MINUTE_FRAMES, "noise=alls=6:allf=t")
            repeat_minute(minute, path, options.minutes)
        costs = {
            "before: 100 tiles, 1,000 peaks": in_fresh_process(cost, "before", path),
            "now: and every second": in_fresh_process(cost, "now", path),
        }
        peer = cost_of_peer(path)
    return report(costs, peer, 60 * options.minutes)


def cost(what: str, path: Path) -> Cost:
    """What one way of ingesting costs, the index of frames included."""
    make = {"before": make_before, "now": make_now}[what]
    return measured(partial(make, path))


def measured(make: Callable[[Path], object]) -> Cost:
    """The cost of what writes into a folder."""
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as folder:
        started = time.perf_counter()
        with memory_released():
            make(Path(folder))
        seconds = time.perf_counter() - started
        written = sum(item.stat().st_size for item in Path(folder).iterdir())
    return Cost(seconds, peak_memory_bytes() / 1e6, written / 1e6)


def make_before(path: Path, folder: Path) -> PictureSource:
    """Draw the sheet of the whole recording and read its sound."""
    index = read_frame_index(path)
    source = PictureSource(path, index, picture_form(path), index)
    draw_pictures(source, [], folder, lambda count: None)
    (folder / "sound.bin").write_bytes(read_sound(path, index).envelope)
    return source


def make_now(path: Path, folder: Path) -> None:
    """Draw the sheets of its seconds as well."""
    draw_tiles(make_before(path, folder), folder, lambda count: None)


def cost_of_peer(path: Path) -> Cost | None:
    """What `ffmpeg` takes for the sheets and the sound; None where it is not installed."""
    program = shutil.which("ffmpeg")
    if program is None:
        return None

    def draw(folder: Path) -> None:
        pictures = ["-vf", "fps=1,scale=112:-2,tile=10x10", "-q:v", "5", f"{folder}/%04d.jpg"]
        sound = ["-vn", "-ac", "1", "-ar", "8000", "-f", "f32le", "/dev/null"]
        subprocess.run(
            [program, "-v", "error", "-y", "-i", str(path), *pictures, *sound], check=True
        )

    return measured(draw)


def report(costs: dict[str, Cost], peer: Cost | None, length_s: float) -> int:
    """Print every figure; return 1 when a goal is missed."""
    sys.stdout.write(
        f"  {'':34}{'seconds':>9}{'of its length':>15}{'peak MB':>9}{'files MB':>10}\n"
    )
    if peer is None:
        sys.stdout.write("  ffmpeg is not installed, so it has no figure\n")
    for name, item in costs.items():
        sys.stdout.write(row(name, item, length_s, f"{item.peak_mb:9.0f}"))
    now = list(costs.values())[-1]
    if peer is not None:
        # The peak that can be read is this process's own, which only waits.
        sys.stdout.write(row("peer: ffmpeg, sheets and sound", peer, length_s, f"{'-':>9}"))
        sys.stdout.write(f"  {now.seconds / peer.seconds:.2f} times the peer's time\n")
    share = now.seconds / length_s
    is_met = share <= GOAL_SHARE and now.peak_mb < MEMORY_GOAL_MB
    sys.stdout.write(
        f"  {share:.3f} of the recording's length and {now.peak_mb:.0f} MB: goals of {GOAL_SHARE:g}"
        f" and {MEMORY_GOAL_MB:g} MB {'met' if is_met else 'MISSED'}\n"
    )
    return 0 if is_met else 1


def row(name: str, item: Cost, length_s: float, peak: str) -> str:
    share = item.seconds / length_s
    return f"  {name:34}{item.seconds:9.1f}{share:15.3f}{peak}{item.written_mb:10.1f}\n"


if __name__ == "__main__":
    sys.exit(main())
