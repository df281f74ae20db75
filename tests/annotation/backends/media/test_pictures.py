"""Step pictures, sprite sheets and waveforms show what is there at that moment."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotation.backends.media.frame_index import read_frame_index
from annotation.backends.media.picture_form import picture_form
from annotation.backends.media.pictures import (
    Pictures,
    PictureSource,
    draw_pictures,
    draw_tiles,
)
from annotation.backends.media.sound import read_sound
from annotation.engine.videos.recording_detail import TileSheets
from annotation.engine.videos.sound import Sound
from annotation.engine.videos.stills import Position
from tests.recordings import BIT_COUNT, write_recording


def drawn(source: Path, folder: Path, spans=()) -> Pictures:
    folder.mkdir()
    index = read_frame_index(source)
    picture_source = PictureSource(source, index, picture_form(source), index)
    return draw_pictures(picture_source, spans, folder, lambda count: None)


def number_in(image: Image.Image) -> int:
    """Return the number that a picture of a numbered recording shows."""
    grey = np.asarray(image.convert("L")).astype(int)
    height, width = grey.shape
    row = grey[height // 2]
    centres = [round(width * (bit + 0.5) / BIT_COUNT) for bit in range(BIT_COUNT)]
    return sum(int(row[centre] > 125) << bit for bit, centre in enumerate(centres))


@pytest.mark.parametrize("group", [10, 300])
def test_pictures_show_the_middle_of_each_step(tmp_path: Path, group: int) -> None:
    source = write_recording(tmp_path / "a.mp4", frame_count=150, group=group)
    spans = [(0.0, 1.0), (0.5, 1.5), (4.0, 5.0), (8.0, 9.0)]

    pictures = drawn(source, tmp_path / "made", spans)

    positions = [item.position for item in pictures.thumbnails]
    assert [(item.start_s, item.end_s) for item in pictures.thumbnails] == spans
    assert [position.frame for position in positions] == [15, 30, 135, 149]
    assert positions[1] == Position(pytest.approx(1.0), 30, 15_360)
    for item in pictures.thumbnails:
        image = Image.open(tmp_path / "made" / f"{item.name}.jpg")
        assert image.size == (320, 180)
        assert number_in(image) == item.position.frame


def test_sprite_sheet_has_a_tile_for_every_second(tmp_path: Path) -> None:
    source = write_recording(tmp_path / "a.mp4", frame_count=360, group=45, sound=None)

    sprite = drawn(source, tmp_path / "made").sprite

    sheet = Image.open(tmp_path / "made" / "sprite.jpg")
    assert (sprite.columns, sprite.tile_width, sprite.tile_height) == (10, 160, 90)
    assert sheet.size == (1600, 180)
    for place, position in enumerate(sprite.positions):
        row, column = divmod(place, 10)
        tile = sheet.crop((column * 160, row * 90, column * 160 + 160, row * 90 + 90))
        assert number_in(tile) == position.frame == 15 + 30 * place


def test_pictures_of_a_turned_recording_are_upright(tmp_path: Path) -> None:
    source = write_recording(tmp_path / "a.mp4", frame_count=30, rotation=90)

    drawn(source, tmp_path / "made", [(0.0, 1.0)])

    image = Image.open(tmp_path / "made" / "step-0000.jpg")
    assert image.size == (135, 240)
    # The recording's upper edge is on the right now.
    assert number_in(image.rotate(90, expand=True)) == 15


@pytest.mark.parametrize(("group", "b_frames"), [(30, 3), (250, 0)])
def test_tiles_show_every_second_on_sheets_of_100(
    tmp_path: Path, group: int, b_frames: int
) -> None:
    source = write_recording(
        tmp_path / "a.mp4", rate=Fraction(10), frame_count=1234, group=group, b_frames=b_frames,
        sound=None,
    )  # fmt: skip
    index = read_frame_index(source)
    told: list[int] = []
    picture_source = PictureSource(source, index, picture_form(source), index)

    tiles = draw_tiles(picture_source, tmp_path, told.append)

    assert tiles == TileSheets(1.0, 100, 10, 112, 63, 124, ("tiles-0000", "tiles-0001"))
    assert told == list(range(1, 125))
    sheets = [Image.open(tmp_path / f"{name}.jpg") for name in tiles.names]
    assert [sheet.size for sheet in sheets] == [(1120, 630), (1120, 189)]
    shown = []
    for tile in range(124):
        sheet, place = divmod(tile, 100)
        row, column = divmod(place, 10)
        box = (column * 112, row * 63, column * 112 + 112, row * 63 + 63)
        shown.append(number_in(sheets[sheet].crop(box)))
    wanted = [min(10 * tile + 5, 1233) for tile in range(124)]
    # Without frames on which no other leans: at most those between two that others lean on.
    assert all(0 <= there - seen <= b_frames for seen, there in zip(shown, wanted, strict=True))


def test_tiles_of_a_turned_recording_are_upright(tmp_path: Path) -> None:
    source = write_recording(tmp_path / "a.mp4", frame_count=30, rotation=90)
    index = read_frame_index(source)

    tiles = draw_tiles(
        PictureSource(source, index, picture_form(source), index), tmp_path, lambda count: None
    )

    assert (tiles.tile_width, tiles.tile_height, tiles.columns, tiles.tile_count) == (47, 84, 1, 1)


def test_sound_of_a_recording_is_read_in_one_pass(tmp_path: Path) -> None:
    source = write_recording(tmp_path / "a.mp4", frame_count=90)

    sound = read_sound(source, read_frame_index(source))

    assert (len(sound.peaks), len(sound.envelope)) == (1000, 300)
    assert (max(sound.peaks), max(sound.envelope)) == (100, 255)
    assert 20 < np.median(sound.peaks) < 80


def test_sound_of_a_silent_film_is_none(tmp_path: Path) -> None:
    source = write_recording(tmp_path / "a.mp4", sound=None)

    assert read_sound(source, read_frame_index(source)) == Sound()
