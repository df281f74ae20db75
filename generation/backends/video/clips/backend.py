"""The interface of everything that makes clips, and the frames before and after a clip."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from PIL import Image

from annotation.backends.media.facts import Media
from generation.backends.video.clips.conform import ConformedClip
from generation.backends.video.forms import browser_form, source_frames
from generation.engine.splicing.anchors import anchor_times
from generation.engine.splicing.edit_list import EditList
from generation.engine.splicing.limits import ClipLimits


@dataclass(frozen=True, slots=True)
class Anchors:
    """The upright frames before and after a window, as pictures; None if there is no such frame."""

    first: Image.Image | None
    last: Image.Image | None


@dataclass(frozen=True, slots=True)
class ClipRequest:
    """What a clip has to show.

    `prompt` is the compiled text for a model, `style_lock` the sentence that keeps camera and
    scene, `caption` the step as a person reads it. `recording` gives size, rate and sound.
    `sample` distinguishes orders with the same content that should give different clips.
    """

    prompt: str
    duration_s: float
    recording: Media
    anchors: Anchors
    style_lock: str = ""
    caption: str = ""
    sample: int = 0


class ClipBackend(Protocol):
    """Makes clips. `name` is its name in the options of runs and in stored rows."""

    @property
    def name(self) -> str: ...

    @property
    def limits(self) -> ClipLimits: ...

    def make_clip(self, request: ClipRequest, out: Path) -> ConformedClip:
        """Write a clip in the recording's form to `out`."""
        ...


def anchors_at(recording: Media, first: int, last: int) -> Anchors:
    """The last frame before `first` and the frame `last`, on both sides of a window of frames."""
    before = _picture(recording, first - 1) if first > 0 else None
    after = _picture(recording, last) if last < recording.frame_count else None
    return Anchors(before, after)


def _picture(recording: Media, frame: int) -> Image.Image:
    upright = browser_form(recording)
    [picture] = source_frames(recording, upright, frame, frame + 1)
    return picture.to_image()


def anchors_of(clip_id: str, edits: EditList, recording: Media) -> Anchors:
    times = anchor_times(edits)[clip_id]
    first, last = (
        min(round(Fraction(at_s) * recording.frame_rate), recording.frame_count)
        for at_s in (times.before_s, times.after_s)
    )
    return anchors_at(recording, first, last)
