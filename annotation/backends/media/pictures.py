"""The pictures of a recording: one per step, and one sheet of tiles over its whole time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from annotation.backends.media.container import opened_video, picture_stream
from annotation.backends.media.frame_index import FrameIndex
from annotation.backends.media.frames import FrameReader, ShownFrames
from annotation.backends.media.picture_form import PictureForm, upright
from annotation.backends.publishing import draft_of, publish
from annotation.engine.videos.recording_detail import SHEET_TILES, TILE_S, TileSheets, tile_count
from annotation.engine.videos.stills import COLUMNS, Position, SpriteSheet, Thumbnail, tile_times

THUMBNAIL_BOX, TILE_BOX = (320, 240), (160, 120)
# There are 36 times as many in an hour.
SMALL_TILE_BOX, SMALL_TILE_QUALITY = (112, 84), 70
JPEG_QUALITY = 80


@dataclass(frozen=True, slots=True)
class Pictures:
    """What was drawn; `missing_count` places show nothing because nothing could be decoded."""

    thumbnails: tuple[Thumbnail, ...]
    sprite: SpriteSheet
    missing_count: int


@dataclass(frozen=True, slots=True)
class PictureSource:
    """The file that pictures are taken from, and the recording that their positions refer to.

    The file is the recording itself or its proxy; seconds mean the same in both.
    """

    path: Path
    index: FrameIndex
    form: PictureForm
    recording: FrameIndex


@dataclass(frozen=True, slots=True)
class _Place:
    """A wanted picture: a step's when `span` is there, else the tile of that number."""

    time_s: float
    number: int
    span: tuple[float, float] | None


def draw_pictures(
    source: PictureSource,
    spans: Sequence[tuple[float, float]],
    folder: Path,
    on_progress: Callable[[int], None],
) -> Pictures:
    """Write `NAME.jpg` of every span (start and end in seconds) and `sprite.jpg` into the folder.

    `on_progress` gets the count after each picture. A time after the end shows the last frame.
    """
    form = source.form
    size, thumbnail_size = (_fitted(form.shown_size, box) for box in (TILE_BOX, THUMBNAIL_BOX))
    times = tile_times(source.recording.duration_s)
    rows = -(-len(times) // COLUMNS)
    sheet = Image.new("RGB", (size[0] * min(COLUMNS, len(times)), size[1] * rows))
    places = [_Place(time_s, number, None) for number, time_s in enumerate(times)]
    places += [
        _Place((start_s + end_s) / 2, number, (start_s, end_s))
        for number, (start_s, end_s) in enumerate(spans)
    ]
    thumbnails: dict[int, Thumbnail] = {}
    missing_count = 0
    with opened_video(source.path) as container:
        reader = FrameReader(container, picture_stream(container), source.index)
        for done_count, place in enumerate(sorted(places, key=lambda item: item.time_s), start=1):
            frame = reader.frame(source.index.frame_at(place.time_s))
            if frame is None:
                missing_count += 1
            elif place.span is None:
                row, column = divmod(place.number, COLUMNS)
                sheet.paste(upright(frame, form.rotation, size), (column * size[0], row * size[1]))
            else:
                name = f"step-{place.number:04d}"
                _save(upright(frame, form.rotation, thumbnail_size), folder / f"{name}.jpg")
                position = _position(source.recording, place.time_s)
                thumbnails[place.number] = Thumbnail(*place.span, position, name)
            on_progress(done_count)
    _save(sheet, folder / "sprite.jpg")
    positions = tuple(_position(source.recording, time_s) for time_s in times)
    return Pictures(
        thumbnails=tuple(thumbnails[number] for number in sorted(thumbnails)),
        sprite=SpriteSheet(min(COLUMNS, len(times)), *size, positions),
        missing_count=missing_count,
    )


def draw_tiles(
    source: PictureSource, folder: Path, on_progress: Callable[[int], None]
) -> TileSheets:
    """Write `tiles-0000.jpg`, ... into the folder: the recording second by second, in one pass.

    Frames on which no other leans are passed over, which is most of them in usual recordings: a
    tile shows the last one before its time that was decoded. `on_progress` gets the tiles so far.
    """
    size = _fitted(source.form.shown_size, SMALL_TILE_BOX)
    count = tile_count(source.recording.duration_s)
    columns = min(COLUMNS, count)
    names: list[str] = []
    with opened_video(source.path) as container:
        stream = picture_stream(container)
        stream.codec_context.skip_frame = "NONREF"
        frames = ShownFrames(FrameReader(container, stream, source.index).starting_at(0))
        for first in range(0, count, SHEET_TILES):
            tiles = range(first, min(count, first + SHEET_TILES))
            sheet = Image.new("RGB", (size[0] * columns, size[1] * -(-len(tiles) // columns)))
            for tile in tiles:
                shown = frames.at(source.index.frame_at((tile + 0.5) * TILE_S))
                if shown is not None:
                    row, column = divmod(tile - first, columns)
                    picture = upright(shown[1], source.form.rotation, size)
                    sheet.paste(picture, (column * size[0], row * size[1]))
                on_progress(tile + 1)
            names.append(f"tiles-{len(names):04d}")
            _save(sheet, folder / f"{names[-1]}.jpg", SMALL_TILE_QUALITY)
    return TileSheets(TILE_S, SHEET_TILES, columns, *size, count, tuple(names))


def _position(recording: FrameIndex, time_s: float) -> Position:
    frame = recording.frame_at(time_s)
    return Position(float(recording.times_s[frame]), frame, int(recording.pts[frame]))


def _fitted(size: tuple[int, int], box: tuple[int, int]) -> tuple[int, int]:
    scale = min(box[0] / size[0], box[1] / size[1])
    return max(2, round(size[0] * scale)), max(2, round(size[1] * scale))


def _save(image: Image.Image, out: Path, quality: int = JPEG_QUALITY) -> None:
    with draft_of(out) as draft:
        image.save(draft, "JPEG", quality=quality)
        publish(draft, out)
