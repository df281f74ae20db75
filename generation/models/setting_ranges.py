"""The ranges of numbers in the settings of an endpoint.

A range is a validator of its column. Forms and serializers build their fields from the columns with
`field_arguments`, so that they refuse the same values with the same message.
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
    """The arguments of form and serializer fields for a column's range; empty without a range."""
    limits = next((check for check in column.validators if isinstance(check, Range)), None)
    if limits is None:
        return {}
    or_nothing = ", or nothing" if column.blank else ""
    # Django and DRF fill in the value.
    words = (
        f"%(show_value)s is out of range; expected {limits.least:,} to {limits.most:,}{or_nothing}."
    )
    return {
        "min_value": limits.least,
        "max_value": limits.most,
        "error_messages": {"min_value": words, "max_value": words},
    }
