"""The limits of a profile's fields.

Each function returns a dataclass field with a default and, as metadata, the test that
`profile_files.check_profile` applies to it.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import field
from typing import Any


def _limited(default: Any, **metadata: object) -> Any:
    if isinstance(default, Mapping):
        return field(default_factory=lambda: deepcopy(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def non_negative(default: Any) -> Any:
    """A field of numbers (one, or any mapping of them) that are at least 0."""
    return _limited(default, low=0.0)


def positive_sum(default: Mapping[Any, Any]) -> Any:
    """A field of weights: none negative, and not all 0 in any innermost mapping."""
    return _limited(default, low=0.0, is_weights=True)


def between(default: Any, low: float, high: float) -> Any:
    """A field of numbers (one, or any mapping of them) inside [low, high]."""
    return _limited(default, low=low, high=high)


def at_least(default: int, low: int) -> Any:
    """A field of whole numbers that are at least `low`."""
    return _limited(default, low=low)


def value_range(low: float, high: float) -> Any:
    """A field that holds the two ends of a range."""
    return _limited((low, high), kind="range")


def predicates(*names: str, **names_by_key: set[str]) -> Any:
    """A field of predicate names: a set of them, or a set for each predicate."""
    if names_by_key:
        return _limited(
            {key: frozenset(value) for key, value in names_by_key.items()}, kind="predicates"
        )
    return _limited(frozenset(names), kind="predicates")
