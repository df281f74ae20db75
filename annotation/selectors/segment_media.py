"""What the page of a segmentation shows of its recording, and which frames it knows."""

from dataclasses import asdict, dataclass

from annotation.backends.media.browser_fitness import LATEST_START_FRAMES
from annotation.engine.recording_detail import RecordingDetail
from annotation.models import Segmentation, SegmentRecording, User, Video
from annotation.selectors.video_access import watchable_videos
from annotation.selectors.video_media import (
    ONSETS,
    SOUND,
    ShownMedia,
    finished_ingest,
    recording_detail,
    shown_media,
)

NO_RECORDING = "There is no recording to watch, so edges lie on tenths of a second."
NOT_INGESTED = (
    "The recording has not been ingested, so its frames are not known:"
    " edges lie on tenths of a second."
)
NO_DETAIL = (
    "The times of the frames are still to be read from the recording:"
    " until then edges lie on tenths of a second."
)
NO_GRID = "The frames come at no even rate: edges lie on tenths of a second."
LATE_START = (
    "The first frame comes {start_s:.2f} s after the recording begins, where browsers do not agree"
    " which frame they show: edges lie on tenths of a second."
)


@dataclass(frozen=True, slots=True)
class RecordingMedia:
    """A recording on the page of a segmentation; `video` is None where there is none to watch.

    `rate` is in frames per second: frame k is shown from k / rate seconds on. Where it is None,
    `rate_note` says why. `is_due`: it was ingested before there were details; they can be made.
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

    def to_dict(self, address: str) -> dict[str, object]:
        """What the page's modules need; `address` is the `video_url` for who looks.

        `sound.url` gives the envelope as bytes (0 to 255, `per_second` a second; ask for a window
        by a Range of bytes), `sound.onsets_url` the JSON {"onsets": [seconds]}. Tile k of `stills`
        shows the second from k * `tile_s` on: row by row on sheet `urls[k // sheet_tiles]`.
        """
        sound = self.detail.sound if self.detail else None
        tiles = self.detail.tiles if self.detail else None
        return {
            "duration_s": None if self.duration_s is None else round(self.duration_s, 3),
            "rate": self.rate,
            "rate_note": self.rate_note,
            "url": address,
            "pictures_url": address,
            "player": self.shown.to_dict() if self.shown else None,
            "sound": None
            if sound is None
            else asdict(sound) | {"url": f"{address}{SOUND}/", "onsets_url": f"{address}{ONSETS}/"},
            "stills": None
            if tiles is None
            else {
                **{name: value for name, value in asdict(tiles).items() if name != "names"},
                "urls": [f"{address}{name}/" for name in tiles.names],
            },
        }


def recording_video_id(recording: SegmentRecording) -> int | None:
    """The video that is segmented: that of the trace, or of the take where no trace is named."""
    shows = recording.trace if recording.trace_id else recording.take
    return shows.video_id if shows else None


def recording_media(user: User, segmentation: Segmentation) -> RecordingMedia:
    """The media of a segmentation's recording for `user` (one query).

    One more each unless the segmentation was fetched with `recording__take` and
    `recording__trace`. Without a recording that the user may watch there is none in it.
    """
    video_id = recording_video_id(segmentation.recording)
    video = watchable_videos(user).filter(pk=video_id).first() if video_id else None
    if video is None:
        return RecordingMedia(None, None, None, None, NO_RECORDING)
    detail = recording_detail(video)
    rate, note = known_rate(video)
    is_due = finished_ingest(video) is not None and detail is None
    return RecordingMedia(video, shown_media(video), detail, rate, note, is_due)


def known_rate(video: Video) -> tuple[float | None, str]:
    """The frames per second of what is played, or None and why; no query with its `ingest`."""
    ingest = finished_ingest(video)
    if ingest is None:
        return None, NOT_INGESTED
    if ingest.proxy:
        return float(ingest.proxy["frame_rate"]), ""
    detail = recording_detail(video)
    if detail is None:
        return None, NO_DETAIL
    if detail.rate is None:
        return None, NO_GRID
    if abs(video.start_s) * detail.rate > LATEST_START_FRAMES:
        return None, LATE_START.format(start_s=video.start_s)
    return float(detail.rate), ""
