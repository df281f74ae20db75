"""Note who looked at agreement of a main round before it was closed."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotation.models import InterimLook, User
from annotation.selectors.figures.figures import InterimFigures
from annotation.services.records.audit_log import record_round


def note_interim_looks(
    *, looks: Iterable[InterimFigures], person: User | None, now: datetime | None = None
) -> None:
    """Store what a person saw today of rounds that are open; what is stored stays.

    Nobody (None) is whoever reads figures by a command.
    """
    moment = now or timezone.now()
    new = [look for look in looks if not _is_stored(look, person, moment)]
    if new:
        _store(new, person, moment)


def _is_stored(look: InterimFigures, person: User | None, moment: datetime) -> bool:
    looks = InterimLook.objects.filter(round=look.round, person=person, day=moment.date())
    seen = looks.values_list("figures", flat=True).first()
    return seen is not None and set(look.figures) <= {tuple(pair) for pair in seen}


@transaction.atomic
def _store(looks: Iterable[InterimFigures], person: User | None, moment: datetime) -> None:
    for look in looks:
        stored, _ = InterimLook.objects.select_for_update().get_or_create(
            round=look.round, person=person, day=moment.date(), defaults={"first_at": moment}
        )
        seen = {tuple(pair) for pair in stored.figures}
        if new := set(look.figures) - seen:
            stored.figures = sorted(seen | new)
            stored.save(update_fields=["figures"])
            record_round(person, "agreement.look", look.round, {"figures": sorted(new)})
