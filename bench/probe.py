"""Probing a thousand recordings as linking does, beside one ffprobe process per file.

The files are real ones of 4 to 6 seconds, H.264, VP9 and HEVC at 640 x 360 with sound, in MP4, MOV,
WebM and Matroska: so many different ones are encoded, and each is copied until there are enough.
Both sides probe as many files at once as linking does. ffprobe only reads what the files say of
themselves; the probe also decodes their first picture and looks whether their end is there. The
index of key frames, which belongs to ingestion, is timed apart.

    python -m bench.probe [--files 1000] [--folder FOLDER]
"""

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.filter import Graph
from av.video.frame import PictureType

from annotation.backends.media.frame_index import read_frame_index
from annotation.backends.media.probe import probe_video

# As many at once as linking probes.
PROBING_THREADS = 4
DISTINCT_FILES, RUNS = 20, 3
FILES_PER_S_GOAL = 100.0
RATE, SIZE, SAMPLE_RATE = 25, (640, 360), 48_000
# Pictures: encoder and its options; each with every suffix that it goes with.
KINDS = (
    ("libx264", "aac", ".mp4", {"preset": "veryfast", "g": "50"}),
    ("libx264", "aac", ".mov", {"preset": "veryfast", "g": "250"}),
    ("libvpx-vp9", "libopus", ".webm", {"deadline": "realtime", "cpu-used": "8"}),
    ("libx265", "aac", ".mkv", {"preset": "ultrafast", "x265-params": "log-level=none"}),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """Seconds on the wall and of processors for all files; None where ffprobe is not installed."""

    file_count: int
    probe: tuple[float, float]
    index: tuple[float, float]
    ffprobe: tuple[float, float] | None


def main() -> int:
    """Print the figures; return 1 when the goal is missed."""
    parser = argparse.ArgumentParser(description="Measure probing.")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--folder", type=Path, help="keep the recordings here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as scratch:
        folder = options.folder or Path(scratch)
        lines, is_met = report(measured(folder, make_files(folder, options.files)))
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if is_met else 1


def make_files(folder: Path, file_count: int) -> list[str]:
    """The names of the recordings in the folder, made when they are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for number in range(file_count):
        distinct = number % DISTINCT_FILES
        suffix = KINDS[distinct % len(KINDS)][2]
        path = folder / f"recording-{number:04d}{suffix}"
        names.append(path.name)
        if path.exists():
            continue
        if number < DISTINCT_FILES:
            encode(path, distinct)
        else:
            shutil.copyfile(folder / names[distinct], path)
    return names


def encode(path: Path, number: int) -> None:
    """Write a recording of 4 to 6 seconds with a moving pattern and a sound."""
    codec, sound_codec, _, choices = KINDS[number % len(KINDS)]
    frame_count = RATE * 4 + 5 * (number % 10)
    graph = Graph()
    pattern = graph.add("testsrc2", f"size={SIZE[0]}x{SIZE[1]}:rate={RATE}")
    graph.link_nodes(pattern, graph.add("format", "yuv420p"), graph.add("buffersink")).configure()
    with av.open(str(path), "w") as container:
        pictures = container.add_stream(codec, rate=RATE)
        pictures.width, pictures.height, pictures.pix_fmt = *SIZE, "yuv420p"
        pictures.options = dict(choices)
        sound = container.add_stream(sound_codec, rate=SAMPLE_RATE)
        sound.codec_context.layout = "stereo"
        sound.codec_context.open()
        sound_size = sound.codec_context.frame_size
        rng, heard = np.random.default_rng(number), 0
        for index in range(frame_count):
            frame = graph.vpull()
            frame.pts, frame.time_base = index, Fraction(1, RATE)
            # Patterns call every frame a key frame, and the encoder would believe it.
            frame.pict_type = PictureType.NONE
            container.mux(pictures.encode(frame))
            while heard * RATE <= index * SAMPLE_RATE:
                samples = rng.normal(0, 0.05, 2 * sound_size).astype(np.float32)
                container.mux(sound.encode(sound_frame(samples, sound_codec, heard)))
                heard += sound_size
        for stream in (pictures, sound):
            container.mux(stream.encode(None))


def sound_frame(samples: np.ndarray, codec: str, place: int) -> av.AudioFrame:
    is_packed = codec == "libopus"
    shaped = samples.reshape(1, -1) if is_packed else samples.reshape(2, -1)
    frame = av.AudioFrame.from_ndarray(shaped, "flt" if is_packed else "fltp", "stereo")
    frame.sample_rate, frame.pts = SAMPLE_RATE, place
    frame.time_base = Fraction(1, SAMPLE_RATE)
    return frame


def measured(folder: Path, names: list[str]) -> Figures:
    """Measure everything; what is compared takes turns, so that a busy moment hits both."""
    program = shutil.which("ffprobe")

    def probe() -> None:
        at_once(lambda name: probe_video(folder / name), names)

    def indexed() -> None:
        at_once(lambda name: read_frame_index(folder / name), names)

    def ffprobed() -> None:
        command = [str(program), "-v", "error", "-show_format", "-show_streams", "-of", "json"]
        at_once(
            lambda name: subprocess.run(
                [*command, str(folder / name)], check=True, capture_output=True
            ),
            names,
        )

    probes, indices, peers = [], [], []
    spent_by(probe)
    for _ in range(RUNS):
        probes.append(spent_by(probe))
        indices.append(spent_by(indexed))
        if program:
            peers.append(spent_by(ffprobed))
    return Figures(len(names), middle(probes), middle(indices), middle(peers) if program else None)


def at_once(work: Callable[[str], object], names: list[str]) -> None:
    with ThreadPoolExecutor(PROBING_THREADS) as pool:
        list(pool.map(work, names))


def middle(items: list[tuple[float, float]]) -> tuple[float, float]:
    return statistics.median(item[0] for item in items), statistics.median(
        item[1] for item in items
    )


def spent_by(work: Callable[[], object]) -> tuple[float, float]:
    """The seconds on the wall and of processors, programs that are started included."""
    before, started = cpu_seconds(), time.perf_counter()
    work()
    return time.perf_counter() - started, cpu_seconds() - before


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in used)


def report(figures: Figures) -> tuple[list[str], bool]:
    """Every figure as lines of text, and whether the goal is met."""
    per_s = figures.file_count / figures.probe[0]
    is_met = per_s >= FILES_PER_S_GOAL
    peer = "  ffprobe is not installed, so it has no figure"
    if figures.ffprobe is not None:
        peer = row("one ffprobe per file", figures.file_count, figures.ffprobe)
    lines = [
        f"{figures.file_count:,} recordings of {DISTINCT_FILES} kinds, {PROBING_THREADS} at once,"
        f" median of {RUNS}",
        f"  {'':28}{'files/s':>9}{'seconds':>9}{'of CPU':>9}",
        row("probe", figures.file_count, figures.probe),
        peer,
        row("index of all frames", figures.file_count, figures.index),
        f"  {per_s:.0f} files/s: goal of {FILES_PER_S_GOAL:g} {'met' if is_met else 'MISSED'}",
    ]
    return lines, is_met


def row(name: str, file_count: int, spent: tuple[float, float]) -> str:
    return f"  {name:28}{file_count / spent[0]:9.0f}{spent[0]:9.2f}{spent[1]:9.2f}"


if __name__ == "__main__":
    sys.exit(main())
