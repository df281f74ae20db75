"""How long people work at a trace, told from when they answered."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from annotation.engine.counting import counted

# Who answers nothing for longer than this has gone away; what is beyond does not count.
LONGEST_GAP = timedelta(minutes=5)


def working_s(moments: Iterable[datetime]) -> float | None:
    """The seconds between the first and the last moment, long gaps cut; None for fewer.

    >>> from datetime import UTC
    >>> at = datetime(2026, 1, 2, 9, 0, tzinfo=UTC)
    >>> working_s([at, at + timedelta(seconds=40), at + timedelta(hours=2)])
    340.0
    """
    ordered = sorted(moments)
    if len(ordered) < 2:
        return None
    gaps = (min(after - before, LONGEST_GAP) for before, after in pairwise(ordered))
    return sum(gaps, timedelta()).total_seconds()


def estimate_s(finished: Sequence[tuple[float, int]], open_units: int) -> float | None:
    """The seconds for `open_units` by the median time per unit of what is done.

    finished: (seconds, units) of each trace, its units being its events and the trace itself. None
    where nothing is finished yet.
    """
    if not finished:
        return None
    return median(seconds / units for seconds, units in finished) * open_units


def about(seconds: float) -> str:
    """A time in the words of an estimate.

    >>> [about(item) for item in (3, 22, 56, 400, 4300, 36000)]
    ['10 seconds', '20 seconds', '1 minute', '7 minutes', '1 hour 10 minutes', '10 hours']
    """
    if seconds < 55:
        return f"{max(1, round(seconds / 10)) * 10} seconds"
    minutes = round(seconds / 60)
    if minutes >= 60:
        # Nobody knows it to the minute.
        minutes = 10 * round(minutes / 10)
    hours, rest = divmod(minutes, 60)
    parts = ((hours, "hour"), (rest, "minute"))
    return " ".join(counted(count, noun) for count, noun in parts if count)
