"""What rounds of every kind share: their numbers, who gets what, and that they close for good."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.engine.campaigns.allocation import Allocation, AllocationResult, allocate
from annotation.engine.exceptions import NotNowError
from annotation.engine.limits import between, up_to
from annotation.models import Campaign, Round, User
from annotation.services.records.accounts import save_new
from annotation.services.records.audit_log import record_round
from annotation.services.records.locks import lock_campaign, lock_rounds

# What rounds of every kind accept. Up to 2^53 a seed stays exact where numbers are read as floats.
OVERLAP, SEED, STOP_RULE = between(1, 50), between(0, 2**53), up_to(4000)
DEFAULT_OVERLAP = 3
INSERT_BATCH = 1000


class ProtocolError(NotNowError):
    """The protocol does not allow this move now; the message says from where it would."""


def add_round(campaign: Campaign, **values: Any) -> Round:
    """The campaign's next round with these columns; needs the lock of the campaign."""
    last = campaign.rounds.aggregate(last=Max("number"))["last"] or 0
    round_ = Round(campaign=campaign, number=last + 1, **values)
    save_new(round_)
    return round_


@transaction.atomic
def close_round(*, closing: Round, actor: User | None) -> Round:
    """End a round for good: nothing in it can be changed, submitted or reopened any more."""
    campaign = lock_campaign(closing.campaign)
    lock_rounds([closing])
    fresh = Round.objects.get(pk=closing.pk)
    if fresh.opened_at is None:
        raise ProtocolError(f"Round {fresh.number} was never opened.")
    if not fresh.is_closed:
        fresh.closed_at = timezone.now()
        fresh.save(update_fields=["closed_at"])
        record_round(actor, "round.close", fresh, {})
        fresh.round_kind.after_closing(fresh, campaign, actor)
    return fresh


def share_out(
    round_: Round,
    holders: Mapping[int, Sequence[int]],
    movable: Iterable[tuple[int, int]],
    barred: Mapping[int, AbstractSet[int]] | None = None,
) -> Allocation[int]:
    """Who gets and loses what in a round, by keys of things and of people.

    `holders` are the people of each thing, `barred` as in `allocate`; `movable` are (person, thing
    that is not begun) in the order of the queues.
    """
    people = list(round_.raters.order_by("rater_id").values_list("rater_id", flat=True))
    queues: dict[int, list[int]] = {person: [] for person in people}
    for person, thing in movable:
        if person in queues:
            queues[person].append(thing)
    return allocate(
        raters_by_trace=holders,
        raters=people,
        movable=queues,
        overlap=round_.overlap,
        rng=np.random.default_rng(round_.seed),
        barred=barred,
    )


def record_allocation(
    round_: Round, plan: Allocation[int], short_count: int, actor: User | None
) -> AllocationResult:
    added, moved = len(plan.added), len(plan.removed)
    if added or moved:
        detail = {"added": added, "moved": moved, "short": short_count}
        record_round(actor, "campaign.allocate", round_, detail)
    return AllocationResult(added - moved, moved, short_count)
