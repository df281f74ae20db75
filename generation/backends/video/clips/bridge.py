"""The built-in renderer: a recognisable placeholder between two frames of the recording.

It moves from the picture before the window to the one after it (along the camera's shift between
the two, found by phase correlation) while one fades into the other, draws the step as a caption,
and marks every frame as a placeholder unless that is turned off. It needs no model and no network.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, sqrt
from pathlib import Path
from textwrap import wrap

import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame
from PIL import Image, ImageDraw, ImageFont

from annotation.backends.media.facts import SPLICED_PIXEL_FORMAT, Media
from generation.backends.video.clips.backend import ClipRequest
from generation.backends.video.clips.conform import ConformedClip, form_for_clips, store_clip
from generation.backends.video.encoding import Quality
from generation.backends.video.exceptions import ClipError
from generation.backends.video.forms import brought_to_form, browser_form
from generation.backends.video.timed_check import StillWanted, TimedCheck
from generation.engine.progress import UNWATCHED
from generation.engine.splicing.limits import ClipLimits

# (height, width, 3) uint8: a picture of full size in floats would be four times as large.
Picture = npt.NDArray[np.uint8]

MARK = "PLACEHOLDER"
# After a larger shift than this share of the picture, the camera shows another scene.
FARTHEST_SHIFT = 0.2
# With a lower peak of the correlation the two pictures do not show the same thing.
CLEAREST_PEAK = 0.05
_CORRELATED_WIDTH = 256
# Frames are drawn no larger than this, and enlarged for larger recordings.
MOST_DRAWN_PIXELS = 1920 * 1088
# Drawn pictures are easy to encode, so a fast preset is enough.
QUALITY = Quality(rate_factor=16, preset="superfast")
_INK, _PAPER, _MARK_COLOUR = (255, 255, 255, 255), (20, 20, 24, 190), (214, 120, 20, 255)
_MOST_CAPTION_LINES = 3
_BAND_ROWS = 32


@dataclass(frozen=True, slots=True)
class BridgeBackend:
    """Renders placeholders; a person may turn off `is_marked` and `shows_caption`.

    `check` is called about once a second and raises if the clip is no longer wanted.
    """

    is_marked: bool = True
    shows_caption: bool = True
    check: StillWanted = UNWATCHED.check
    name: str = "bridge"
    limits: ClipLimits = field(default_factory=lambda: ClipLimits(min_s=0.2, max_s=30.0))

    def make_clip(self, request: ClipRequest, out: Path) -> ConformedClip:
        """Write the placeholder to `out`; raise `ClipError` if there is no frame to show."""
        recording = request.recording
        rendered, target = browser_form(recording), form_for_clips(recording)
        # Drawing needs a dozen pictures in memory, and half or a third of the size looks good
        # enough.
        part = ceil(sqrt(rendered.width * rendered.height / MOST_DRAWN_PIXELS))
        if part > 1:
            size = [max(2, side // part // 2 * 2) for side in (rendered.width, rendered.height)]
            rendered = replace(rendered, width=size[0], height=size[1])
        count = max(1, round(Fraction(request.duration_s) * target.frame_rate))
        frames = TimedCheck(self.check).over(self._frames(request, rendered, count))
        conformed = brought_to_form(frames, rendered, target)
        return store_clip(conformed, target, count, out, quality=QUALITY)

    def _frames(self, request: ClipRequest, form: Media, count: int) -> Iterator[VideoFrame]:
        first, last = request.anchors.first, request.anchors.last
        start, end = first or last, last or first
        if start is None or end is None:
            raise ClipError("there is no frame before or after the clip to start from")
        images = (_fitted(start, form), _fitted(end, form))
        caption = request.caption if self.shows_caption else ""
        overlay = _overlay((form.width, form.height), caption, is_marked=self.is_marked)
        shift = camera_shift(np.asarray(images[0]), np.asarray(images[1]))
        # One frame is drawn on again and again; reformatting makes a copy of it for the encoder.
        frame = VideoFrame(form.width, form.height, "rgb24")
        plane = frame.planes[0]
        lines = np.frombuffer(memoryview(plane), np.uint8).reshape(frame.height, plane.line_size)
        for index in range(count):
            # From just after the frame before to just before the frame after.
            progress = (index + 1) / (count + 1)
            eased = progress * progress * (3 - 2 * progress)
            # In bands, because every step of drawing needs another picture in memory.
            for top in range(0, frame.height, _BAND_ROWS):
                rows = range(top, min(top + _BAND_ROWS, frame.height))
                band = between(*images, shift, eased, rows)
                over = overlay.crop((0, rows.start, frame.width, rows.stop))
                band.paste(over, mask=over)
                drawn = np.asarray(band).reshape(len(rows), -1)
                lines[rows.start : rows.stop, : 3 * frame.width] = drawn
            yield frame.reformat(format=SPLICED_PIXEL_FORMAT)


def _fitted(image: Image.Image, form: Media) -> Image.Image:
    size = (form.width, form.height)
    # Pillow would copy a picture even if nothing has to be converted.
    image = image if image.mode == "RGB" else image.convert("RGB")
    return image if image.size == size else image.resize(size, Image.Resampling.BICUBIC)


def camera_shift(before: Picture, after: Picture) -> tuple[int, int]:
    """(rows, columns) by which the scene moved between two pictures; (0, 0) if unclear.

    Source: Kuglin and Hines, The phase correlation image alignment method, 1975.
    """
    step = max(1, before.shape[1] // _CORRELATED_WIDTH)
    small = [picture[::step, ::step].mean(axis=2) for picture in (before, after)]
    window = np.outer(np.hanning(small[0].shape[0]), np.hanning(small[0].shape[1]))
    spectra = [np.fft.rfft2((picture - picture.mean()) * window) for picture in small]
    cross = spectra[1] * np.conj(spectra[0])
    correlation = np.fft.irfft2(cross / np.maximum(np.abs(cross), 1e-9), s=small[0].shape)
    peak = np.unravel_index(int(np.argmax(correlation)), correlation.shape)
    if correlation[peak] < CLEAREST_PEAK:
        return 0, 0
    shift = []
    for place, size in zip(peak, correlation.shape, strict=True):
        moved = int(place) - size if place > size // 2 else int(place)
        if abs(moved) > FARTHEST_SHIFT * size:
            return 0, 0
        shift.append(moved * step)
    return shift[0], shift[1]


def between(
    before: Image.Image,
    after: Image.Image,
    shift: tuple[int, int],
    share: float,
    rows: range,
) -> Image.Image:
    """Rows of the picture that is `share` (0 to 1) of the way from one to the other."""
    moved = [round(part * share) for part in shift]
    left = _shifted(before, (moved[0], moved[1]), rows)
    right = _shifted(after, (moved[0] - shift[0], moved[1] - shift[1]), rows)
    return Image.blend(left, right, share)


def _shifted(image: Image.Image, shift: tuple[int, int], rows: range) -> Image.Image:
    """Rows of the picture moved down and right, with its edge pixels repeated."""
    wanted = np.clip(np.arange(rows.start, rows.stop) - shift[0], 0, image.height - 1)
    first, last = int(wanted[0]), int(wanted[-1])
    band = image.crop((0, first, image.width, last + 1))
    if shift == (0, 0):
        return band
    columns = np.clip(np.arange(image.width) - shift[1], 0, image.width - 1)
    return Image.fromarray(np.asarray(band)[wanted - first][:, columns])


def _overlay(size: tuple[int, int], caption: str, *, is_marked: bool) -> Image.Image:
    """The mark and caption over every frame, transparent elsewhere."""
    image = Image.new("RGBA", size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    unit = max(8, size[1] // 24)
    font = ImageFont.load_default(unit)
    if is_marked:
        draw.rectangle((0, 0, size[0] - 1, size[1] - 1), outline=_MARK_COLOUR, width=unit // 4)
        _draw_label(draw, MARK, (unit // 2, unit // 2), font, _MARK_COLOUR)
    per_line = max(10, int(size[0] / (unit * 0.55)))
    lines = wrap(caption, per_line, max_lines=_MOST_CAPTION_LINES, placeholder=" …")
    for number, line in enumerate(reversed(lines), start=1):
        at = (unit, size[1] - int(number * unit * 1.5) - unit // 2)
        _draw_label(draw, line, at, font, _PAPER)
    return image


def _draw_label(
    draw: ImageDraw.ImageDraw,
    text: str,
    at: tuple[int, int],
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    fill: tuple[int, int, int, int],
) -> None:
    box = draw.textbbox(at, text, font=font)
    draw.rectangle((box[0] - 3, box[1] - 3, box[2] + 3, box[3] + 3), fill=fill)
    draw.text(at, text, font=font, fill=_INK)
