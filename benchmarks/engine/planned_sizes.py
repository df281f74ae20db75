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


@dataclass(frozen=True, slots=True)
class Assumed:
    """What is assumed of answers that nobody has given yet.

    `share` is the expected accuracy. The correlations are those of two answers, right or wrong: of
    different items of one `recording`, of one `item` by two people beyond that, and of different
    items by one `rater`. Those of a single model are its own, so that it has no `rater` and `item`.
    """

    share: float
    recording: float
    item: float = 0.0
    rater: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise ValueError(f"share is {self.share}; expected above 0 and below 1")
        parts = {"recording": self.recording, "item": self.item, "rater": self.rater}
        for name, value in parts.items():
            if not 0 <= value < 1:
                raise ValueError(f"correlation of a {name} is {value}; expected 0 to below 1")
        if sum(parts.values()) > 1:
            raise ValueError(f"the correlations add up to {sum(parts.values()):g}; at most 1")


def assumed_recordings(
    assumed: Assumed, *, items_per_recording: float, width: float, raters: int = 1
) -> int | None:
    """Recordings for an interval of `width` where each of `raters` answers every item.

    None where so few raters give none that narrow, however many recordings there are. It is the
    variance of a mean over random recordings, items in them, and raters who all answer everything;
    with one rater it is that of clusters of equal size (W. Cochran, Sampling Techniques, 1977,
    chapter 9).

    >>> assumed_recordings(Assumed(0.7, 0.1), items_per_recording=10, width=0.1)
    62
    >>> people = Assumed(0.7, 0.1, item=0.3, rater=0.02)
    >>> for raters in (5, 7, 15):
    ...     print(assumed_recordings(people, items_per_recording=10, width=0.1, raters=raters))
    None
    572
    76
    """
    if width <= 0 or items_per_recording <= 0 or raters < 1:
        raise ValueError("expected a width and items above 0, and at least one rater")
    left = 1 - assumed.recording - assumed.item - assumed.rater
    per_recording = assumed.recording + (assumed.item + left / raters) / items_per_recording
    allowed = (width / (2 * Z)) ** 2 / (assumed.share * (1 - assumed.share))
    allowed -= assumed.rater / raters
    if allowed <= 0:
        return None
    return math.ceil(round(per_recording / allowed, 6))


def recording_correlation(*, effect: float, items_per_recording: float) -> float | None:
    """The correlation in a recording that a design effect tells of; None with one item in each.

    >>> round(recording_correlation(effect=6.51, items_per_recording=20), 2)
    0.29
    """
    if items_per_recording <= 1:
        return None
    return min(1.0, max(0.0, (effect - 1) / (items_per_recording - 1)))
