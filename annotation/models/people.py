"""People: who may log in, and in which of the three roles."""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models

from annotation.models.columns import one_of


class Role(models.TextChoices):
    """What an account is for; a role decides which pages and endpoints answer at all."""

    ANNOTATOR = "annotator", "Annotator"
    RESEARCHER = "researcher", "Researcher"
    ADMINISTRATOR = "administrator", "Administrator"


class User(AbstractUser):
    """An account with one role. Superusers act as administrators whatever the field says."""

    role = models.CharField(max_length=16, choices=Role.choices, default=Role.ANNOTATOR)
    # Somebody else knows the password of a new account until its owner has changed it.
    must_change_password = models.BooleanField(default=False)

    class Meta:
        constraints = [one_of("role", Role.values, "user_role_known")]

    @property
    def is_administrator(self) -> bool:
        return self.is_superuser or self.role == Role.ADMINISTRATOR

    @property
    def is_researcher(self) -> bool:
        return self.is_administrator or self.role == Role.RESEARCHER


def user_column(related_name: str) -> "models.ForeignKey[User | None, User | None]":
    """A column that names an account, empty where that is gone, or where nobody did it."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name=related_name,
    )
