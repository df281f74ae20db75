"""Render the videos of the sample corpus with Pillow and PyAV; no program of the system is needed.

Every file carries a fingerprint of what it was made from (in its `comment` tag), so that a second
call renders nothing, and a changed step renders its own videos only. Files appear under their name
when they are complete.
"""

import hashlib
import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.video.reformatter import VideoReformatter

from annotation.engine.corpus.procedure import Reading, Step, TraceStep
from sample.gestures import changes_at, pose_at
from sample.picture import base_picture, draw_clock, draw_pose
from sample.stage import (
    HEIGHT,
    WIDTH,
    Direction,
    Scene,
    State,
    load_scenes,
    opening_state,
    state_after,
)

# A picture per tenth of a second, where every step of the corpus begins: more of them, and finer
# sound, would be the most that a fresh site spends its time on.
FPS = 10
KEYFRAME_INTERVAL = 2 * FPS  # frames; closed groups of at most two seconds seek and cut well
SAMPLE_RATE = 16_000  # samples per second
AUDIO_FRAME = 1024  # samples in one AAC frame
TAIL_S = 1.0  # seconds of stillness after the last step
MOST_WORKERS = 8
SUFFIX = ".mp4"
# Raise it when the drawing changes: every file is then made anew.
RENDERER_VERSION = 2

TICK_S, TICK_GAIN = 0.09, 0.16
# A major pentatonic scale from A4, in Hz: any two neighbours sound well together.
TICK_HZ = (440.0, 495.0, 556.9, 660.0, 742.5, 880.0)

STREAM_COLOUR = "#9cc7ea"
# How often one vessel holds what it shows: these shapes pour their own colour, others water.
POURS_ITS_COLOUR = frozenset({"jar", "bag", "dropper", "spray", "shaker", "bottle"})


@dataclass(frozen=True, slots=True)
class Shot:
    """One step of a video: what the caption says, when, and what is done."""

    text: str
    start_s: float
    end_s: float
    direction: Direction


@dataclass(frozen=True, slots=True)
class Film:
    """One video to be made."""

    stem: str
    title: str
    scene: Scene
    shots: tuple[Shot, ...]

    @property
    def frame_count(self) -> int:
        return round((self.shots[-1].end_s + TAIL_S) * FPS)

    def fingerprint(self) -> str:
        """A digest of everything that the picture and the sound depend on."""
        source = json.dumps([RENDERER_VERSION, FPS, asdict(self)], sort_keys=True)
        return hashlib.sha256(source.encode()).hexdigest()


def films_of(reading: Reading) -> list[Film]:
    """The film of every take and trace that names a video, in that order.

    Raises KeyError when a scenario or a step text has no direction in `scenes.json`.
    """
    scenes = load_scenes()
    takes = {take.uid: take for take in reading.takes}
    films = [_film_of(take.video_stem, take.scenario, take.steps, scenes) for take in reading.takes]
    for trace in reading.traces:
        scenario = takes[trace.take_uid].scenario
        films.append(_film_of(trace.video_stem, scenario, trace.steps, scenes))
    return [film for film in films if film.stem]


def _film_of(
    stem: str, scenario: str, steps: Sequence[Step | TraceStep], scenes: dict[str, Scene]
) -> Film:
    scene = scenes[scenario]
    shots = tuple(
        Shot(step.text, step.start_s, step.end_s, scene.directions[step.text])
        for step in steps
        if step.start_s is not None and step.end_s is not None
    )
    return Film(stem=stem, title=scenario, scene=scene, shots=shots)


def render_corpus(
    reading: Reading, folder: Path, *, progress: Callable[[str], None] | None = None
) -> list[Path]:
    """Make the missing and outdated videos of the corpus; return the files that were made.

    `progress` gets one sentence per finished file. A process per processor works at it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    films = films_of(reading)
    due = [film for film in films if not is_current(film, folder)]
    # The longest first, so that all processes finish at about the same time.
    due.sort(key=lambda film: -film.frame_count)
    count: list[Path] = []
    if not due:
        return count
    # A fresh interpreter per worker: the caller may be a web server with threads.
    context = multiprocessing.get_context("spawn")
    worker_count = min(MOST_WORKERS, os.cpu_count() or 1, len(due))
    with ProcessPoolExecutor(worker_count, mp_context=context) as pool:
        for number, path in enumerate(pool.map(render_film, due, [folder] * len(due)), start=1):
            count.append(path)
            if progress:
                progress(f"video {number} of {len(due)} is ready")
    return count


def is_current(film: Film, folder: Path) -> bool:
    """Whether the folder has the video of this film as it would be made now."""
    path = folder / (film.stem + SUFFIX)
    if not path.is_file():
        return False
    try:
        with av.open(str(path)) as container:
            return container.metadata.get("comment") == film.fingerprint()
    except av.FFmpegError:
        return False  # cut off or foreign: it is made anew


def render_film(film: Film, folder: Path) -> Path:
    """Make one video and return its path; an interrupted run leaves no file under that name."""
    path = folder / (film.stem + SUFFIX)
    unfinished = folder / f".{film.stem}.{os.getpid()}{SUFFIX}"
    try:
        _encode(film, unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def _encode(film: Film, path: Path) -> None:
    sound = sound_of(film)
    with av.open(str(path), "w", options={"movflags": "+faststart"}) as container:
        container.metadata["comment"] = film.fingerprint()
        video = container.add_stream(
            "libx264",
            rate=FPS,
            options={"preset": "veryfast", "crf": "23", "profile": "high", "sc_threshold": "0"},
        )
        video.width, video.height, video.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        video.gop_size = KEYFRAME_INTERVAL
        video.thread_count = 1  # the films themselves run side by side
        video.time_base = Fraction(1, FPS)
        audio = container.add_stream("aac", rate=SAMPLE_RATE, layout="mono")
        audio.bit_rate = 64_000
        heard = 0
        # Kept for the whole film, and in one thread: setting it up costs more than a frame does.
        reformatter = VideoReformatter()
        for number, picture in enumerate(pictures_of(film)):
            drawn = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame = reformatter.reformat(drawn, format="yuv420p", threads=1)
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            container.mux(video.encode(frame))
            until = min((number + 1) * SAMPLE_RATE // FPS, len(sound))
            while heard + AUDIO_FRAME <= until or heard < until == len(sound):
                container.mux(audio.encode(_audio_frame(sound, heard)))
                heard += AUDIO_FRAME
        container.mux(video.encode(None))
        container.mux(audio.encode(None))


def _audio_frame(sound: np.ndarray, start: int) -> av.AudioFrame:
    chunk = sound[None, start : start + AUDIO_FRAME]
    frame = av.AudioFrame.from_ndarray(chunk, format="fltp", layout="mono")
    frame.sample_rate, frame.pts = SAMPLE_RATE, start
    frame.time_base = Fraction(1, SAMPLE_RATE)
    return frame


def sound_of(film: Film) -> np.ndarray:
    """The sound track, (N,) float32 within -1 to 1, N samples: one tick as a step begins."""
    sound = np.zeros(film.frame_count * SAMPLE_RATE // FPS, dtype=np.float32)
    at_s = np.arange(round(TICK_S * SAMPLE_RATE)) / SAMPLE_RATE
    fade = np.exp(-at_s * 45) * np.minimum(at_s * 400, 1.0)
    for number, shot in enumerate(film.shots):
        tick = TICK_GAIN * fade * np.sin(2 * np.pi * TICK_HZ[number % len(TICK_HZ)] * at_s)
        start = round(shot.start_s * SAMPLE_RATE)
        sound[start : start + len(tick)] += tick.astype(np.float32)
    return sound


def pictures_of(film: Film) -> Iterator[np.ndarray]:
    """Yield every frame of the film, (HEIGHT, WIDTH, 3) uint8 in RGB."""
    state = opening_state(film.scene)
    frame = 0
    caption = ""
    for shot in film.shots:
        first = round(shot.start_s * FPS)
        yield from _still_pictures(film, state, caption, range(frame, first))
        last = round(shot.end_s * FPS)
        yield from _moving_pictures(film, state, shot, range(first, last))
        state, caption, frame = state_after(state, shot.direction), shot.text, last
    yield from _still_pictures(film, state, caption, range(frame, film.frame_count))


def _still_pictures(film: Film, state: State, caption: str, frames: range) -> Iterator[np.ndarray]:
    base = base_picture(state, film.scene.setting, film.title, caption)
    for frame in frames:
        image = base.copy()
        draw_clock(image, frame / FPS)
        yield np.asarray(image)


def _moving_pictures(film: Film, before: State, shot: Shot, frames: range) -> Iterator[np.ndarray]:
    direction, after = shot.direction, state_after(before, shot.direction)
    change = changes_at(direction)
    prop = before.props[direction.prop]
    own_colour = prop.colour if prop.shape in POURS_ITS_COLOUR else STREAM_COLOUR
    stream_colour = prop.fill or own_colour
    last_shown: tuple[bool, bool] | None = None
    for number, frame in enumerate(frames):
        progress = number / max(len(frames) - 1, 1)
        pose = pose_at(before, direction, progress)
        has_changed = progress >= change
        is_placed = has_changed and prop.at != after.props[direction.prop].at
        is_gone = has_changed and not after.props[direction.prop].shown
        state = after if has_changed else before
        held_picture = "" if is_placed or is_gone else pose.held
        if last_shown != (has_changed, bool(held_picture)):
            last_shown = (has_changed, bool(held_picture))
            still = frozenset(state.group(held_picture)) if held_picture else frozenset()
            base = base_picture(state, film.scene.setting, film.title, shot.text, moving=still)
        image = base.copy()
        draw_pose(image, state, pose, held_picture, stream_colour)
        draw_clock(image, frame / FPS)
        yield np.asarray(image)
