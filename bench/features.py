"""What features of recordings cost: seconds per minute of video, by extractor.

The peer is the `ffmpeg` program, which does nothing but decode the same file in the same run. An
extractor that needs what is not installed has no figure.

    python -m bench.features [--runs 3] [FILE ...]

Without a file, a minute of a moving pattern is drawn, 640 x 360, H.264 (the released recordings of
CaptainCook4D are of that size).
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from annotation.backends.media.frame_index import read_frame_index
from annotation.backends.media.paced_pictures import paced_pictures
from bench.measure import median_seconds
from bench.splice_recording import RATE, encode_pattern
from benchmarks.engine.features.extractor import Extractor, extractors

SIZE, MINUTE_FRAMES = (640, 360), 60 * RATE
# Times plain decoding; only of the extractor that everybody has.
GOAL = {"colour-and-motion": 3.0}
PEER = "peer: ffmpeg, decoding alone"


def main() -> int:
    """Print the figures; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the making of features.")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as scratch:
        files = options.files
        if not files:
            files = [Path(scratch) / "minute-360.mp4"]
            encode_pattern(files[0], "testsrc2", SIZE, RATE, MINUTE_FRAMES, "noise=alls=6:allf=t")
        missed = [path for path in files if not report(path, options.runs)]
    return 1 if missed else 0


def report(path: Path, runs: int) -> bool:
    """Print the figures of one file; whether its goals are met."""
    found = {name: one for name, one in extractors().items() if not one.missing()}
    ways = {name: partial(make, path, one) for name, one in found.items()}
    program = shutil.which("ffmpeg")
    if program is not None:
        ways[PEER] = partial(decode, program, path)
    seconds = median_seconds(ways, runs)
    length_s = read_frame_index(path).duration_s
    sys.stdout.write(f"  {path.name}, {length_s:.1f} s of video\n")
    is_met = True
    for name, taken in seconds.items():
        words = f"  {name:34}{taken / length_s * 60:9.2f} s per minute of video"
        if name != PEER and PEER in seconds:
            ratio = taken / seconds[PEER]
            words += f", {ratio:.2f} times decoding alone"
            if name in GOAL:
                is_met &= ratio <= GOAL[name]
                words += f" (goal: {GOAL[name]:g}, {'met' if ratio <= GOAL[name] else 'MISSED'})"
        sys.stdout.write(f"{words}\n")
    for name in sorted(set(extractors()) - set(found)):
        sys.stdout.write(f"  {name:34}is not installed\n")
    if program is None:
        sys.stdout.write("  ffmpeg is not installed, so there is nothing to compare with\n")
    return is_met


def make(path: Path, extractor: Extractor) -> None:
    """What the job does of one recording, without storing it."""
    pictures = paced_pictures(
        path, read_frame_index(path), 1.0, extractor.pictures_per_row, extractor.size
    )
    for _row in extractor.rows(pictures):
        pass


def decode(program: str, path: Path) -> None:
    command = [program, "-v", "error", "-i", str(path), "-an", "-f", "null", "-"]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main())
