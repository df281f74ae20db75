"""Single pictures of a recording: small ones to show to a model, whole ones to make clips from."""

from io import BytesIO
from pathlib import Path

import av
from PIL import Image

from annotation.backends.media.container import opened_pictures
from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.frames import ShownFrames
from annotation.backends.media.picture_form import clockwise_turn, upright

# Models scale larger pictures down themselves, and charge for them.
LONGEST_SIDE = 768
JPEG_QUALITY = 85
# Twice as fast as the usual level, for a tenth more bytes.
PNG_LEVEL = 3


def still(path: Path, time_s: float, longest_side: int = LONGEST_SIDE) -> bytes:
    """The picture that is shown at a time of the recording, as JPEG, upright and small.

    A time after the end gives the last picture. Raises SourceError where none can be decoded.
    """
    image = _upright_picture(path, time_s)
    image.thumbnail((longest_side, longest_side))
    written = BytesIO()
    image.save(written, "JPEG", quality=JPEG_QUALITY)
    return written.getvalue()


def whole_still(path: Path, time_s: float) -> bytes:
    """The same picture in full size, as PNG, upright and without a loss."""
    written = BytesIO()
    _upright_picture(path, time_s).save(written, "PNG", compress_level=PNG_LEVEL)
    return written.getvalue()


def _upright_picture(path: Path, time_s: float) -> Image.Image:
    with opened_pictures(path) as (container, stream):
        if stream.time_base is None:
            raise SourceError(f"{path.name} has no clock")
        wanted = (stream.start_time or 0) + round(max(0.0, time_s) / stream.time_base)
        try:
            container.seek(wanted, stream=stream)
            decoded = container.decode(stream)
            timed = ((wanted if frame.pts is None else frame.pts, frame) for frame in decoded)
            shown = ShownFrames(timed).at(wanted)
        except av.FFmpegError as error:
            raise SourceError(f"{path.name} is damaged at {time_s:.1f} s ({error})") from error
    if shown is None:
        raise SourceError(f"{path.name} has no picture at {time_s:.1f} s")
    return upright(shown[1], clockwise_turn(shown[1]))
