"""Two sets of distributions side by side, as rows and as a printed table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

NAME_WIDTH = 72


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """One figure of two sets, None in a set that lacks it."""

    name: str
    observed: float | None
    expected: float | None

    @property
    def difference(self) -> float | None:
        if self.observed is None or self.expected is None:
            return None
        return self.observed - self.expected


def compare(observed: Mapping[str, Any], expected: Mapping[str, Any]) -> list[ComparedFigure]:
    """Every figure of either set, in the order of the expected one."""
    left, right = dict(_figures(observed)), dict(_figures(expected))
    names = [*right, *(name for name in left if name not in right)]
    return [ComparedFigure(name, left.get(name), right.get(name)) for name in names]


def largest_difference(rows: list[ComparedFigure], start: str) -> float:
    """The largest absolute difference among the figures whose name begins with `start`.

    A share that is missing on one side counts as 0. Raises ValueError if there is no such figure.
    """
    matches = [row for row in rows if row.name.startswith(start)]
    if not matches:
        raise ValueError(f"no figure has a name that begins with {start!r}")
    return max(abs((row.observed or 0.0) - (row.expected or 0.0)) for row in matches)


def table(rows: list[ComparedFigure], *, titles: tuple[str, str]) -> str:
    first, second = titles
    head = f"{'':{NAME_WIDTH}} {first:>14} {second:>14} {'difference':>12}"
    lines = [
        f"{row.name:{NAME_WIDTH}} {_cell(row.observed):>14} {_cell(row.expected):>14} "
        f"{_cell(row.difference):>12}"
        for row in rows
    ]
    return "\n".join([head, *lines])


def listing(distributions: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{name:{NAME_WIDTH}} {_cell(value):>14}" for name, value in _figures(distributions)
    )


def _figures(data: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, float | None]]:
    for key, value in data.items():
        name = f"{path}{key}"
        if isinstance(value, Mapping):
            yield from _figures(value, f"{name}.")
        elif value is None or isinstance(value, int | float):
            yield name, value


def _cell(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.4f}"
