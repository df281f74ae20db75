"""Where the pictures of a recording were taken: one per step, and the tiles of its sprite sheet.

A position says when in seconds from the first frame, which frame (from 0, in the order of showing)
and at which pts of the source, so that the same picture can be found again in any program.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Self

# A sheet of 10 x 10 tiles still loads in one go and is fine enough to find a scene by.
MOST_TILES = 100
COLUMNS = 10
# Tiles closer than this show the same thing.
SHORTEST_TILE_S = 1.0
MS_PER_S = 1000


@dataclass(frozen=True, slots=True)
class Position:
    """One frame of a source: seconds from its first frame, number from 0, pts in its time base."""

    time_s: float
    frame: int
    pts: int

    def to_dict(self) -> dict[str, object]:
        return {"time_s": round(self.time_s, 6), "frame": self.frame, "pts": self.pts}


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """The picture of a step, taken in its middle; `name` finds its file."""

    start_s: float
    end_s: float
    position: Position
    name: str

    def to_dict(self) -> dict[str, object]:
        return {
            "start_s": self.start_s,
            "end_s": self.end_s,
            "name": self.name,
            **self.position.to_dict(),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        position = Position(content["time_s"], content["frame"], content["pts"])
        return cls(content["start_s"], content["end_s"], position, content["name"])


@dataclass(frozen=True, slots=True)
class SpriteSheet:
    """One image of many tiles, row by row; tile i shows `positions[i]` until the next begins."""

    columns: int
    tile_width: int
    tile_height: int
    positions: tuple[Position, ...]

    def to_dict(self) -> dict[str, object]:
        return {
            "columns": self.columns,
            "tile_width": self.tile_width,
            "tile_height": self.tile_height,
            "positions": [position.to_dict() for position in self.positions],
        }


def tile_times(duration_s: float) -> tuple[float, ...]:
    """The seconds of a sheet's tiles: evenly apart, each in the middle of its stretch.

    >>> tile_times(4.0)
    (0.5, 1.5, 2.5, 3.5)
    """
    count = max(1, min(MOST_TILES, ceil(duration_s / SHORTEST_TILE_S)))
    return tuple(duration_s * (index + 0.5) / count for index in range(count))


def span_key(start_s: float, end_s: float) -> tuple[int, int]:
    """A step's times in whole milliseconds, by which its picture is found."""
    return round(start_s * MS_PER_S), round(end_s * MS_PER_S)


def names_by_span(thumbnails: Sequence[Thumbnail]) -> dict[tuple[int, int], str]:
    return {span_key(item.start_s, item.end_s): item.name for item in thumbnails}
