"""Before and after a provider's job: fit the request to its limits, check and conform its file."""

from pathlib import Path

import av
from PIL import Image

from annotation.backends.media.exceptions import SourceError, VideoError
from annotation.backends.media.facts import read_media
from generation.backends.video.clips.backend import ClipRequest
from generation.backends.video.clips.conform import ConformedClip, conform_clip
from generation.backends.video.exceptions import VerificationError
from generation.backends.video.forms import browser_form
from generation.backends.video.providers.exceptions import NotAVideoError, UnfitRequestError
from generation.backends.video.providers.pictures import (
    enlarged,
    jpeg_of,
    nearest_size,
    widened,
)
from generation.backends.video.providers.provider import Order, ProviderLimits, Size
from generation.backends.video.timed_check import TimedCheck

# A clip is cut to the needed length. If more than this is cut off, it would reach its last frame in
# a part that nobody sees, so it is ordered without one.
LONGEST_CUT_S = 1.0
# Encoders round sizes to whole blocks and lengths to whole frames; larger differences are noted.
OTHER_SHAPE = 0.03
SHORTER_S = 0.25


def order_of(request: ClipRequest, limits: ProviderLimits) -> Order:
    """The request as an order within the limits; raises UnfitRequestError if that is impossible.

    For a clip longer than the longest offered length that length is ordered, so it is too short.
    """
    prompt = f"{request.prompt.strip()} {request.style_lock.strip()}".strip()
    most = limits.most_prompt_characters
    if not prompt:
        raise UnfitRequestError("the prompt is empty")
    if len(prompt) > most:
        raise UnfitRequestError(
            f"prompt and style lock have {len(prompt)} characters; expected at most {most}"
        )
    first = request.anchors.first if limits.takes_first else None
    last = request.anchors.last
    if first is None and limits.needs_first:
        raise UnfitRequestError("there is no frame before the clip; this provider needs one")
    duration_s = limits.clips.order_length_s(request.duration_s)
    reaches_last = limits.takes_last and duration_s - request.duration_s <= LONGEST_CUT_S
    if first is None or not reaches_last:
        # Every provider that accepts a last frame accepts it only together with a first one.
        last = None
    form = browser_form(request.recording)
    size = nearest_size(limits.sizes, form.width, form.height)
    return Order(
        prompt=prompt,
        duration_s=round(duration_s),
        size=size,
        first=_anchor(first, size, limits) if first is not None else None,
        last=_anchor(last, size, limits) if last is not None else None,
    )


def _anchor(image: Image.Image, size: Size, limits: ProviderLimits) -> bytes:
    fitted = image if limits.follows_first else widened(image, size)
    return jpeg_of(enlarged(fitted, limits.least_side_px), limits.most_image_bytes)


def conformed(
    file: Path, request: ClipRequest, out: Path, timed_check: TimedCheck | None = None
) -> ConformedClip:
    """Write the provider's file to `out` in the recording's form; raise NotAVideoError."""
    try:
        return conform_clip(
            file, request.recording, out, longest_s=request.duration_s, timed_check=timed_check
        )
    except (VideoError, VerificationError, av.FFmpegError) as error:
        raise NotAVideoError(f"the provider's file is not a usable video: {error}") from error


def differences(file: Path, order: Order, request: ClipRequest, limits: ProviderLimits) -> str:
    """What is unexpected about a usable file: its shape or length; empty if nothing is.

    Raises NotAVideoError.
    """
    try:
        media = read_media(file)
    except SourceError as error:
        raise NotAVideoError(f"the provider's file is not a video: {error}") from error
    form = browser_form(request.recording)
    follows = limits.follows_first and order.first is not None
    wanted = (form.width, form.height) if follows else (order.size.width, order.size.height)
    notes = []
    if abs(media.width * wanted[1] / (media.height * wanted[0]) - 1) > OTHER_SHAPE:
        notes.append(
            f"The picture is {media.width}x{media.height}; expected the shape of"
            f" {wanted[0]}x{wanted[1]}, so it is cropped."
        )
    if media.duration_s < order.duration_s - SHORTER_S:
        notes.append(f"The clip lasts {media.duration_s:.2f} s; ordered were {order.duration_s} s.")
    return " ".join(notes)
