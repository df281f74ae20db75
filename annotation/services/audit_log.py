"""Who changed what: every service that writes calls `record` inside its own transaction."""

from collections.abc import Mapping

from annotation.models import AuditEntry, User


def record(
    *,
    actor: User | None,
    action: str,
    subject: str,
    detail: Mapping[str, object] | None = None,
) -> AuditEntry:
    """Add one row to the audit log and return it.

    `action` is noun and verb ("dataset.import"), `subject` the kind and public id of what changed
    ("dataset:Xk3..."). `actor` is None for the command line. `detail` must be JSON.
    """
    return AuditEntry.objects.create(
        actor=actor, action=action, subject=subject, detail=dict(detail or {})
    )
