"""The video of a segmentation's page, and the rate at which its frames are known."""

from dataclasses import asdict, dataclass

import numpy as np

from annotation.backends.media.browser_fitness import LATEST_START_FRAMES
from annotation.engine.videos.recording_detail import RecordingDetail
from annotation.models import Video
from annotation.selectors.videos.media import (
    ONSETS,
    SOUND,
    ShownMedia,
    finished_ingest,
    frame_times,
    recording_detail,
    shown_media,
)

# A proxy shows in each frame what the source shows a quarter of a frame after its beginning.
FRAME_SLACK = 0.25
IN_TENTHS = "so edges are given in tenths of a second."
NO_VIDEO = f"This recording has no video, {IN_TENTHS}"
UNKNOWN_RATE = f"The frames of this recording are not known yet, {IN_TENTHS}"
UNEVEN = f"The frames of this recording come at no even rate, {IN_TENTHS}"
LATE_START = f"Browsers disagree on when they show each frame of this recording, {IN_TENTHS}"


@dataclass(frozen=True, slots=True)
class RecordingMedia:
    """A recording on the page of a segmentation; `video` is None where there is none.

    `rate` is in frames per second: frame k is shown from k / rate seconds on. Where it is None,
    `rate_note` says why. `is_due`: it was ingested before all was made that is made today.
    """

    video: Video | None
    shown: ShownMedia | None
    detail: RecordingDetail | None
    rate: float | None
    rate_note: str
    is_due: bool = False

    @property
    def duration_s(self) -> float | None:
        return self.video.duration_s if self.video else None

    @property
    def file_rate(self) -> float | None:
        """The rate at which exported files count the frames of the original video file.

        None where it varies: the frame numbers on the page are then those of the proxy.
        """
        return None if self.video is None or self.video.is_rate_variable else self.rate

    def frame_gaps(self) -> list[int] | None:
        """How many frames of the proxy after the one before each new picture begins, from 0 on.

        None where each of its frames shows a picture of its own, or the ingest kept no times.
        """
        if self.video is None or self.rate is None or not self.video.is_rate_variable:
            return None
        times = frame_times(self.video)
        if times is None:
            return None
        seconds = (times.pts - times.pts[0]) * float(times.time_base)
        starts = np.unique(np.ceil(seconds * self.rate - FRAME_SLACK).astype(np.int64))
        return [int(gap) for gap in np.diff(starts, prepend=0)]

    def to_dict(self, address: str) -> dict[str, object] | None:
        """The media for the page's modules; `address` is the user's `video_url`.

        `frame_rate` and the rest are as on the audit page. `sound.url` gives the envelope as bytes
        (0 to 255, `per_second` a second; ask for a window by a Range of bytes), `onsets_url` the
        JSON {"onsets": [seconds]}. Tile k of `stills` shows the seconds from k * `tile_s` on: row
        by row on sheet `urls[k // sheet_tiles]`. `frame_gaps` are as in `frame_gaps`.
        """
        if self.shown is None:
            return None
        sound = self.detail.sound if self.detail else None
        tiles = asdict(self.detail.tiles) if self.detail else None
        return {
            **self.shown.to_dict(),
            "frame_rate": self.rate or self.shown.frame_rate,
            "is_rate_variable": bool(self.video and self.video.is_rate_variable),
            "frame_gaps": self.frame_gaps(),
            "url": address,
            "pictures_url": address,
            "sound": sound
            and {
                **asdict(sound),
                "url": f"{address}{SOUND}/",
                "onsets_url": f"{address}{ONSETS}/",
            },
            "stills": tiles
            and {"urls": [f"{address}{name}/" for name in tiles.pop("names")], **tiles},
        }


def recording_media(video: Video | None) -> RecordingMedia:
    """The media of a recording; no query where `ingest` was selected with the video."""
    if video is None:
        return RecordingMedia(None, None, None, None, NO_VIDEO)
    detail = recording_detail(video)
    rate, note = _rate(video, detail)
    ingest = finished_ingest(video)
    is_due = ingest is not None and ingest.is_lacking
    return RecordingMedia(video, shown_media(video), detail, rate, note, is_due)


def _rate(video: Video, detail: RecordingDetail | None) -> tuple[float | None, str]:
    ingest = finished_ingest(video)
    if ingest is None:
        return None, UNKNOWN_RATE
    # People see the proxy, which has a constant rate even where the original has none.
    if ingest.proxy:
        return float(ingest.proxy["frame_rate"]), ""
    if detail is None:
        return None, UNKNOWN_RATE
    if detail.rate is None:
        return None, UNEVEN
    if abs(video.start_s) * detail.rate > LATEST_START_FRAMES:
        return None, LATE_START
    return float(detail.rate), ""
