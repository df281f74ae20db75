"""Campaigns: making them, who takes part and rates which data sets, closing them.

What is done when and by which text is decided round by round, and by the kind of the campaign.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from annotation.engine.campaigns.allocation import AllocationResult
from annotation.engine.exceptions import NotNowError
from annotation.engine.limits import up_to
from annotation.models import (
    Campaign,
    CampaignRater,
    CampaignState,
    Dataset,
    Phase,
    RoundRater,
    User,
)
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.rounds import open_rounds
from annotation.services.campaigns.rounds import DEFAULT_OVERLAP, OVERLAP, SEED
from annotation.services.records.accounts import NewAccount, create_rater_account, save_new
from annotation.services.records.audit_log import record_campaign
from annotation.services.records.locks import lock_campaign, lock_datasets, lock_rounds


class CampaignClosedError(NotNowError):
    """The campaign is closed: who rates what no longer changes; another round can be planned."""


@dataclass(frozen=True, slots=True)
class NewCampaign:
    """What a researcher decides about a campaign and its first round.

    `phase` None plans no round: the campaign is a draft, with a draft of the guideline. Where the
    rounds of a kind are planned one by one, only name and sharing are decided here.
    """

    name: str = field(metadata=up_to(200))
    kind: str = RATINGS
    overlap: int = field(default=DEFAULT_OVERLAP, metadata=OVERLAP)
    seed: int = field(default=0, metadata=SEED)
    phase: Phase | None = Phase.MAIN
    guideline_version: str = field(default="1", metadata=up_to(32))
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class AddedRaters:
    """What adding people did: the new reservations, and the accounts that were made for it."""

    allocation: AllocationResult
    accounts: tuple[NewAccount, ...]


@transaction.atomic
def create_campaign(
    *, new: NewCampaign, actor: User | None, datasets: Iterable[Dataset] = ()
) -> Campaign:
    """Make a campaign without raters; its first round is open at once, unless it is a draft."""
    campaign = Campaign(name=new.name, kind=new.kind, is_shared=new.is_shared, owner=actor)
    save_new(campaign)
    campaign.datasets.add(*lock_datasets(datasets))
    detail = {"overlap": new.overlap} if new.kind == RATINGS else {"kind": new.kind}
    record_campaign(actor, "campaign.create", campaign, {"name": new.name, **detail})
    campaign.round_kind.begin(campaign, new, actor)
    campaign.refresh_from_db()
    return campaign


@transaction.atomic
def add_raters(
    *, campaign: Campaign, raters: Iterable[User], actor: User | None
) -> AllocationResult:
    """Add people to the campaign and give them their share; those in it already stay."""
    locked = _lock_open(campaign)
    people = list(raters)
    members = set(locked.raters.values_list("rater_id", flat=True))
    kind = locked.round_kind
    kind.welcome(locked, (person for person in people if person.pk not in members))
    CampaignRater.objects.bulk_create(
        (CampaignRater(campaign=locked, rater=rater) for rater in people), ignore_conflicts=True
    )
    RoundRater.objects.bulk_create(
        (
            RoundRater(round=round_, rater=rater)
            for round_ in locked.rounds.filter(closed_at__isnull=True)
            if kind.takes_newcomers(round_, members)
            for rater in people
        ),
        ignore_conflicts=True,
    )
    added = [rater.pk for rater in people]
    record_campaign(actor, "campaign.add_raters", locked, {"raters": added})
    return _allocate(locked, actor)


@transaction.atomic
def add_new_raters(
    *,
    campaign: Campaign,
    raters: Iterable[User],
    new_usernames: Iterable[str],
    actor: User,
    details: Mapping[str, Mapping[str, str]] | None = None,
) -> AddedRaters:
    """Add people, making accounts for the new names first; all of them or, on an error, nobody.

    `details` are other fields of new accounts, by name. Raises `ValidationError` with everything
    that is wrong, naming the account.
    """
    accounts, faults = [], []
    for name in new_usernames:
        try:
            given = (details or {}).get(name)
            accounts.append(create_rater_account(username=name, actor=actor, details=given))
        except ValidationError as error:
            faults += error.messages
    if faults:
        raise ValidationError(faults)
    people = [*raters, *(account.user for account in accounts)]
    allocation = add_raters(campaign=campaign, raters=people, actor=actor)
    return AddedRaters(allocation, tuple(accounts))


@transaction.atomic
def remove_rater(*, campaign: Campaign, rater: User, actor: User | None) -> AllocationResult:
    """Take somebody out of the campaign; ratings are kept, what was not begun goes to others.

    A trace that the rater has begun keeps its place with these ratings: giving it to somebody else
    would collect more ratings than the overlap asks for. Adding the rater again gives it back.
    """
    locked = _lock_open(campaign)
    CampaignRater.objects.filter(campaign=locked, rater=rater).delete()
    for round_ in locked.rounds.filter(closed_at__isnull=True):
        RoundRater.objects.filter(round=round_, rater=rater).delete()
        locked.round_kind.take_back(round_, rater)
    record_campaign(actor, "campaign.remove_rater", locked, {"rater": rater.pk})
    return _allocate(locked, actor)


@transaction.atomic
def add_datasets(
    *, campaign: Campaign, datasets: Iterable[Dataset], actor: User | None
) -> AllocationResult:
    """Have the traces of more data sets rated in the campaign."""
    locked = _lock_open(campaign)
    chosen = lock_datasets(datasets)
    locked.datasets.add(*chosen)
    names = [item.name for item in chosen]
    record_campaign(actor, "campaign.add_datasets", locked, {"datasets": names})
    return _allocate(locked, actor)


@transaction.atomic
def allocate_traces(*, campaign: Campaign, actor: User | None) -> AllocationResult:
    """Give every trace its raters again, for instance after new traces were imported."""
    return _allocate(_lock_open(campaign), actor)


@transaction.atomic
def close_campaign(*, campaign: Campaign, actor: User | None) -> Campaign:
    """End the campaign with whatever round is open; closing twice is no change."""
    locked = lock_campaign(campaign)
    if not locked.is_closed:
        lock_rounds(open_rounds(locked))
        open_rounds(locked).update(closed_at=timezone.now())
        locked.state = CampaignState.CLOSED
        locked.save(update_fields=["state"])
        record_campaign(actor, "campaign.close", locked, {})
    return locked


def _lock_open(campaign: Campaign) -> Campaign:
    locked = lock_campaign(campaign)
    if locked.is_closed:
        raise CampaignClosedError(f"{locked.name} is closed; plan another round to go on")
    return locked


def _allocate(campaign: Campaign, actor: User | None) -> AllocationResult:
    """Allocate in every open round; needs the lock of the campaign."""
    allocate = campaign.round_kind.allocate
    return sum((allocate(round_, actor) for round_ in open_rounds(campaign)), AllocationResult())
