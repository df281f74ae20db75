"""People: who may log in, and in which of the three roles."""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models

from annotation.engine.campaigns.account_names import name_fault
from annotation.models.columns import one_of


def user_column(related_name: str) -> "models.ForeignKey[User | None, User | None]":
    """A column that names an account, empty where that is gone, or where nobody did it."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name=related_name,
    )


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
    # Who made the account, or whose invitation its owner made it by. Only they and administrators
    # may give it a new password; empty where nobody but administrators may.
    taken_in_by = user_column("taken_in")

    class Meta:
        constraints = [one_of("role", Role.values, "user_role_known")]

    def clean(self) -> None:
        """Refuse a new name that passes for another; who has such a name keeps it."""
        super().clean()
        fault = name_fault(self.username or "")
        if fault and not User.objects.filter(pk=self.pk, username=self.username).exists():
            raise ValidationError({"username": fault})

    @property
    def is_administrator(self) -> bool:
        return self.is_superuser or self.role == Role.ADMINISTRATOR

    @property
    def is_researcher(self) -> bool:
        return self.is_administrator or self.role == Role.RESEARCHER
