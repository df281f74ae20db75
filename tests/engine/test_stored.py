import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum

import pytest

from annotation.engine.stored import from_stored


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Dot:
    colour: Colour
    at: tuple[float, ...] = ()


@dataclass(frozen=True)
class Picture:
    name: str
    dots: tuple[Dot, ...]
    frame: Dot | None = None
    counts: Mapping[Colour, int] = field(default_factory=dict)
    lines: Sequence[tuple[str, Dot]] = ()


@pytest.mark.parametrize(
    "picture",
    [
        Picture("plain", ()),
        Picture("full", (Dot(Colour.RED, (0.5, 1)),), Dot(Colour.BLUE), {Colour.RED: 2}),
        Picture("lines", (), lines=(("a", Dot(Colour.RED)), ("b", Dot(Colour.BLUE, (1, 2))))),
    ],
)
def test_what_was_stored_comes_back(picture: Picture) -> None:
    found = from_stored(Picture, json.loads(json.dumps(asdict(picture))))

    assert found == picture
    assert all(type(key) is Colour for key in found.counts)


def test_a_field_that_is_not_there_has_its_default() -> None:
    assert from_stored(Dot, {"colour": "blue"}) == Dot(Colour.BLUE)
