"""The limits of a request, defined once with the fields of its dataclass.

A limit is metadata under the name that fields of forms and of serializers have for it, so that
both take it as it is: `IntegerField(**limits(NewRound, "overlap"))`.
"""

from dataclasses import MISSING, fields
from typing import Any

Limits = dict[str, Any]


def between(least: float, most: float) -> Limits:
    """Metadata of a number's field; both ends are accepted."""
    return {"min_value": least, "max_value": most}


def up_to(characters: int) -> Limits:
    """Metadata of a text's field."""
    return {"max_length": characters}


def limits(request: type, name: str, *, default_as: str = "") -> dict[str, Any]:
    """The limits of a field, and its default under the keyword `default_as`.

    Forms call the default `initial`, serializers `default`; no keyword leaves it out.
    """
    item = next(item for item in fields(request) if item.name == name)
    if not default_as:
        return dict(item.metadata)
    if item.default is MISSING:
        raise ValueError(f"{request.__name__}.{name} has no default.")
    return {**item.metadata, default_as: item.default}
