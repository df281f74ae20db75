"""Constraints that tables of all apps share."""

from collections.abc import Iterable

from django.db import models
from django.db.models import Q


def one_of(field: str, values: Iterable[str], name: str) -> models.CheckConstraint:
    """The constraint of that name: the database keeps nothing in the column but these values."""
    return models.CheckConstraint(condition=Q(**{f"{field}__in": list(values)}), name=name)
