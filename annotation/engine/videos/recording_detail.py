"""Details of a recording for work on its clock: its frames, its sound, its small pictures.

Everything counts from the first frame. Frame k of a recording with a rate is the one that is shown
from k / rate seconds on; a frame that was lost leaves its number to the one before.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Self

# Values of the sound envelope in a second of recording.
ENVELOPE_RATE = 100
# A tile a second tells one scene from the next; a sheet of 100 loads in one go.
TILE_S = 1.0
SHEET_TILES = 100


@dataclass(frozen=True, slots=True)
class SoundDetail:
    """The envelope has `length` bytes, `per_second` of them a second; byte k begins at k / that."""

    per_second: int
    length: int
    onset_count: int


@dataclass(frozen=True, slots=True)
class TileSheets:
    """Tile k shows the middle of the seconds from k * `tile_s` on.

    It lies on sheet k // `sheet_tiles`, there row by row in `columns`. `names` finds the sheets.
    """

    tile_s: float
    sheet_tiles: int
    columns: int
    tile_width: int
    tile_height: int
    tile_count: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordingDetail:
    """`rate` is None where the frames lie on no even grid; `sound` where nothing is heard."""

    rate: Fraction | None
    sound: SoundDetail | None
    tiles: TileSheets

    def to_dict(self) -> dict[str, object]:
        return {
            "rate": None if self.rate is None else list(self.rate.as_integer_ratio()),
            "sound": None if self.sound is None else asdict(self.sound),
            "tiles": asdict(self.tiles) | {"names": list(self.tiles.names)},
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        rate, sound, tiles = content["rate"], content["sound"], content["tiles"]
        return cls(
            rate=None if rate is None else Fraction(*rate),
            sound=None if sound is None else SoundDetail(**sound),
            tiles=TileSheets(**tiles | {"names": tuple(tiles["names"])}),
        )


def tile_count(duration_s: float) -> int:
    """How many tiles a recording has; the last one may stand for less than a whole one.

    >>> tile_count(0.04), tile_count(3600.0), tile_count(3600.2)
    (1, 3600, 3601)
    """
    return max(1, ceil(duration_s / TILE_S))
