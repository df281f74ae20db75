"""Splicing a 10-minute recording, beside a full re-encoding and a plain copy of the same file.

The recording (1080p30, H.264 veryfast, a key frame every 2 s, AAC) is made once and kept in the
folder: one minute of a moving pattern with film grain is encoded, its packets repeated. Times are
medians; the full re-encoding runs once. Where the `ffmpeg` program is installed it makes the full
re-encoding and the copy, because it is faster at both than we are.

    python -m bench.splice --folder FOLDER [--minutes 10] [--runs 3]
"""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median

import av
import numpy as np
from av.filter import Graph
from av.video.frame import PictureType

from bench.measure import in_fresh_process, peak_memory_bytes
from generation.backends.video.conform import conform_clip
from generation.backends.video.edits import ClipSource, Edit, frame_edits
from generation.backends.video.media import read_media
from generation.backends.video.pictures import frames_between
from generation.backends.video.reencoding import write_reencoded
from generation.backends.video.sound import SoundForm, encoded_sound, sound_encoder
from generation.backends.video.splice import SpliceResult, splice
from generation.backends.video.verification import grey, kept_ranges, psnr

RATE, SIZE, MINUTE_FRAMES = 30, (1920, 1080), 1800
FORM = SoundForm(48_000, "stereo", 128_000)
SEED = 5
CUT_S, CLIP_S = (123.4, 131.7), 5
SPEED_GOAL, COPY_GOAL, PSNR_GOAL_DB, LAG_GOAL_MS, MEMORY_GOAL_MB = 25.0, 4.0, 47.0, 1.0, 300.0
TEN_EDITS_S = 50.0


@dataclass(frozen=True, slots=True)
class Timed:
    """One splice: seconds without and with its verification, and the peak memory in MB."""

    result: SpliceResult
    writing_s: float
    total_s: float
    peak_mb: float


def main() -> int:
    """Print the figures and their goals; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure splicing.")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    source = recording(options.folder, options.minutes)
    foreign = clip(options.folder)
    conformed = options.folder / "conformed.mp4"
    conform_clip(foreign, read_media(source), conformed)
    out = options.folder / "out.mp4"
    by_foreign, by_conformed, copying = [], [], []
    for _ in range(options.runs):
        copying.append(seconds_of_copy(source, options.folder / "copy.mp4"))
        by_foreign.append(in_fresh_process(timed_splice, source, foreign, out))
        by_conformed.append(in_fresh_process(timed_splice, source, conformed, out))
    short = recording(options.folder, 3)
    shorter = [in_fresh_process(timed_splice, short, conformed, out) for _ in range(options.runs)]
    short_copying = [seconds_of_copy(short, out) for _ in range(options.runs)]
    many = in_fresh_process(timed_edits, source, conformed, out)
    timed_splice(source, foreign, out)
    full_s = seconds_of_full_encoding(source, options.folder / "full.mp4")
    return report(
        source, out, full_s, median(copying), by_foreign, by_conformed,
        shorter, median(short_copying), many,
    )  # fmt: skip


def recording(folder: Path, minutes: int) -> Path:
    """Return the recording of so many minutes, made when it is not there yet."""
    path = folder / f"recording-{minutes}.mp4"
    minute = folder / "minute.mp4"
    if not minute.exists():
        encode_pattern(minute, "testsrc2", SIZE, RATE, MINUTE_FRAMES, "noise=alls=6:allf=t")
    if not path.exists():
        repeat_minute(minute, path, minutes)
    return path


def clip(folder: Path) -> Path:
    """Return a clip of another size and rate, as models deliver them."""
    path = folder / "clip.mp4"
    if not path.exists():
        encode_pattern(path, "mandelbrot", (1280, 720), 24, CLIP_S * 24, "null")
    return path


def encode_pattern(
    path: Path, pattern: str, size: tuple[int, int], rate: int, count: int, extra: str
) -> None:
    graph = Graph()
    name, _, options = extra.partition("=")
    nodes = [
        graph.add(pattern, f"size={size[0]}x{size[1]}:rate={rate}"),
        graph.add(name, options or None),
        graph.add("format", "yuv420p"),
        graph.add("buffersink"),
    ]
    graph.link_nodes(*nodes).configure()
    draft = path.with_suffix(".part")
    with av.open(str(draft), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=rate)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        stream.options = {"preset": "veryfast", "crf": "23", "g": str(2 * rate)}
        for index in range(count):
            frame = graph.vpull()
            frame.pts, frame.time_base = index, Fraction(1, rate)
            # Patterns call every frame a key frame, and the encoder would believe it.
            frame.pict_type = PictureType.NONE
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    draft.rename(path)


def noise(seconds: int) -> Iterator[np.ndarray]:
    """Yield a second at a time of sound that fits itself only in one place, (2, N) float32."""
    rng = np.random.default_rng(SEED)
    for _ in range(seconds):
        mono = rng.normal(0, 0.1, FORM.sample_rate).astype(np.float32)
        smooth = np.convolve(mono, np.ones(8, np.float32) / 8, "same").astype(np.float32)
        yield np.stack([smooth, smooth])


def repeat_minute(minute: Path, path: Path, minutes: int) -> None:
    draft = path.with_suffix(".part")
    with av.open(str(draft), "w", format="mp4") as container:
        pictures = sound_out = None
        heard = encoded_sound(noise(60 * minutes), FORM, 0)
        encoder = sound_encoder(FORM)
        encoder.open()
        for number in range(minutes):
            with av.open(str(minute)) as source:
                stream = source.streams.video[0]
                if pictures is None:
                    pictures = container.add_stream_from_template(stream)
                    sound_out = container.add_stream("aac", rate=FORM.sample_rate)
                    sound_out.codec_context.layout = FORM.layout
                    sound_out.codec_context.bit_rate = FORM.bit_rate
                for packet in source.demux(stream):
                    if packet.dts is None:
                        continue
                    offset = number * MINUTE_FRAMES * packet.duration
                    packet.pts, packet.dts = packet.pts + offset, packet.dts + offset
                    packet.stream = pictures
                    container.mux(packet)
                    shown_s = float(packet.dts * packet.time_base)
                    for position, data in heard:
                        mux_sound(container, sound_out, position, data)
                        if position / FORM.sample_rate > shown_s:
                            break
        for position, data in heard:
            mux_sound(container, sound_out, position, data)
    draft.rename(path)


def mux_sound(container, stream, position: int, data: bytes) -> None:
    packet = av.Packet(data)
    packet.pts = packet.dts = position
    packet.time_base, packet.stream, packet.is_keyframe = (
        Fraction(1, FORM.sample_rate),
        stream,
        True,
    )
    packet.duration = 1024
    container.mux(packet)


def timed_splice(source: Path, clip_path: Path, out: Path) -> Timed:
    return timed_edits(source, clip_path, out, [CUT_S])


def timed_edits(
    source: Path, clip_path: Path, out: Path, cuts: list[tuple[float, float]] | None = None
) -> Timed:
    """Splice the clip into each place (ten of them unless told) in one pass."""
    if cuts is None:
        step_s = read_media(source).duration_s / 11
        cuts = [(step_s * number, step_s * number + 3.3) for number in range(1, 11)]
    edits = [Edit(start, end, (ClipSource(clip_path),)) for start, end in cuts]
    started = time.perf_counter()
    result = splice(source, edits, out)
    total_s = time.perf_counter() - started
    writing_s = total_s - result.seconds["verification"]
    return Timed(result, writing_s, total_s, peak_memory_bytes() / 1e6)


def seconds_of_copy(source: Path, out: Path) -> float:
    started = time.perf_counter()
    program = shutil.which("ffmpeg")
    if program:
        command = [program, "-v", "error", "-y", "-i", str(source), "-c", "copy", str(out)]
        subprocess.run(command, check=True)
    else:
        copy_with_pyav(source, out)
    return time.perf_counter() - started


def copy_with_pyav(source: Path, out: Path) -> None:
    with av.open(str(source)) as container, av.open(str(out), "w", format="mp4") as output:
        streams = {item.index: output.add_stream_from_template(item) for item in container.streams}
        for packet in container.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream_index]
                output.mux_one(packet)


def seconds_of_full_encoding(source: Path, out: Path) -> float:
    started = time.perf_counter()
    program = shutil.which("ffmpeg")
    if program:
        quality = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-c:a", "aac"]
        command = [program, "-v", "error", "-y", "-i", str(source), *quality, str(out)]
        subprocess.run(command, check=True)
    else:
        write_reencoded(read_media(source), (), out)
    return time.perf_counter() - started


def lowest_psnr(source: Path, out: Path, result: SpliceResult) -> float:
    """Return the lowest PSNR (dB) of the frames that the recording shows but were encoded anew."""
    media, written = read_media(source), read_media(out)
    [edit] = result.edits
    cut = Edit(edit.source_start_s, edit.source_end_s)
    made = round((edit.end_s - edit.start_s) * RATE)
    [before, after] = kept_ranges(media, frame_edits(media, [cut]))
    first = max(key for key in media.key_frames if key <= before[2])
    last = min(key for key in media.key_frames if key >= after[1])
    values = []
    for start, count, shift in ((first, before[2] - first, 0), (after[1], last - after[1], made)):
        shown = start + (made - (after[1] - before[2]) if shift else 0)
        pairs = zip(
            frames_between(media, start, start + count),
            frames_between(written, shown, shown + count),
            strict=True,
        )
        values += [psnr(grey(ours), grey(theirs)) for theirs, ours in pairs]
    return min(values)


def report(
    source: Path, out: Path, full_s: float, copy_s: float, by_foreign: list[Timed],
    by_conformed: list[Timed], shorter: list[Timed], short_copy_s: float, many: Timed,
) -> int:  # fmt: skip
    """Print every figure with its goal; return 1 when one is missed."""
    foreign_s, conformed_s = (
        median(item.writing_s for item in items) for items in (by_foreign, by_conformed)
    )
    first = by_foreign[0].result
    checks = {check.name: check for check in first.verification.checks}
    lag_ms = float(checks["sound at the joins"].seen.split()[2])
    lowest_db = lowest_psnr(source, out, first)
    peak_mb = max(item.peak_mb for item in (*by_foreign, *by_conformed, many))
    beyond_s = conformed_s - copy_s
    short_beyond_s = median(item.writing_s for item in shorter) - short_copy_s
    goals = [
        (
            "times faster than a full re-encoding",
            full_s / foreign_s,
            full_s / foreign_s >= SPEED_GOAL,
        ),
        ("times a copy, clip conformed", conformed_s / copy_s, conformed_s / copy_s <= COPY_GOAL),
        ("dB, lowest at the joins", lowest_db, lowest_db >= PSNR_GOAL_DB),
        ("ms, largest lag of the sound", lag_ms, lag_ms < LAG_GOAL_MS),
        ("MB, peak of all jobs", peak_mb, peak_mb < MEMORY_GOAL_MB),
    ]
    with_check = [median(item.total_s for item in items) for items in (by_foreign, by_conformed)]
    lines = [
        f"{source.name}: {source.stat().st_size / 1e6:.0f} MB, {CUT_S[1] - CUT_S[0]:.1f} s replaced"
        f" by a {CLIP_S} s clip, median of {len(by_foreign)}",
        f"  full re-encoding, x264 veryfast       {full_s:8.2f} s",
        f"  copy of all packets                   {copy_s:8.2f} s",
        f"  splice, foreign clip                  {foreign_s:8.2f} s"
        f"   ({with_check[0]:.2f} s with its verification, path {first.path})",
        f"  splice, conformed clip                {conformed_s:8.2f} s"
        f"   ({with_check[1]:.2f} s with its verification)",
        f"  beyond a copy, conformed clip         {beyond_s:8.2f} s"
        f"   (3 minutes instead: {short_beyond_s:.2f} s)",
        f"  ten edits in one pass                 {many.writing_s:8.2f} s"
        f"   ({many.total_s:.2f} s with verification, all passed:"
        f" {many.result.verification.is_passed})",
        f"  untouched frames: {checks['untouched frames'].seen}",
        *(f"  {value:8.2f} {name}: {'met' if met else 'MISSED'}" for name, value, met in goals),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if all(met for *_, met in goals) else 1


if __name__ == "__main__":
    sys.exit(main())
