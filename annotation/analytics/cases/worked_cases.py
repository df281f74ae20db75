"""Worked cases: files of inputs with the figures that have to come out of them.

A family of cases names, for each kind of input, the function that computes its figures. It is a
module with a `FAMILY`. Every app registers its own families in `ready` of its `apps.py`, and
`manage.py check_measures FAMILY FILE` runs any.
"""

import importlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

DEFAULT_TOLERANCE = 1e-9

Compute = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class Family:
    """The functions of a family, by the kind of a case.

    `kinds` compute the expected figures from the input. `bands` compute, from the input and a
    number of draws, those for which the case's `monte_carlo` gives bounds (`low_between`, ...).
    `not_yet` are kinds of cases that files have and nothing here computes.
    """

    kinds: Mapping[str, Compute]
    bands: Mapping[str, Callable[[Mapping[str, Any], int], Mapping[str, float | None]]]
    not_yet: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A figure that did not come out; `place` is where it stands in the case."""

    case: str
    place: str
    actual: object
    expected: object

    def __str__(self) -> str:
        return f"{self.case} {self.place}: {self.actual!r}; expected {self.expected!r}"


# Modules by the name of their family; imported when asked for, so that no page waits for them.
_modules: dict[str, str] = {}


def register(name: str, module: str) -> None:
    """Make a family known. Raises ValueError for a name that another one has."""
    if _modules.setdefault(name, module) != module:
        raise ValueError(f"there is a family {name!r} of worked cases already")


def family_names() -> list[str]:
    return sorted(_modules)


def family(name: str) -> Family:
    found: Family = importlib.import_module(_modules[name]).FAMILY
    return found


def mismatches(of: Family, case: Mapping[str, Any]) -> list[Mismatch]:
    """What of a case {id, kind, input, expected} does not come out.

    Raises KeyError for a kind that the family does not know.
    """
    name, kind = str(case["id"]), case["kind"]
    tolerance = float(case.get("tolerance", DEFAULT_TOLERANCE))
    actual = of.kinds[kind](case["input"])
    found = [
        Mismatch(name, place, ours, wanted)
        for place, ours, wanted in _differing(actual, case["expected"], "", tolerance)
    ]
    for draws, bands in case.get("monte_carlo", {}).items():
        drawn = of.bands[kind](case["input"], int(draws))
        for band, (low, high) in bands.items():
            value = drawn.get(band.removesuffix("_between"))
            if value is None or not low - tolerance <= value <= high + tolerance:
                wanted = f"between {low} and {high}"
                found.append(Mismatch(name, f"{draws} draws, {band}", value, wanted))
    return found


def _differing(
    actual: object, expected: object, place: str, tolerance: float
) -> Iterator[tuple[str, object, object]]:
    if isinstance(expected, Mapping):
        ours = actual if isinstance(actual, Mapping) else {}
        for key, wanted in expected.items():
            below = f"{place}.{key}" if place else str(key)
            if key in ours:
                yield from _differing(ours[key], wanted, below, tolerance)
            else:
                yield below, "no such figure", wanted
    elif isinstance(expected, list) and isinstance(actual, list) and len(actual) == len(expected):
        for index, (ours, wanted) in enumerate(zip(actual, expected, strict=True)):
            yield from _differing(ours, wanted, f"{place}[{index}]", tolerance)
    elif isinstance(actual, int | float) and isinstance(expected, int | float):
        if not math.isclose(actual, expected, rel_tol=0, abs_tol=tolerance):
            yield place, actual, expected
    elif actual != expected:
        yield place, actual, expected
