"""How large the numbers among the settings of an endpoint may be, and how everybody says it.

A range stands as a validator at its column. Forms and serializers build their fields from the
columns with `field_arguments`, so that they refuse the same values in the same words.
"""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.deconstruct import deconstructible


@deconstructible
@dataclass
class Range:
    """A validator: the least and the most that a number may be."""

    least: int
    most: int

    def __call__(self, value: Any) -> None:
        if not self.least <= value <= self.most:
            raise ValidationError(
                f"{value} is out of range; expected {self.least:,} to {self.most:,}."
            )


def field_arguments(column: "models.Field[Any, Any]") -> dict[str, Any]:
    """What the fields of forms and serializers say of a column's range; nothing without one."""
    found = next((check for check in column.validators if isinstance(check, Range)), None)
    if found is None:
        return {}
    or_nothing = ", or nothing" if column.blank else ""
    # Django and DRF put the value in.
    words = (
        f"%(show_value)s is out of range; expected {found.least:,} to {found.most:,}{or_nothing}."
    )
    return {
        "min_value": found.least,
        "max_value": found.most,
        "error_messages": {"min_value": words, "max_value": words},
    }
