"""Shapes that hold something: pots, glasses, bottles, boxes."""

from sample.shapes.pen import Pen, draw_contents, shade, shape


@shape("kettle")
def _kettle(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.ring((0.28, 0.0), (0.72, 0.6), shade(colour, 0.6), width=4)
    pen.shape([(0.0, 0.36), (0.12, 0.34), (0.34, 0.62), (0.28, 0.8)], shade(colour, 0.9))
    pen.shape([(0.3, 0.3), (0.74, 0.3), (0.88, 1.0), (0.2, 1.0)], colour)
    pen.box((0.36, 0.22), (0.68, 0.34), shade(colour, 0.75))


@shape("jug")
def _jug(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.ring((0.6, 0.25), (1.0, 0.75), shade(colour, 0.75), width=4)
    pen.shape([(0.0, 0.02), (0.78, 0.02), (0.74, 1.0), (0.12, 1.0)], colour)
    draw_contents(pen, fill, level, (0.14, 0.15, 0.72, 0.97))


@shape("mug")
def _mug(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.ring((0.58, 0.2), (1.0, 0.78), shade(colour, 0.85), width=5)
    pen.box((0.0, 0.02), (0.78, 1.0), colour, radius=7)
    pen.oval((0.04, 0.0), (0.74, 0.2), shade(colour, 0.7))
    if fill:
        pen.oval((0.08, 0.03), (0.7, 0.19), fill)


@shape("glass")
def _glass(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape([(0.0, 0.0), (1.0, 0.0), (0.9, 1.0), (0.1, 1.0)], colour)
    draw_contents(pen, fill, level, (0.12, 0.05, 0.88, 0.96))
    pen.line([(0.2, 0.1), (0.24, 0.85)], "#ffffff", width=2)


@shape("labelled glass")
def _labelled_glass(pen: Pen, colour: str, fill: str, level: float) -> None:
    _glass(pen, colour, fill, level)
    pen.box((0.3, 0.56), (0.72, 0.86), "#ffffff", radius=1)
    pen.line([(0.38, 0.67), (0.64, 0.67)], "#1d2330", width=1)
    pen.line([(0.38, 0.76), (0.56, 0.76)], "#1d2330", width=1)


@shape("flask")
def _flask(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape(
        [(0.36, 0.0), (0.64, 0.0), (0.64, 0.35), (1.0, 1.0), (0.0, 1.0), (0.36, 0.35)], colour
    )
    if fill:
        pen.shape([(0.28, 0.54), (0.72, 0.54), (0.95, 0.97), (0.05, 0.97)], fill)


@shape("bottle", "spray", "dropper")
def _bottle(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.34, 0.08), (0.66, 0.35), shade(colour, 0.85))
    pen.box((0.0, 0.28), (1.0, 1.0), colour, radius=6)
    pen.box((0.3, 0.0), (0.7, 0.12), shade(colour, 0.55))
    pen.box((0.14, 0.5), (0.86, 0.78), "#ffffff")


@shape("jar")
def _jar(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.12), (1.0, 1.0), shade(colour, 1.75), radius=6)
    pen.box((0.08, 0.34), (0.92, 0.95), colour, radius=5)
    pen.box((0.06, 0.0), (0.94, 0.18), shade(colour, 0.6))


@shape("shaker")
def _shaker(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.25), (1.0, 1.0), colour)
    pen.box((0.05, 0.0), (0.95, 0.32), shade(colour, 0.65), radius=5)


@shape("funnel")
def _funnel(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape([(0.04, 0.0), (0.96, 0.0), (0.66, 0.84), (0.34, 0.84)], colour)
    pen.box((0.16, 0.82), (0.84, 1.0), shade(colour, 0.85))


@shape("filter")
def _filter(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape([(0.0, 0.0), (1.0, 0.0), (0.66, 1.0), (0.34, 1.0)], colour)
    if fill:
        pen.shape([(0.14, 0.25), (0.86, 0.25), (0.64, 0.92), (0.36, 0.92)], fill)


@shape("plate")
def _plate(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape([(0.0, 0.1), (1.0, 0.1), (0.78, 1.0), (0.22, 1.0)], colour)


@shape("bowl", "tub")
def _bowl(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape([(0.0, 0.15), (1.0, 0.15), (0.8, 1.0), (0.2, 1.0)], colour)
    pen.oval((0.0, 0.0), (1.0, 0.32), shade(colour, 0.85))
    if fill:
        pen.oval((0.06, 0.04), (0.94, 0.28), fill)


@shape("pot")
def _pot(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape([(0.08, 0.2), (0.92, 0.2), (0.78, 1.0), (0.22, 1.0)], colour)
    pen.box((0.0, 0.08), (1.0, 0.28), shade(colour, 0.9))
    if fill:
        # A window into the pot: what is in it must be seen from the side.
        pen.box((0.24, 0.34), (0.76, 0.92), shade(colour, 1.7))
        draw_contents(pen, fill, level, (0.24, 0.34, 0.76, 0.92))


@shape("bag")
def _bag(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape([(0.1, 0.08), (0.9, 0.08), (1.0, 1.0), (0.0, 1.0)], colour)
    pen.box((0.16, 0.0), (0.84, 0.14), shade(colour, 0.75))
    pen.box((0.2, 0.42), (0.8, 0.74), shade(colour, 1.6))


@shape("box")
def _box(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.0), (1.0, 1.0), colour)
    pen.line([(0.0, 0.3), (1.0, 0.3)], shade(colour, 0.8), width=2)


@shape("bin")
def _bin(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape([(0.06, 0.1), (0.94, 0.1), (0.82, 1.0), (0.18, 1.0)], colour)
    pen.box((0.0, 0.0), (1.0, 0.16), shade(colour, 0.8))
    for x in (0.35, 0.5, 0.65):
        pen.line([(x, 0.28), (x, 0.88)], shade(colour, 0.8), width=2)
