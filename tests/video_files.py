"""Draw small video files for tests, with the encoder that PyAV carries."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np


def write_video(
    path: Path,
    *,
    frame_count: int = 30,
    codec: str = "libx264",
    pixel_format: str = "yuv420p",
    times: list[int] | None = None,
) -> Path:
    """Write pictures of 64 x 48 at 30 per second; `times` places them elsewhere (in 1/30 s)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 48, pixel_format
        stream.codec_context.time_base = Fraction(1, 30)
        for index in range(frame_count):
            picture = np.full((48, 64, 3), index * 7 % 256, dtype=np.uint8)
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts = times[index] if times else index
            frame.time_base = Fraction(1, 30)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path
