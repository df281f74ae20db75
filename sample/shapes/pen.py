"""What every shape draws with, and how a shape gets its name.

Each shape draws with a `Pen`, whose coordinates run from 0 to 1 in both directions, so that a prop
can have any size. Everything is drawn four times too large and scaled down, which smooths edges.
"""

from collections.abc import Callable, Sequence

from PIL import Image, ImageColor, ImageDraw

OVERSAMPLING = 4
Point = tuple[float, float]
Colour = tuple[int, int, int]


def shade(colour: str, factor: float) -> str:
    """The colour darkened (factor below 1) or mixed with white (above 1)."""
    channels = ImageColor.getrgb(colour)[:3]
    if factor <= 1:
        mixed = [round(value * factor) for value in channels]
    else:
        mixed = [round(value + (255 - value) * (factor - 1)) for value in channels]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


class Pen:
    """Draws in fractions of one box of `width` x `height` pixels."""

    def __init__(self, width: int, height: int) -> None:
        self._scale = (width * OVERSAMPLING, height * OVERSAMPLING)
        self.image = Image.new("RGBA", self._scale, (0, 0, 0, 0))
        self._draw = ImageDraw.Draw(self.image)

    def _points(self, points: Sequence[Point]) -> list[Point]:
        return [(x * (self._scale[0] - 1), y * (self._scale[1] - 1)) for x, y in points]

    def box(self, start: Point, end: Point, colour: str, *, radius: float = 3) -> None:
        corners = self._points([start, end])
        self._draw.rounded_rectangle(
            corners,
            radius=radius * OVERSAMPLING,
            fill=colour,
            outline=shade(colour, 0.82),
            width=OVERSAMPLING,
        )

    def oval(self, start: Point, end: Point, colour: str) -> None:
        corners = self._points([start, end])
        self._draw.ellipse(corners, fill=colour, outline=shade(colour, 0.82), width=OVERSAMPLING)

    def ring(self, start: Point, end: Point, colour: str, *, width: float) -> None:
        corners = self._points([start, end])
        self._draw.ellipse(corners, outline=colour, width=round(width * OVERSAMPLING))

    def shape(self, points: Sequence[Point], colour: str) -> None:
        self._draw.polygon(
            self._points(points), fill=colour, outline=shade(colour, 0.82), width=OVERSAMPLING
        )

    def line(self, points: Sequence[Point], colour: str, *, width: float = 2) -> None:
        self._draw.line(
            self._points(points), fill=colour, width=round(width * OVERSAMPLING), joint="curve"
        )


# What a shape is told: its colour, the colour of its contents or "", and how full it is.
ShapeFunction = Callable[[Pen, str, str, float], None]
SHAPES: dict[str, ShapeFunction] = {}


def shape(*names: str) -> Callable[[ShapeFunction], ShapeFunction]:
    def register(function: ShapeFunction) -> ShapeFunction:
        for name in names:
            SHAPES[name] = function
        return function

    return register


def draw_contents(
    pen: Pen, fill: str, level: float, box: tuple[float, float, float, float]
) -> None:
    """Fill the inside `box` (left, top, right, bottom) from below up to `level`."""
    left, top, right, bottom = box
    if fill and level > 0:
        pen.box((left, bottom - (bottom - top) * level), (right, bottom), fill)
