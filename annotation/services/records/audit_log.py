"""Who changed what: every service that writes calls `record` inside its own transaction."""

import json
from collections.abc import Mapping

from django.db import connection
from django.utils import timezone

from annotation.models import Campaign, Round, User

# Plain SQL, because every save of every rater writes one; the ORM took a twelfth of a save for it.
ENTRY_SQL = """
INSERT INTO annotation_auditentry (actor_id, action, subject, detail, made_at)
VALUES (%s, %s, %s, %s, %s)
"""


def record(
    *,
    actor: User | None,
    action: str,
    subject: str,
    detail: Mapping[str, object] | None = None,
) -> None:
    """Add one row to the audit log.

    `action` is noun and verb ("dataset.import"), `subject` the kind and public id of what changed
    ("dataset:Xk3..."). `actor` is None for the command line. `detail` must be JSON.
    """
    made_at = connection.ops.adapt_datetimefield_value(timezone.now())
    row = [actor.pk if actor else None, action, subject, json.dumps(dict(detail or {})), made_at]
    with connection.cursor() as cursor:
        cursor.execute(ENTRY_SQL, row)


def record_campaign(
    actor: User | None, action: str, campaign: Campaign, detail: Mapping[str, object]
) -> None:
    record(actor=actor, action=action, subject=f"campaign:{campaign.public_id}", detail=detail)


def record_round(
    actor: User | None, action: str, round_: Round, detail: Mapping[str, object]
) -> None:
    """Rounds are logged under their campaign."""
    shown = {"round": round_.number, "phase": round_.phase, **detail}
    record_campaign(actor, action, round_.campaign, shown)
