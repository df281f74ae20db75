"""Shapes of plants."""

from collections.abc import Sequence

from sample.shapes.pen import Pen, Point, shade, shape


def _leaves(pen: Pen, colour: str, pairs: Sequence[Point], *, stem_to: float) -> None:
    pen.line([(0.5, 0.1), (0.5, stem_to)], shade(colour, 0.75), width=3)
    for y, size in pairs:
        pen.oval((0.5 - size, y), (0.5, y + size * 0.6), colour)
        pen.oval((0.5, y), (0.5 + size, y + size * 0.6), shade(colour, 1.12))


@shape("plant")
def _plant(pen: Pen, colour: str, fill: str, level: float) -> None:
    _leaves(pen, colour, [(0.0, 0.34), (0.22, 0.46), (0.46, 0.4)], stem_to=0.8)
    pen.box((0.28, 0.74), (0.72, 1.0), "#6e5140", radius=6)


@shape("open roots")
def _open_roots(pen: Pen, colour: str, fill: str, level: float) -> None:
    _leaves(pen, colour, [(0.0, 0.34), (0.22, 0.46), (0.46, 0.4)], stem_to=0.8)
    for x in (0.2, 0.35, 0.5, 0.65, 0.8):
        pen.line([(0.5, 0.74), ((0.5 + x) / 2, 0.88), (x, 1.0)], "#8a6a52", width=3)


@shape("potted plant")
def _potted_plant(pen: Pen, colour: str, fill: str, level: float) -> None:
    _leaves(pen, colour, [(0.0, 0.36), (0.16, 0.48), (0.34, 0.44)], stem_to=0.7)
    pen.shape([(0.2, 0.64), (0.8, 0.64), (0.7, 1.0), (0.3, 1.0)], "#c8745a")


@shape("shoot")
def _shoot(pen: Pen, colour: str, fill: str, level: float) -> None:
    _leaves(pen, colour, [(0.0, 0.48), (0.3, 0.44), (0.56, 0.4)], stem_to=1.0)


@shape("bare shoot")
def _bare_shoot(pen: Pen, colour: str, fill: str, level: float) -> None:
    _leaves(pen, colour, [(0.0, 0.48)], stem_to=1.0)
