"""Splicing a 10-minute recording, beside a full re-encoding and a plain copy of the same file.

The recording (1080p30, H.264 veryfast, a key frame every 2 s, AAC) is made once and kept in the
folder: one minute of a moving pattern with film grain is encoded, its packets repeated. Times are
medians; the full re-encoding runs once. Where the `ffmpeg` program is installed it makes the full
re-encoding and the copy, because it is faster at both than we are.

    python -m bench.splice --folder FOLDER [--minutes 10] [--runs 3]
"""

import argparse
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
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
from generation.backends.video.expected import kept_ranges
from generation.backends.video.frame_reader import frames_between
from generation.backends.video.media import read_media
from generation.backends.video.picture_checks import grey, psnr
from generation.backends.video.reencoding import write_reencoded
from generation.backends.video.sound import SoundForm, encoded_sound, sound_encoder
from generation.backends.video.splice import SpliceResult, splice

RATE, SIZE, MINUTE_FRAMES = 30, (1920, 1080), 1800
FORM = SoundForm(48_000, "stereo", 128_000)
SEED = 5
CUT_S, CLIP_S = (123.4, 131.7), 5
SPEED_GOAL, COPY_GOAL, PSNR_GOAL_DB, LAG_GOAL_MS, MEMORY_GOAL_MB = 25.0, 4.0, 47.0, 1.0, 300.0
SHORT_MINUTES = 3


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds on the wall, and of processors; the second hardly depends on what else is running."""

    wall_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Timed:
    """One splice without and with its verification, and the peak memory in MB."""

    result: SpliceResult
    writing: Spent
    total: Spent
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that was measured, medians where there were several runs."""

    full: Spent
    copy: Spent
    foreign: Timed
    conformed: Timed
    short_copy: Spent
    short: Timed
    many: Timed
    lowest_psnr_db: float


def main() -> int:
    """Print the figures and their goals; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure splicing.")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    source = recording(options.folder, options.minutes)
    lines, is_met = report(source, measured(options.folder, source, options.runs), options.runs)
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if is_met else 1


def measured(folder: Path, source: Path, runs: int) -> Figures:
    """Measure everything; what is compared takes turns, so that a busy moment hits both."""
    foreign_clip, conformed_clip = clip(folder), folder / "conformed.mp4"
    if not conformed_clip.exists():
        in_fresh_process(conform_clip, foreign_clip, read_media(source), conformed_clip)
    out, copied = folder / "out.mp4", folder / "copy.mp4"
    short = recording(folder, SHORT_MINUTES)
    copies, foreigns, conformeds, shorts, short_copies = [], [], [], [], []
    for _ in range(runs):
        copies.append(copying(source, copied))
        conformeds.append(in_fresh_process(timed_splice, source, conformed_clip, out))
        short_copies.append(copying(short, copied))
        shorts.append(in_fresh_process(timed_splice, short, conformed_clip, out))
        foreigns.append(in_fresh_process(timed_splice, source, foreign_clip, out))
    lowest_db = lowest_psnr(source, out, foreigns[-1].result)
    return Figures(
        full=full_encoding(source, folder / "full.mp4"),
        copy=middle(copies),
        foreign=middle_timed(foreigns),
        conformed=middle_timed(conformeds),
        short_copy=middle(short_copies),
        short=middle_timed(shorts),
        many=in_fresh_process(timed_edits, source, conformed_clip, out),
        lowest_psnr_db=lowest_db,
    )


def middle(items: list[Spent]) -> Spent:
    return Spent(median(item.wall_s for item in items), median(item.cpu_s for item in items))


def middle_timed(items: list[Timed]) -> Timed:
    return Timed(
        items[0].result,
        middle([item.writing for item in items]),
        middle([item.total for item in items]),
        max(item.peak_mb for item in items),
    )


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
                    offset = number * MINUTE_FRAMES * (packet.duration or 0)
                    packet.pts, packet.dts = (packet.pts or 0) + offset, packet.dts + offset
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
    started, started_cpu = time.perf_counter(), time.process_time()
    result = splice(source, edits, out)
    total = Spent(time.perf_counter() - started, time.process_time() - started_cpu)
    verification = Spent(result.seconds["verification"], result.cpu_seconds["verification"])
    writing = Spent(total.wall_s - verification.wall_s, total.cpu_s - verification.cpu_s)
    return Timed(result, writing, total, peak_memory_bytes() / 1e6)


def spent_by(work: Callable[[], object]) -> Spent:
    """Return what a piece of work takes, programs that it starts included."""
    before = cpu_seconds()
    started = time.perf_counter()
    work()
    return Spent(time.perf_counter() - started, cpu_seconds() - before)


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in used)


def copying(source: Path, out: Path) -> Spent:
    program = shutil.which("ffmpeg")
    if not program:
        return spent_by(lambda: copy_with_pyav(source, out))
    command = [program, "-v", "error", "-y", "-i", str(source), "-c", "copy", str(out)]
    return spent_by(lambda: subprocess.run(command, check=True))


def copy_with_pyav(source: Path, out: Path) -> None:
    with av.open(str(source)) as container, av.open(str(out), "w", format="mp4") as output:
        streams = {item.index: output.add_stream_from_template(item) for item in container.streams}
        for packet in container.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream_index]
                output.mux_one(packet)


def full_encoding(source: Path, out: Path) -> Spent:
    program = shutil.which("ffmpeg")
    if not program:
        return spent_by(lambda: write_reencoded(read_media(source), (), out))
    quality = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-c:a", "aac"]
    command = [program, "-v", "error", "-y", "-i", str(source), *quality, str(out)]
    return spent_by(lambda: subprocess.run(command, check=True))


def lowest_psnr(source: Path, out: Path, result: SpliceResult) -> float:
    """Return the lowest PSNR (dB) of the frames that the recording shows but were encoded anew."""
    media, written = read_media(source), read_media(out)
    [edit] = result.edits
    clip = ClipSource(source, 0.0, edit.end_s - edit.start_s)
    cut = Edit(edit.source_start_s, edit.source_end_s, (clip,))
    [before, after] = kept_ranges(media, frame_edits(media, [cut]))
    first = max(key for key in media.key_frames if key <= before.count)
    last = min(key for key in media.key_frames if key >= after.source_first)
    values = []
    for start, count, shift in (
        (first, before.count - first, 0),
        (after.source_first, last - after.source_first, after.shift),
    ):
        shown = start + shift
        pairs = zip(
            frames_between(media, start, start + count),
            frames_between(written, shown, shown + count),
            strict=True,
        )
        values += [psnr(grey(ours), grey(theirs)) for theirs, ours in pairs]
    return min(values)


def report(source: Path, figures: Figures, runs: int) -> tuple[list[str], bool]:
    """Return every figure with its goal as lines of text, and whether all goals are met."""
    full, copy, foreign, conformed = figures.full, figures.copy, figures.foreign, figures.conformed
    checks = {check.name: check.seen for check in foreign.result.verification.checks}
    lag_ms = float(checks["sound at the joins"].split()[2])
    faster, slower = full.wall_s / foreign.writing.wall_s, conformed.writing.wall_s / copy.wall_s
    peak_mb = max(item.peak_mb for item in (foreign, conformed, figures.many))
    lowest_db = figures.lowest_psnr_db
    goals = [
        ("times faster than a full re-encoding", faster, faster >= SPEED_GOAL),
        ("times a copy, with a conformed clip", slower, slower <= COPY_GOAL),
        ("dB, lowest of the frames beside the cuts", lowest_db, lowest_db >= PSNR_GOAL_DB),
        ("ms, largest lag of the sound", lag_ms, lag_ms < LAG_GOAL_MS),
        ("MB, peak memory of a job", peak_mb, peak_mb < MEMORY_GOAL_MB),
    ]
    beyond = conformed.writing.cpu_s - copy.cpu_s
    short_beyond = figures.short.writing.cpu_s - figures.short_copy.cpu_s
    lines = [
        f"{source.name}: {source.stat().st_size / 1e6:.0f} MB, {CUT_S[1] - CUT_S[0]:.1f} s replaced"
        f" by a clip of {CLIP_S} s, median of {runs}",
        f"  {'':32}{'seconds':>8}{'of CPU':>8}{'with verification':>22}",
        row("full re-encoding, x264 veryfast", full),
        row("copy of all packets", copy),
        row(f"splice, foreign clip ({foreign.result.path})", foreign.writing, foreign.total),
        row("splice, conformed clip", conformed.writing, conformed.total),
        row("the same in 3 minutes", figures.short.writing, figures.short.total),
        row("ten edits in one pass", figures.many.writing, figures.many.total),
        f"  times by seconds of CPU: {full.cpu_s / foreign.writing.cpu_s:.1f} faster than the full"
        f" re-encoding, {conformed.writing.cpu_s / copy.cpu_s:.1f} copies",
        f"  beyond a copy, of CPU: {beyond:.2f} s; in {SHORT_MINUTES} minutes {short_beyond:.2f} s",
        f"  untouched frames: {checks['untouched frames']}; all checks passed:"
        f" {all(item.result.verification.is_passed for item in (foreign, conformed))},"
        f" ten edits: {figures.many.result.verification.is_passed}",
        *(f"  {value:8.2f} {name}: {'met' if met else 'MISSED'}" for name, value, met in goals),
    ]
    return lines, all(met for *_, met in goals)


def row(name: str, spent: Spent, total: Spent | None = None) -> str:
    checked = f"{total.wall_s:12.2f} {total.cpu_s:8.2f}" if total else ""
    return f"  {name:32}{spent.wall_s:8.2f}{spent.cpu_s:8.2f} {checked}".rstrip()


if __name__ == "__main__":
    sys.exit(main())
