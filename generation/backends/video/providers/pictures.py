"""Bring the frames beside a window into the form that a provider accepts.

If the provider has fixed shapes, a frame is widened by mirroring its edges, not cropped or
stretched: conforming later crops the clip evenly, which removes just what was added, so that the
scene keeps its place and scale at the joins.
"""

import io
import math
from collections.abc import Sequence

import numpy as np
from PIL import Image

from generation.backends.video.providers.exceptions import UnfitRequestError
from generation.backends.video.providers.provider import Size

# Tried in order, from nearly lossless, until the file is small enough.
QUALITIES = (95, 90, 80, 65)


def nearest_size(sizes: Sequence[Size], width: int, height: int) -> Size:
    """The size whose shape is nearest to that of a picture; the first of equal ones.

    >>> nearest_size((Size("wide", 1280, 720), Size("tall", 720, 1280)), 640, 480).word
    'wide'
    """
    shape = math.log(width / height)
    return min(sizes, key=lambda size: abs(math.log(size.width / size.height) - shape))


def widened(image: Image.Image, size: Size) -> Image.Image:
    """The picture in the middle of one of that size, with its edges mirrored outwards."""
    scale = min(size.width / image.width, size.height / image.height)
    inner = (
        min(size.width, round(image.width * scale)),
        min(size.height, round(image.height * scale)),
    )
    small = image.convert("RGB").resize(inner, Image.Resampling.LANCZOS)
    left, top = (size.width - inner[0]) // 2, (size.height - inner[1]) // 2
    right, bottom = size.width - inner[0] - left, size.height - inner[1] - top
    padding = ((top, bottom), (left, right), (0, 0))
    return Image.fromarray(np.pad(np.asarray(small), padding, mode="symmetric"))


def enlarged(image: Image.Image, least_side_px: int) -> Image.Image:
    """The picture with its shorter side at least so many pixels long."""
    image = image.convert("RGB")
    scale = least_side_px / min(image.size)
    if scale <= 1:
        return image
    return image.resize(
        (math.ceil(image.width * scale), math.ceil(image.height * scale)),
        Image.Resampling.LANCZOS,
    )


def jpeg_of(image: Image.Image, most_bytes: int) -> bytes:
    """The picture as a JPEG file; raises UnfitRequestError if it stays too large."""
    for quality in QUALITIES:
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=quality, subsampling=0)
        if buffer.tell() <= most_bytes:
            return buffer.getvalue()
    raise UnfitRequestError(
        f"a frame of {image.width}x{image.height} has {buffer.tell()} bytes as a JPEG;"
        f" expected at most {most_bytes}"
    )
