"""How many recordings an interval of a wanted width takes, from the interval that there is.

Recordings are what is independent, their items are not: the interval of a figure is by recordings,
so it narrows with the root of their number, as long as further ones are like these.
"""

import math
from dataclasses import dataclass

# The intervals that papers print are of 95%.
Z = 1.959964


@dataclass(frozen=True, slots=True)
class PlannedSize:
    """Recordings for an interval of this width, and about how many items they hold."""

    width: float
    recordings: int
    items: int


def planned_size(
    *, low: float, high: float, recordings: int, items: int, width: float
) -> PlannedSize:
    """What it takes for an interval of `width`, from one of `low` to `high` over `recordings`.

    >>> planned_size(low=0.5, high=0.7, recordings=30, items=600, width=0.1)
    PlannedSize(width=0.1, recordings=120, items=2400)
    """
    if width <= 0:
        raise ValueError(f"width is {width}; expected more than 0")
    # Binary fractions are a hair off: 30 times the square of 0.2/0.1 is no 121.
    needed = math.ceil(round(recordings * ((high - low) / width) ** 2, 6))
    return PlannedSize(width, needed, math.ceil(round(needed * items / recordings, 6)))


def design_effect(*, share: float, low: float, high: float, items: int) -> float | None:
    """How many times as wide, squared, the interval is as that of as many independent items.

    None where such items would have no interval: all answers are right, or none is. Source: L.
    Kish, Survey Sampling (1965), section 8.2.

    >>> round(design_effect(share=0.6, low=0.5, high=0.7, items=600), 2)
    6.51
    """
    variance = share * (1 - share) / items
    return ((high - low) / (2 * Z)) ** 2 / variance if variance else None
