"""Tiny recordings whose every frame says its number, so that a test can read what is shown when."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from annotation.backends.media.facts import read_media
from annotation.backends.media.frames import timed_frames
from generation.backends.video.forms import at_rate

WIDTH, HEIGHT = 192, 108
BIT_COUNT = 12
# A clip's frames carry this bit, a recording's do not.
CLIP_BIT = 1 << 11
_WHITE, _BLACK = 200, 50


@dataclass(frozen=True)
class Recipe:
    """How a recording is made; `sound` is (sample rate, layout) or None."""

    rate: Fraction = Fraction(30)
    frame_count: int = 90
    size: tuple[int, int] = (WIDTH, HEIGHT)
    codec: str = "libx264"
    pixel_format: str = "yuv420p"
    sound: tuple[int, str] | None = (48_000, "stereo")
    sound_codec: str = "aac"
    group: int = 30
    b_frames: int = 3
    parameters: str = ""
    times: Sequence[int] | None = None
    rotation: int = 0
    is_faststart: bool = False
    first_number: int = 0
    video_tracks: int = 1
    # The standard deviation of noise on every pixel.
    grain: float = 0.0


CLIP = Recipe(rate=Fraction(24), frame_count=24, size=(256, 144), sound=None, first_number=CLIP_BIT)


def numbered_picture(number: int, size: tuple[int, int]) -> np.ndarray:
    """Return a grey picture, (H, W, 3) uint8, with the number as a row of bits across it."""
    width, height = size
    picture = np.full((height, width, 3), 120, np.uint8)
    for bit in range(BIT_COUNT):
        left, right = (round(width * (bit + shift) / BIT_COUNT) for shift in (0, 1))
        shade = _WHITE if number >> bit & 1 else _BLACK
        picture[height // 3 : 2 * height // 3, left:right] = shade
    # Something that moves, so that neighbouring frames differ elsewhere too.
    column = number * 5 % width
    picture[: height // 4, column : column + 8] = (220, 60, 60)
    return picture


def number_of(frame: av.VideoFrame) -> int:
    """Return the number that a picture shows."""
    grey = frame.reformat(format="gray").to_ndarray()
    height, width = grey.shape
    row = grey[height // 2 - 3 : height // 2 + 3]
    number = 0
    for bit in range(BIT_COUNT):
        centre = round(width * (bit + 0.5) / BIT_COUNT)
        number |= int(row[:, centre - 2 : centre + 2].mean() > (_WHITE + _BLACK) / 2) << bit
    return number


def noise(seconds: float, rate: int, channel_count: int, seed: int = 3) -> np.ndarray:
    """Return sound, (channels, N) float32, that fits itself in one place only."""
    rng = np.random.default_rng(seed)
    mono = np.convolve(rng.normal(0, 0.2, round(seconds * rate)), np.ones(6) / 6, "same")
    return np.tile(mono.astype(np.float32), (channel_count, 1))


# What was drawn in this process, by recipe and kind of file: most tests want the same few.
_DRAWN: dict[tuple[Recipe, str], bytes] = {}


def write_recording(path: Path, recipe: Recipe | None = None, **changes) -> Path:
    recipe = recipe or Recipe(**changes)
    recipe = replace(recipe, times=recipe.times and tuple(recipe.times))
    kind = (recipe, path.suffix)
    if kind not in _DRAWN:
        _draw(path, recipe)
        _DRAWN[kind] = path.read_bytes()
    path.write_bytes(_DRAWN[kind])
    return path


def _draw(path: Path, recipe: Recipe) -> None:
    options = {"movflags": "+faststart"} if recipe.is_faststart else {}
    rng = np.random.default_rng(7)
    with av.open(str(path), "w", options=options) as container:
        tracks = [_picture_track(container, recipe) for _ in range(recipe.video_tracks)]
        sound = None
        if recipe.sound:
            sound = container.add_stream(recipe.sound_codec, rate=recipe.sound[0])
            sound.codec_context.layout = recipe.sound[1]
        time_base = 1 / recipe.rate
        for index in range(recipe.frame_count):
            picture = numbered_picture(recipe.first_number + index, recipe.size)
            if recipe.grain:
                noisy = picture + rng.normal(0, recipe.grain, picture.shape)
                picture = np.clip(noisy, 0, 255).astype(np.uint8)
            for track in tracks:
                frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
                frame = frame.reformat(format=recipe.pixel_format)
                frame.pts = recipe.times[index] if recipe.times else index
                frame.time_base = time_base
                container.mux(track.encode(frame))
        if sound is not None:
            _write_sound(container, sound, recipe)
        for track in tracks:
            container.mux(track.encode(None))


def _picture_track(container, recipe: Recipe):
    track = container.add_stream(recipe.codec, rate=recipe.rate)
    track.width, track.height = recipe.size
    track.pix_fmt = recipe.pixel_format
    track.codec_context.time_base = 1 / recipe.rate
    if recipe.codec == "libx264":
        parameters = f"keyint={recipe.group}:bframes={recipe.b_frames}:scenecut=0"
        if recipe.parameters:
            parameters += f":{recipe.parameters}"
        track.options = {"preset": "ultrafast", "crf": "18", "x264-params": parameters}
    elif recipe.parameters:
        track.options = dict(item.split("=") for item in recipe.parameters.split(":"))
    if recipe.rotation:
        track.set_display_rotation(-recipe.rotation)
    return track


def _write_sound(container, stream, recipe: Recipe) -> None:
    rate, layout = recipe.sound
    samples = noise(recipe.frame_count / recipe.rate, rate, av.AudioLayout(layout).nb_channels)
    size = 960 if recipe.sound_codec == "libopus" else 1024
    for at in range(0, samples.shape[1], size):
        block = np.ascontiguousarray(samples[:, at : at + size])
        kind = "fltp"
        if recipe.sound_codec == "libopus":
            kind, block = "flt", np.ascontiguousarray(block.T.reshape(1, -1))
        frame = av.AudioFrame.from_ndarray(block, kind, layout)
        frame.sample_rate, frame.pts, frame.time_base = rate, at, Fraction(1, rate)
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


def shown_numbers(path: Path) -> list[int]:
    """Return the number of every frame of a file, in the order of showing."""
    media = read_media(path)
    start = media.time_of(0)
    frames = at_rate(timed_frames(media, start), start, media.frame_rate, media.frame_count)
    return [number_of(frame) for frame in frames]


def expected_numbers(count: int, *cuts: tuple[int, int, list[int]]) -> list[int]:
    """Return the numbers of a recording whose frames `first` to `last` gave way to others."""
    numbers: list[int] = []
    at = 0
    for first, last, others in cuts:
        numbers += [*range(at, first), *others]
        at = last
    return [*numbers, *range(at, count)]


def clip_numbers(count: int, rate: Fraction, recipe: Recipe = CLIP) -> list[int]:
    """Return what a whole clip shows at another rate: at each moment the frame shown then."""
    moments = [(index / rate + 1 / (4 * rate)) * recipe.rate for index in range(count)]
    return [recipe.first_number + min(int(at), recipe.frame_count - 1) for at in moments]


def remuxed(
    path: Path, out: Path, change=lambda packet, kind: True, *, sound_tracks: int = 1
) -> Path:
    """Copy a file packet by packet; `change` may alter one and says whether it stays."""
    with av.open(str(path)) as container, av.open(str(out), "w") as output:
        tracks = {}
        for stream in container.streams:
            count = sound_tracks if stream.type == "audio" else 1
            tracks[stream.index] = [output.add_stream_from_template(stream) for _ in range(count)]
        for packet in container.demux():
            if packet.dts is None or not change(packet, packet.stream.type):
                continue
            pts, dts = packet.pts, packet.dts
            for track in tracks[packet.stream_index]:
                copy = av.Packet(bytes(packet))
                copy.pts, copy.dts, copy.time_base = pts, dts, packet.time_base
                copy.duration, copy.is_keyframe, copy.stream = (
                    packet.duration,
                    packet.is_keyframe,
                    track,
                )
                output.mux(copy)
    return out
