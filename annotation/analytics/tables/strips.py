"""Where a value and its interval stand on the strip beside them, which `_strip.html` draws."""

from dataclasses import dataclass

# In units of the view box of the drawing.
WIDTH, MARGIN = 260, 16
LEAST_WIDTH = 1.0


@dataclass(frozen=True, slots=True)
class Mark:
    """Places from left to right: of the value, its interval (`low_x` None: none), lines across.

    `words` say the same to those who do not see it; "" where they stand beside it anyway.
    """

    x: float
    low_x: float | None
    width: float
    lines: tuple[float, ...]
    words: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """From `low` to `high`: what lies beyond stands at its end. Lines cross it at `lines`."""

    low: float = 0.0
    high: float = 1.0
    lines: tuple[float, ...] = ()

    def place(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / ((self.high - self.low) or 1.0)
        return round(MARGIN + share * (WIDTH - 2 * MARGIN), 2)

    def mark(self, value: float, low: float | None, high: float | None, words: str = "") -> Mark:
        lines = tuple(map(self.place, self.lines))
        if low is None or high is None:
            return Mark(self.place(value), None, 0.0, lines, words)
        low_x = self.place(low)
        width = round(max(self.place(high) - low_x, LEAST_WIDTH), 2)
        return Mark(self.place(value), low_x, width, lines, words)
