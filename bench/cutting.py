"""A stretch cut out of a recording, beside smartcut: processor time with our verification on.

Recordings with sound and a key frame every 2 s: H.264 at 640 x 360 and at 1080p, and H.265 at
640 x 360. Both sides run as programs of their own that take turns, their start included; ours also
verifies what it has written, which smartcut does not. smartcut (of PyPI) is installed into an
environment of its own in the folder, for it wants another PyAV than PIE-V has.

Not every browser plays H.265, so what PIE-V writes is H.264 whatever the recording is, once for
everybody who looks at it. smartcut leaves H.265 as it is. Like is compared with like: there its cut
is encoded as H.264 by the program `ffmpeg`, with the preset, rate factor and key frames of ours.

    python -m bench.cutting [--folder FOLDER] [--minutes 5] [--runs 3]
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from statistics import median

from bench.one_cut import CUT_S
from bench.splice_recording import RATE, recording_of
from generation.backends.video.encoding import KEY_FRAME_INTERVAL_S
from generation.backends.video.splicing.reencoding import QUALITY

NO_COMPILING = "PYTHONDONTWRITEBYTECODE"
PEER = "smartcut==1.7"
RECORDINGS = (
    ("H.264, 640 x 360", "small", (640, 360), "libx264"),
    ("H.264, 1080p", "large", (1920, 1080), "libx264"),
    ("H.265, 640 x 360", "h265", (640, 360), "libx265"),
)
MOST_OF_PEER = 1.0
# pip compiles the peer when it installs it, whatever is set here.
COMPILING = {name: value for name, value in os.environ.items() if name != NO_COMPILING}


def main() -> int:
    """Print seconds of processors of both, their ratio and the goal; return 1 when it is missed."""
    parser = argparse.ArgumentParser(description="Measure cutting beside smartcut.")
    parser.add_argument("--folder", type=Path, help="keep recordings and peer here")
    parser.add_argument("--minutes", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as scratch:
        folder = options.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        peer = installed_peer(folder / "smartcut")
        ratios = [
            measured(
                words,
                recording_of(folder, *kind, options.minutes),
                peer,
                runs=options.runs,
                is_played=kind[-1] == "libx264",
            )
            for words, *kind in RECORDINGS
        ]
    if peer is None:
        print(f"   {PEER} cannot be installed here, so there is nothing to compare with")
        return 0
    is_met = max(ratios) <= MOST_OF_PEER
    print(f"   {'goal met' if is_met else 'GOAL MISSED'}: at most {MOST_OF_PEER:g} of smartcut")
    return 0 if is_met else 1


def installed_peer(folder: Path) -> Path | None:
    """The program `smartcut`; None where it cannot be installed."""
    program = folder / "bin" / "smartcut"
    if not program.exists():
        venv.create(folder, with_pip=True)
        pip = [str(folder / "bin" / "pip"), "install", "--quiet", PEER]
        if subprocess.run(pip, check=False).returncode:
            return None
    return program


def measured(words: str, source: Path, peer: Path | None, *, runs: int, is_played: bool) -> float:
    """Print one row; how many times the processor time of the peer ours is (0 without a peer).

    Where browsers do not play what the peer leaves, encoding it for them counts with the peer.
    """
    out, played = source.with_name("cut.mp4"), source.with_name("played.mp4")
    own = [sys.executable, "-m", "bench.one_cut", str(source), str(out)]
    cut = ",".join(map(str, CUT_S))
    other = [str(peer), str(source), str(out), "--cut", cut, "--log-level", "error"]
    encoding = [
        shutil.which("ffmpeg") or "ffmpeg", "-y", "-loglevel", "error", "-i", str(out),
        "-c:v", "libx264", "-preset", QUALITY.preset, "-crf", str(QUALITY.rate_factor),
        "-g", str(KEY_FRAME_INTERVAL_S * RATE), "-c:a", "copy", str(played),
    ]  # fmt: skip
    # An installed program finds its modules compiled.
    subprocess.run([sys.executable, "-c", "import bench.one_cut"], check=True, env=COMPILING)
    own_s, peer_s, encoding_s = [], [], [0.0]
    for _ in range(runs):
        if peer is not None:
            peer_s.append(cpu_seconds_of(other)[0])
            if not is_played:
                encoding_s.append(cpu_seconds_of(encoding)[0])
        seconds, said = cpu_seconds_of(own)
        own_s.append(seconds)
    row = f"   {words:<18} {median(own_s):6.2f} s of CPU, by {said}"
    if not peer_s:
        print(row)
        return 0.0
    encoded_s = median(encoding_s[1:] or encoding_s)
    ratio = median(own_s) / (median(peer_s) + encoded_s)
    after = f" and {encoded_s:.2f} s for H.264" if encoded_s else ""
    print(
        f"{row}; smartcut {median(peer_s):6.2f} s{after}: {ratio:.2f} times (goal {MOST_OF_PEER:g})"
    )
    return ratio


def cpu_seconds_of(command: list[str]) -> tuple[float, str]:
    """Seconds of processors that a program took, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=COMPILING)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
