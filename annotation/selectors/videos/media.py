"""What is shown of a recording: its proxy where there is one, its pictures and its waveform."""

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import PurePosixPath

import numpy as np

from annotation.backends import made_files
from annotation.engine.stored import from_stored
from annotation.engine.videos.clock import FrameTimes
from annotation.engine.videos.recording_detail import RecordingDetail
from annotation.engine.videos.stills import SpriteSheet, Thumbnail, names_by_span, span_key
from annotation.models import Video, VideoIngest

PROXY_NAME = "proxy.mp4"
# What is made of a proxy of the days before all files that raters get had one clock.
PLAIN_PROXY_NAME = "proxy-copy.mp4"
COPY_STEM = "copy"
PICTURE_SUFFIX = ".jpg"
SPRITE = "sprite"
SOUND, ONSETS = "sound", "onsets"
SOUND_NAME, ONSETS_NAME = "sound.bin", "onsets.json"
FRAMES_NAME = "frames.npz"
# Recordings filmed on their side are shown upright.
SIDEWAYS = frozenset({90, 270})


@dataclass(frozen=True, slots=True)
class ShownMedia:
    """A recording as players show it: size in pixels and frame rate of the file that is played.

    `picture_names` finds the picture of a step by its `span_key`; `peaks` are 0 to 100, evenly over
    the duration. All are empty as long as the recording was not ingested.
    """

    width: int
    height: int
    frame_rate: float
    sprite: SpriteSheet | None = None
    peaks: tuple[int, ...] = ()
    picture_names: dict[tuple[int, int], str] = field(default_factory=dict)

    def picture_of(self, start_s: float | None, end_s: float | None) -> str | None:
        if start_s is None or end_s is None:
            return None
        return self.picture_names.get(span_key(start_s, end_s))

    def to_dict(self) -> dict[str, object]:
        """What a page's modules need; tile i begins to be shown halfway from tile i-1."""
        sprite = self.sprite
        return {
            "width": self.width,
            "height": self.height,
            "frame_rate": self.frame_rate,
            "peaks": list(self.peaks),
            "sprite": None
            if sprite is None
            else {
                "name": SPRITE,
                "columns": sprite.columns,
                "tile_width": sprite.tile_width,
                "tile_height": sprite.tile_height,
                "times": [round(position.time_s, 3) for position in sprite.positions],
            },
        }


def finished_ingest(video: Video) -> VideoIngest | None:
    """What was made of a recording; None while nothing was.

    Costs a query unless the video was fetched with its `ingest`.
    """
    ingest: VideoIngest | None = getattr(video, "ingest", None)
    return ingest if ingest is not None and ingest.folder else None


def is_watchable(video: Video) -> bool:
    """Whether raters can watch a recording; no query with its `ingest`."""
    ingest = finished_ingest(video)
    return ingest is not None and ingest.is_watchable


def recording_detail(video: Video) -> RecordingDetail | None:
    """What was read off a recording; None where it was ingested before that was done, or never."""
    ingest = finished_ingest(video)
    return RecordingDetail.from_dict(ingest.detail) if ingest and ingest.detail else None


def shown_media(video: Video) -> ShownMedia:
    ingest = finished_ingest(video)
    proxy = ingest.proxy if ingest else {}
    is_sideways = video.rotation_degrees in SIDEWAYS
    width, height = video.width, video.height
    return ShownMedia(
        width=proxy.get("width", height if is_sideways else width),
        height=proxy.get("height", width if is_sideways else height),
        frame_rate=proxy.get("frame_rate", video.frame_rate),
        sprite=from_stored(SpriteSheet, ingest.sprite) if ingest and ingest.sprite else None,
        peaks=tuple(ingest.peaks) if ingest else (),
        picture_names=names_by_span([Thumbnail.from_dict(item) for item in ingest.thumbnails])
        if ingest
        else {},
    )


@dataclass(frozen=True, slots=True)
class PlayedFile:
    """The file that players get of a recording; `content` is what `hashed_version` said of it.

    `name` is one of `made_files`. `content` is empty for a proxy of the days before it was kept.
    """

    name: str
    content: str

    @property
    def kind(self) -> str:
        return PurePosixPath(self.name).suffix.removeprefix(".")


def played_file(video: Video) -> PlayedFile | None:
    """The proxy or the clean copy of a recording; None while neither is made."""
    ingest = finished_ingest(video)
    if ingest is None or not ingest.is_watchable:
        return None
    facts = ingest.proxy or ingest.copy
    name = f"{ingest.folder}/{facts.get('name', PROXY_NAME)}"
    return PlayedFile(name, str(facts.get("content", ""))) if _is_there(name) else None


def _is_there(name: str) -> bool:
    """Whether a disk has the file that a row names; a storage is only asked for its content."""
    return made_files.place() is not None or made_files.path_here(name).is_file()


def product_file(video: Video, name: str) -> str | None:
    """The name for `made_files` of what the ingest made of a recording; None without it.

    That is a picture of a step, a sheet of tiles, the sound envelope or the onsets; not the proxy.
    """
    ingest = finished_ingest(video)
    if ingest is None:
        return None
    names = {item["name"]: f"{item['name']}{PICTURE_SUFFIX}" for item in ingest.thumbnails}
    if ingest.sprite:
        names[SPRITE] = f"{SPRITE}{PICTURE_SUFFIX}"
    detail = recording_detail(video)
    if detail is not None:
        names |= {sheet: f"{sheet}{PICTURE_SUFFIX}" for sheet in detail.tiles.names}
        if detail.sound is not None:
            names |= {SOUND: SOUND_NAME, ONSETS: ONSETS_NAME}
    if name not in names:
        return None
    file = f"{ingest.folder}/{names[name]}"
    return file if _is_there(file) else None


def frame_times(video: Video) -> FrameTimes | None:
    """When the frames of a recording's own file are shown; None where the ingest kept none."""
    ingest = finished_ingest(video)
    if ingest is None:
        return None
    try:
        with (
            made_files.local(f"{ingest.folder}/{FRAMES_NAME}") as path,
            np.load(path, allow_pickle=False) as stored,
        ):
            return FrameTimes(Fraction(*stored["time_base"].tolist()), np.cumsum(stored["gaps"]))
    except FileNotFoundError:
        return None
