"""Shapes of food, paper, cloth, furniture and machines."""

from sample.shapes.pen import Pen, shade, shape


@shape("sheet")
def _sheet(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.0), (1.0, 1.0), colour)
    if fill and level < 1:
        pen.box((0.08, 1 - level), (0.92, 0.94), fill)
    elif fill:
        for y in (0.25, 0.45, 0.65):
            pen.line([(0.18, y), (0.82 if y < 0.6 else 0.55, y)], fill, width=2)


@shape("board", "tape")
def _board(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.0), (1.0, 1.0), colour)


@shape("slice")
def _slice(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.1), (1.0, 1.0), colour, radius=6)
    if fill:
        pen.box((0.02, 0.0), (0.98, 0.4), fill)


@shape("halves")
def _halves(pen: Pen, colour: str, fill: str, level: float) -> None:
    for left, right in ((0.0, 0.46), (0.54, 1.0)):
        pen.box((left, 0.1), (right, 1.0), colour, radius=5)
        if fill:
            pen.box((left + 0.01, 0.0), (right - 0.01, 0.4), fill)


@shape("roll")
def _roll(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.0), (1.0, 1.0), colour, radius=10)
    pen.line([(0.12, 0.4), (0.88, 0.4)], shade(colour, 1.35), width=2)


@shape("thin slices")
def _thin_slices(pen: Pen, colour: str, fill: str, level: float) -> None:
    for number in range(7):
        left = number * 0.135
        pen.oval((left, 0.25), (left + 0.19, 1.0), colour)
        pen.oval((left + 0.03, 0.36), (left + 0.16, 0.9), shade(colour, 1.7))


@shape("chunks")
def _chunks(pen: Pen, colour: str, fill: str, level: float) -> None:
    for left in (0.0, 0.35, 0.7):
        pen.box((left, 0.0), (left + 0.3, 1.0), colour, radius=5)
        pen.oval((left + 0.05, 0.04), (left + 0.25, 0.4), shade(colour, 1.7))


@shape("cloth")
def _cloth(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.shape([(0.04, 0.25), (0.5, 0.0), (0.96, 0.2), (1.0, 0.95), (0.55, 0.8), (0.0, 1.0)], colour)
    pen.line([(0.3, 0.2), (0.36, 0.8)], shade(colour, 0.86), width=2)
    pen.line([(0.7, 0.2), (0.66, 0.76)], shade(colour, 0.86), width=2)


@shape("puddle")
def _puddle(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.oval((0.0, 0.2), (0.75, 1.0), colour)
    pen.oval((0.4, 0.0), (1.0, 0.9), colour)


@shape("cupboard")
def _cupboard(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.0), (1.0, 1.0), colour)
    pen.box((0.08, 0.08), (0.92, 0.96), "#4a4038")


@shape("arm")
def _arm(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.18), (0.8, 0.94), colour, radius=16)
    pen.box((0.72, 0.1), (1.0, 1.0), colour, radius=14)
    pen.box((0.0, 0.12), (0.22, 1.0), "#8fa3cf", radius=5)
    if fill:
        pen.oval((0.43, 0.42), (0.57, 0.62), fill)


@shape("plaster")
def _plaster(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.05), (1.0, 0.95), colour, radius=9)
    pen.box((0.32, 0.12), (0.68, 0.88), shade(colour, 1.5), radius=2)


@shape("film")
def _film(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.0), (1.0, 1.0), colour, radius=6)
    for x in (0.2, 0.5, 0.8):
        pen.line([(x, 0.15), (x - 0.1, 0.85)], "#ffffff", width=2)


@shape("chart")
def _chart(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.0), (1.0, 1.0), colour)
    for number, patch in enumerate(
        ("#d9483b", "#e07b4f", "#e9b44c", "#a8c256", "#5f9e62", "#3f6fae")
    ):
        left = 0.06 + 0.15 * number
        pen.box((left, 0.14), (left + 0.12, 0.86), patch, radius=2)


def _draw_printer(pen: Pen, colour: str) -> None:
    pen.box((0.18, 0.0), (0.82, 0.24), "#f4f6f9")
    pen.box((0.0, 0.18), (1.0, 1.0), colour, radius=8)
    pen.box((0.14, 0.74), (0.86, 0.86), shade(colour, 0.6))


@shape("printer")
def _printer(pen: Pen, colour: str, fill: str, level: float) -> None:
    _draw_printer(pen, colour)


@shape("open printer")
def _open_printer(pen: Pen, colour: str, fill: str, level: float) -> None:
    _draw_printer(pen, colour)
    pen.box((0.12, 0.26), (0.88, 0.64), "#242a35")


@shape("cartridge")
def _cartridge(pen: Pen, colour: str, fill: str, level: float) -> None:
    pen.box((0.0, 0.0), (1.0, 0.8), colour)
    pen.box((0.3, 0.76), (0.7, 1.0), shade(colour, 0.6), radius=1)
