"""The recording and the clip that splicing is measured with, made once and kept in a folder."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.filter import Graph
from av.video.frame import PictureType

from annotation.backends.media.aac import SoundForm
from generation.backends.video.sound.packets import encoded_sound

RATE, SIZE, MINUTE_FRAMES = 30, (1920, 1080), 1800
CLIP_S = 5
FORM = SoundForm(48_000, "stereo", 128_000)
SEED = 5
# A key frame every 2 s. Each encoder has words of its own for it.
KEY_FRAMES = {
    "libx264": {"g": str(2 * RATE)},
    "libx265": {
        "x265-params": f"keyint={2 * RATE}:min-keyint={2 * RATE}:open-gop=0:log-level=none"
    },
}


def recording(folder: Path, minutes: int) -> Path:
    """The recording of so many minutes, made when it is not there yet."""
    path = folder / f"recording-{minutes}.mp4"
    minute = folder / "minute.mp4"
    if not minute.exists():
        encode_pattern(minute, "testsrc2", SIZE, RATE, MINUTE_FRAMES, "noise=alls=6:allf=t")
    if not path.exists():
        repeat_minute(minute, path, minutes)
    return path


def clip(folder: Path) -> Path:
    """A clip of another size and rate, as models deliver them."""
    path = folder / "clip.mp4"
    if not path.exists():
        encode_pattern(path, "mandelbrot", (1280, 720), 24, CLIP_S * 24, "null")
    return path


def recording_of(folder: Path, name: str, size: tuple[int, int], codec: str, minutes: int) -> Path:
    """A recording of another size or codec, made when it is not there yet."""
    path, minute = folder / f"{name}-{minutes}.mp4", folder / f"{name}-minute.mp4"
    if not minute.exists():
        encode_pattern(minute, "testsrc2", size, RATE, MINUTE_FRAMES, "noise=alls=6:allf=t", codec)
    if not path.exists():
        repeat_minute(minute, path, minutes)
    return path


def encode_pattern(
    path: Path,
    pattern: str,
    size: tuple[int, int],
    rate: int,
    count: int,
    extra: str,
    codec: str = "libx264",
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
        stream = container.add_stream(codec, rate=rate)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        stream.options = {"preset": "veryfast", "crf": "23", **KEY_FRAMES[codec]}
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
