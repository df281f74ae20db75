"""What tables of all apps say of their columns in the same words."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q

if TYPE_CHECKING:
    from annotation.models.people import User


def user_column(related_name: str) -> "models.ForeignKey[User | None, User | None]":
    """A column that names an account, empty where that is gone, or where nobody did it."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name=related_name,
    )


def one_of(field: str, values: Iterable[str], name: str) -> models.CheckConstraint:
    """The constraint of that name: the database keeps nothing in the column but these values."""
    return models.CheckConstraint(condition=Q(**{f"{field}__in": list(values)}), name=name)
