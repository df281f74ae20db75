import pytest

from annotation.engine.stored import from_stored
from annotation.engine.videos.stills import (
    MOST_TILES,
    Position,
    SpriteSheet,
    Thumbnail,
    names_by_span,
    span_key,
    tile_times,
)


@pytest.mark.parametrize(
    ("duration_s", "count"), [(0.2, 1), (1.0, 1), (1.01, 2), (99.5, 100), (36_000.0, MOST_TILES)]
)
def test_tile_times_are_as_many_as_can_be_told_apart(duration_s: float, count: int) -> None:
    times = tile_times(duration_s)

    assert len(times) == count
    assert all(0 < time_s < duration_s for time_s in times)
    assert list(times) == sorted(times)


def test_stills_come_back_from_json() -> None:
    position = Position(1.5, 45, 23_040)
    thumbnail = Thumbnail(1.0, 2.0, position, "step-0003")
    sheet = SpriteSheet(2, 160, 90, (position, Position(4.5, 135, 69_120)))

    assert Thumbnail.from_dict(thumbnail.to_dict()) == thumbnail
    assert from_stored(SpriteSheet, sheet.to_dict()) == sheet


def test_names_by_span_forgives_what_a_table_rounds_off() -> None:
    thumbnail = Thumbnail(1 / 3, 2 / 3, Position(0.5, 15, 0), "step-0000")

    assert names_by_span([thumbnail])[span_key(0.33333, 0.66667)] == "step-0000"
