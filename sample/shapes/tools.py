"""Shapes of tools and of what is repaired with them."""

from sample.shapes.pen import Pen, draw_contents, shade, shape


@shape("spoon")
def _spoon(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.2, 0.38), (1.0, 0.68), colour, radius=2)
    pen.oval((0.0, 0.0), (0.3, 1.0), colour)


@shape("knife")
def _knife(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape([(0.0, 0.7), (0.1, 0.1), (0.66, 0.1), (0.66, 0.9)], colour)
    pen.box((0.64, 0.1), (1.0, 0.8), "#3d4450")


@shape("rod", "pen", "lever")
def _rod(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape([(0.0, 0.5), (0.16, 0.05), (0.16, 0.95)], shade(colour, 0.7))
    pen.box((0.14, 0.0), (1.0, 1.0), colour, radius=3)


def _draw_wheel(pen: Pen, colour: str, *, is_open: bool) -> None:
    pen.ring((0.0, 0.0), (1.0, 1.0), colour, width=11)
    pen.ring((0.12, 0.12), (0.88, 0.88), "#b9c2cc", width=4)
    for start, end in (
        ((0.5, 0.14), (0.5, 0.86)),
        ((0.14, 0.5), (0.86, 0.5)),
        ((0.25, 0.25), (0.75, 0.75)),
        ((0.75, 0.25), (0.25, 0.75)),
    ):
        pen.line([start, end], "#c9d0d9", width=1.5)
    pen.oval((0.43, 0.43), (0.57, 0.57), "#8b93a3")
    if is_open:
        pen.line([(0.7, 0.06), (0.9, 0.16), (0.99, 0.36)], "#e3e5ea", width=7)


@shape("wheel")
def _wheel(pen: Pen, colour: str, fill: str, level: float) -> None:
    _draw_wheel(pen, colour, is_open=False)


@shape("open wheel")
def _open_wheel(pen: Pen, colour: str, fill: str, level: float) -> None:
    _draw_wheel(pen, colour, is_open=True)


@shape("ring")
def _ring(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.ring((0.0, 0.0), (1.0, 1.0), colour, width=7)


@shape("pump")
def _pump(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.44, 0.05), (0.56, 0.4), "#8b93a3", radius=1)
    pen.box((0.0, 0.0), (1.0, 0.1), "#3d4450")
    pen.box((0.28, 0.34), (0.72, 0.95), colour)
    pen.box((0.08, 0.92), (0.92, 1.0), "#3d4450", radius=2)


@shape("cap", "shard")
def _shard(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape([(0.0, 1.0), (0.25, 0.1), (0.75, 0.0), (1.0, 1.0)], colour)


@shape("chain")
def _chain(pen: Pen, colour: str, fill: str, level: float) -> None:
    for row_y in (0.05, 0.65):
        for number in range(10):
            left = 0.04 + number * 0.093
            pen.box((left, row_y), (left + 0.085, row_y + 0.3), colour, radius=6)
            pen.oval((left + 0.028, row_y + 0.1), (left + 0.057, row_y + 0.2), "#e3e5ea")
    for left in (0.0, 0.955):
        pen.box((left, 0.2), (left + 0.045, 0.8), colour, radius=4)


@shape("crank")
def _crank(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.ring((0.1, 0.1), (0.9, 0.9), colour, width=6)
    pen.line([(0.5, 0.5), (0.95, 0.95)], shade(colour, 0.6), width=6)
    pen.oval((0.4, 0.4), (0.6, 0.6), shade(colour, 0.7))
    pen.box((0.72, 0.86), (1.0, 1.0), "#3d4450")


@shape("brush")
def _brush(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.45), (0.5, 1.0), "#efe3c4", radius=1)
    pen.box((0.0, 0.1), (1.0, 0.5), colour, radius=5)


@shape("scissors")
def _scissors(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.line([(0.02, 0.2), (0.66, 0.66)], "#8b93a3", width=4)
    pen.line([(0.02, 0.8), (0.66, 0.34)], "#a9b2c0", width=4)
    pen.ring((0.62, 0.0), (1.0, 0.5), colour, width=5)
    pen.ring((0.62, 0.5), (1.0, 1.0), colour, width=5)


@shape("iron")
def _iron(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.line([(0.3, 0.5), (0.4, 0.12), (0.85, 0.12), (0.92, 0.5)], shade(colour, 0.7), width=8)
    pen.shape([(0.0, 0.9), (0.3, 0.45), (0.95, 0.45), (1.0, 0.9)], colour)
    pen.box((0.0, 0.86), (1.0, 1.0), "#b9c2cc", radius=2)


@shape("goggles")
def _goggles(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.line([(0.0, 0.2), (1.0, 0.2)], colour, width=4)
    pen.box((0.04, 0.1), (0.47, 1.0), "#cfe3f3", radius=7)
    pen.box((0.53, 0.1), (0.96, 1.0), "#cfe3f3", radius=7)


@shape("pipette")
def _pipette(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.oval((0.0, 0.0), (1.0, 0.28), "#d9654f")
    pen.box((0.25, 0.24), (0.75, 0.86), colour, radius=2)
    pen.shape([(0.32, 0.84), (0.68, 0.84), (0.5, 1.0)], colour)
    draw_contents(pen, fill, level, (0.25, 0.3, 0.75, 0.86))


@shape("strip")
def _strip(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.0), (1.0, 1.0), colour, radius=2)
    draw_contents(pen, fill, level, (0.0, 0.0, 1.0, 1.0))
