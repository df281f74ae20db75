"""Accounts and the audit log, for administrators."""

from datetime import timedelta

from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import AuditEntry, User

NEWEST_ENTRIES = 20


def accounts() -> QuerySet[User]:
    return User.objects.order_by("username")


def is_locked(user: User) -> bool:
    """Whether too many wrong passwords were typed for the account a moment ago."""
    locked_since = timezone.now() - timedelta(hours=settings.AXES_COOLOFF_TIME)
    attempts: QuerySet[AccessAttempt] = AccessAttempt.objects.filter(
        username=user.username,
        failures_since_start__gte=settings.AXES_FAILURE_LIMIT,
        attempt_time__gte=locked_since,
    )
    return attempts.exists()


def audit_entries() -> QuerySet[AuditEntry]:
    """The audit log, newest first."""
    return AuditEntry.objects.select_related("actor").order_by("-pk")


def entries_about(user: User) -> list[AuditEntry]:
    """The newest of what was changed about an account (one query)."""
    return list(audit_entries().filter(subject=f"user:{user.pk}")[:NEWEST_ENTRIES])
