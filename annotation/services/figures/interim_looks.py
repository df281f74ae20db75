"""Note who looked at agreement of a main round before it was closed."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotation.models import InterimLook, User
from annotation.selectors.figures.figures import InterimFigures
from annotation.services.records.audit_log import record_round


@transaction.atomic
def note_interim_looks(
    *, looks: Iterable[InterimFigures], person: User, now: datetime | None = None
) -> None:
    """Store what a person saw today of rounds that are open; what is stored stays."""
    moment = now or timezone.now()
    for look in looks:
        stored, _ = InterimLook.objects.select_for_update().get_or_create(
            round=look.round, person=person, day=moment.date(), defaults={"first_at": moment}
        )
        seen = {tuple(pair) for pair in stored.figures}
        if new := set(look.figures) - seen:
            stored.figures = sorted(seen | new)
            stored.save(update_fields=["figures"])
            record_round(person, "agreement.look", look.round, {"figures": sorted(new)})
