"""Two sets of distributions side by side, as rows and as a printed table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

NAME_WIDTH = 72


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """One figure of two sets; None where a set does not have it."""

    name: str
    found: float | None
    expected: float | None

    @property
    def difference(self) -> float | None:
        """How much the found figure is above the expected one."""
        if self.found is None or self.expected is None:
            return None
        return self.found - self.expected


def compare(found: Mapping[str, Any], expected: Mapping[str, Any]) -> list[ComparedFigure]:
    """Every figure that either set has, in the order of the expected set.

    A share that one of the sets lacks beside others of its kind is 0 there.
    """
    left, right = dict(_figures(found)), dict(_figures(expected))
    names = [*right, *(name for name in left if name not in right)]
    return [ComparedFigure(name, left.get(name), right.get(name)) for name in names]


def largest_difference(rows: list[ComparedFigure], start: str) -> float:
    """The largest absolute difference among the figures whose name begins with `start`.

    A share that is missing on one side counts as 0. Raises ValueError where no figure is so named.
    """
    found = [row for row in rows if row.name.startswith(start)]
    if not found:
        raise ValueError(f"no figure is called {start}...")
    return max(abs((row.found or 0.0) - (row.expected or 0.0)) for row in found)


def table(rows: list[ComparedFigure], *, titles: tuple[str, str]) -> str:
    """The rows as an aligned text table."""
    found, expected = titles
    head = f"{'':{NAME_WIDTH}} {found:>14} {expected:>14} {'difference':>12}"
    lines = [
        f"{row.name:{NAME_WIDTH}} {_shown(row.found):>14} {_shown(row.expected):>14} "
        f"{_shown(row.difference):>12}"
        for row in rows
    ]
    return "\n".join([head, *lines])


def listing(distributions: Mapping[str, Any]) -> str:
    """One set of distributions as aligned text."""
    return "\n".join(
        f"{name:{NAME_WIDTH}} {_shown(value):>14}" for name, value in _figures(distributions)
    )


def _figures(data: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, float | None]]:
    for key, value in data.items():
        name = f"{path}{key}"
        if isinstance(value, Mapping):
            yield from _figures(value, f"{name}.")
        elif value is None or isinstance(value, int | float):
            yield name, value


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.4f}"
