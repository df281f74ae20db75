"""A provider as one of the ways to make clips: fit the request, run the job, conform the file."""

from dataclasses import dataclass, field
from pathlib import Path

import av
from PIL import Image

from generation.backends.video.clips import ClipRequest
from generation.backends.video.conform import ConformedClip, conform_clip
from generation.backends.video.exceptions import VerificationError, VideoJobError
from generation.backends.video.providers.exceptions import NotAVideoError, UnfitRequestError
from generation.backends.video.providers.job import Job, Watch
from generation.backends.video.providers.pictures import (
    enlarged,
    jpeg_of,
    nearest_size,
    widened,
)
from generation.backends.video.providers.provider import (
    Order,
    Provider,
    ProviderLimits,
    Size,
    VideoSettings,
)
from generation.backends.video.providers.transport import Transport
from generation.backends.video.publishing import draft_of
from generation.backends.video.reencoding import browser_form
from generation.engine.splicing.limits import ClipLimits

# A clip is cut to the wanted length. Where more than this is cut off, it would have to reach its
# last frame in a part that nobody sees, so it is asked for without one.
LONGEST_CUT_S = 1.0


@dataclass(frozen=True, slots=True)
class ProviderBackend:
    """Makes clips by one provider; `watch` says when to stop and notes the ids of jobs."""

    provider: Provider
    settings: VideoSettings
    watch: Watch = field(default_factory=Watch)

    @property
    def name(self) -> str:
        return self.provider.name

    @property
    def limits(self) -> ClipLimits:
        return self.provider.limits.clips

    def make_clip(self, request: ClipRequest, out: Path) -> ConformedClip:
        """Order a clip and write it to `out`; raise a ProviderError where there is none."""
        order = order_of(request, self.provider.limits)
        call = self.provider.submission(order, self.settings.model or self.provider.default_model)
        with Transport(self.provider, self.settings) as transport:
            job = Job(self.provider, transport, self.watch)
            return _finished(job, job.submit(call), request, out)

    def finish_clip(self, job_id: str, request: ClipRequest, out: Path) -> ConformedClip:
        """Write the clip of a job that was submitted before, without ordering it again."""
        with Transport(self.provider, self.settings) as transport:
            return _finished(Job(self.provider, transport, self.watch), job_id, request, out)


def order_of(request: ClipRequest, limits: ProviderLimits) -> Order:
    """Return the request within the limits; raise UnfitRequestError where it cannot be brought so.

    A longer clip than the longest is asked for as that, and is shorter than wanted.
    """
    prompt = f"{request.prompt.strip()} {request.style_lock.strip()}".strip()
    _check_prompt(prompt, limits)
    first, last = request.anchors.first, request.anchors.last
    if first is None and limits.needs_first:
        raise UnfitRequestError("there is no frame before the clip; this provider needs one")
    duration_s = limits.clips.asked_s(request.duration_s)
    if first is None or not _reaches_last(request.duration_s, duration_s, limits):
        # Every provider that takes a last frame takes it beside a first one only.
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


def _check_prompt(prompt: str, limits: ProviderLimits) -> None:
    most = limits.most_prompt_characters
    if not prompt:
        raise UnfitRequestError("the prompt is empty")
    if len(prompt) > most:
        raise UnfitRequestError(
            f"prompt and style lock have {len(prompt)} characters; expected at most {most}"
        )


def _reaches_last(wanted_s: float, asked_s: float, limits: ProviderLimits) -> bool:
    if not limits.takes_last or asked_s - wanted_s > LONGEST_CUT_S:
        return False
    return not limits.last_offered_s or asked_s in limits.last_offered_s


def _anchor(image: Image.Image, size: Size, limits: ProviderLimits) -> bytes:
    fitted = image if limits.follows_first else widened(image, size)
    return jpeg_of(enlarged(fitted, limits.least_side_px), limits.most_image_bytes)


def _finished(job: Job, job_id: str, request: ClipRequest, out: Path) -> ConformedClip:
    report = job.wait_until_done(job_id)
    with draft_of(out) as draft:
        job.fetch(report, draft)
        job.watch.check()
        try:
            return conform_clip(draft, request.recording, out, longest_s=request.duration_s)
        except (VideoJobError, VerificationError, av.FFmpegError) as error:
            raise NotAVideoError(
                f"what {job.provider.name} made is no usable video: {error}"
            ) from error
