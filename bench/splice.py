"""Splicing a 10-minute recording, beside a full re-encoding and a plain copy of the same file.

The recording (1080p30, H.264 veryfast, a key frame every 2 s, AAC) is made first, and kept where a
folder for it is named: one minute of a moving pattern with film grain is encoded, its packets
repeated. Times are medians; the full re-encoding runs once. Where the `ffmpeg` program is installed
it makes the full re-encoding and the copy, because it is faster at both than we are. Every job of
ours runs in a process of its own, whose peak memory is printed.

    python -m bench.splice [--folder FOLDER] [--minutes 10] [--runs 3]
"""

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import av

from annotation.backends.media.facts import read_media
from annotation.backends.media.frames import frames_between
from bench.measure import in_fresh_process, peak_memory_bytes
from bench.splice_recording import CLIP_S, clip, recording
from generation.backends.video.checking.expected import Expected, Thoroughness, kept_ranges
from generation.backends.video.checking.picture_checks import grey, psnr
from generation.backends.video.checking.verification import verify
from generation.backends.video.clips.backend import ClipRequest, anchors_at
from generation.backends.video.clips.bridge import BridgeBackend
from generation.backends.video.clips.conform import conform_clip
from generation.backends.video.edits import ClipSource, Edit, frame_edits
from generation.backends.video.splicing.reencoding import write_reencoded
from generation.backends.video.splicing.splice import SpliceOptions, SpliceResult, splice

CUT_S = (123.4, 131.7)
SPEED_GOAL, COPY_GOAL, PSNR_GOAL_DB, LAG_GOAL_MS, MEMORY_GOAL_MB = 25.0, 4.0, 47.0, 1.0, 300.0
SHORT_MINUTES = 3
# What is encoded anew as a whole is shorter, for its memory does not depend on its length.
SAMPLE_S = 6


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
    # MB by job, of those that are not timed above.
    peaks_mb: dict[str, float]


def main() -> int:
    """Print the figures and their goals; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure splicing.")
    parser.add_argument("--folder", type=Path, help="keep the recordings here")
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as scratch:
        folder = options.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        source = recording(folder, options.minutes)
        lines, is_met = report(source, measured(folder, source, options.runs), options.runs)
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
    sample = folder / "sample.mp4"
    splice(source, [Edit(SAMPLE_S, read_media(source).duration_s)], sample)
    return Figures(
        full=full_encoding(source, folder / "full.mp4"),
        copy=middle(copies),
        foreign=middle_timed(foreigns),
        conformed=middle_timed(conformeds),
        short_copy=middle(short_copies),
        short=middle_timed(shorts),
        many=in_fresh_process(timed_edits, source, conformed_clip, out),
        lowest_psnr_db=lowest_db,
        peaks_mb={
            "placeholder of 2 s": in_fresh_process(peak_of_bridge, sample, folder),
            "conforming a clip": in_fresh_process(peak_of_conforming, sample, folder),
            "encoding all anew": in_fresh_process(peak_of_encoding, sample, folder),
            "decoding all to verify": in_fresh_process(peak_of_full_check, sample, folder),
        },
    )


def peak_of_bridge(source: Path, folder: Path) -> float:
    media = read_media(source)
    asked = ClipRequest("", 2.0, media, anchors_at(media, 60, 120), caption="Pour the water")
    BridgeBackend().make_clip(asked, folder / "placeholder.mp4")
    return peak_memory_bytes() / 1e6


def peak_of_conforming(source: Path, folder: Path) -> float:
    conform_clip(folder / "clip.mp4", read_media(source), folder / "stored.mp4")
    return peak_memory_bytes() / 1e6


def peak_of_encoding(source: Path, folder: Path) -> float:
    """Encode and verify as the slow path of a splice does."""
    media, out = read_media(source), folder / "encoded.mp4"
    count = write_reencoded(media, (), out, is_sound_copied=media.can_copy_sound).frame_count
    expected = Expected(
        source=media,
        frame_count=count,
        new_ranges=((0, count),),
        kept=kept_ranges(media, ()),
        is_copied=False,
        is_sound_copied=media.can_copy_sound,
    )
    if not verify(out, expected).is_passed:
        raise RuntimeError("the re-encoded file failed its verification")
    return peak_memory_bytes() / 1e6


def peak_of_full_check(source: Path, folder: Path) -> float:
    options = SpliceOptions(thoroughness=Thoroughness.FULL)
    clip_source = ClipSource(folder / "conformed.mp4")
    splice(source, [Edit(2.0, 3.0, (clip_source,))], folder / "checked.mp4", options)
    return peak_memory_bytes() / 1e6


def middle(items: list[Spent]) -> Spent:
    return Spent(median(item.wall_s for item in items), median(item.cpu_s for item in items))


def middle_timed(items: list[Timed]) -> Timed:
    return Timed(
        items[0].result,
        middle([item.writing for item in items]),
        middle([item.total for item in items]),
        max(item.peak_mb for item in items),
    )


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
    """What a piece of work takes, programs that it starts included."""
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
        media = read_media(source)
        return spent_by(lambda: write_reencoded(media, (), out, is_sound_copied=False))
    quality = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-c:a", "aac"]
    command = [program, "-v", "error", "-y", "-i", str(source), *quality, str(out)]
    return spent_by(lambda: subprocess.run(command, check=True))


def lowest_psnr(source: Path, out: Path, result: SpliceResult) -> float:
    """The lowest PSNR (dB) of the frames that the recording shows but were encoded anew."""
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
    """Every figure with its goal as lines of text, and whether all goals are met."""
    full, copy, foreign, conformed = figures.full, figures.copy, figures.foreign, figures.conformed
    checks = {check.name: check.seen for check in foreign.result.verification.checks}
    lag_ms = float(checks["sound at the joins"].split()[2])
    faster, slower = full.wall_s / foreign.writing.wall_s, conformed.writing.wall_s / copy.wall_s
    peaks_mb = {
        "foreign clip": foreign.peak_mb,
        "conformed clip": conformed.peak_mb,
        "ten edits": figures.many.peak_mb,
        **figures.peaks_mb,
    }
    peak_mb = max(peaks_mb.values())
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
        f"  with its verification: {conformed.total.wall_s / copy.wall_s:.1f} copies,"
        f" {conformed.total.cpu_s / copy.cpu_s:.1f} of CPU",
        f"  peak memory, MB: {', '.join(f'{name} {mb:.0f}' for name, mb in peaks_mb.items())}",
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
