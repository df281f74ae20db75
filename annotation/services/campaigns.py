"""Campaigns: making them, who rates in them, which traces each rater gets, closing them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max, QuerySet
from django.http import Http404
from django.utils import timezone

from annotation.engine.allocation import allocate, queue_order
from annotation.engine.rubric import current_rubric
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignRater,
    Dataset,
    Phase,
    Role,
    Trace,
    User,
)
from annotation.selectors.blinding import datasets_known_to
from annotation.services.audit_log import record
from annotation.services.people import NewAccount, create_rater_account, save_new

DEFAULT_OVERLAP = 3
INSERT_BATCH = 1000


class CampaignClosedError(Exception):
    """The campaign is closed; reopen it before changing who rates what."""


@dataclass(frozen=True, slots=True)
class NewCampaign:
    """What a researcher decides about a campaign; see `Campaign` for the meanings."""

    name: str
    overlap: int = DEFAULT_OVERLAP
    seed: int = 0
    phase: Phase = Phase.MAIN
    guideline_version: str = "1"
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class AllocationResult:
    """How many reservations were made and handed on, and which traces still lack raters."""

    added_count: int
    moved_count: int
    short_trace_count: int


@dataclass(frozen=True, slots=True)
class AddedRaters:
    """What adding people did: the new reservations, and the accounts that were made for it."""

    allocation: AllocationResult
    accounts: tuple[NewAccount, ...]


@transaction.atomic
def create_campaign(
    *, new: NewCampaign, actor: User | None, datasets: Iterable[Dataset] = ()
) -> Campaign:
    """Make a campaign under the current rubric, without raters."""
    campaign = Campaign(
        name=new.name,
        overlap=new.overlap,
        seed=new.seed,
        phase=new.phase,
        guideline_version=new.guideline_version,
        is_shared=new.is_shared,
        owner=actor,
        rubric_version=current_rubric().version,
    )
    save_new(campaign)
    campaign.datasets.add(*_held(datasets))
    _record(actor, "campaign.create", campaign, {"name": new.name, "overlap": new.overlap})
    return campaign


@transaction.atomic
def add_raters(
    *, campaign: Campaign, raters: Iterable[User], actor: User | None
) -> AllocationResult:
    """Let people rate in the campaign and give them their share; who is in it already stays."""
    locked = _lock_open(campaign)
    people = list(raters)
    members = set(locked.raters.values_list("rater_id", flat=True))
    _mark_informed(locked, (person for person in people if person.pk not in members))
    CampaignRater.objects.bulk_create(
        (CampaignRater(campaign=locked, rater=rater) for rater in people), ignore_conflicts=True
    )
    _record(actor, "campaign.add_raters", locked, {"raters": [rater.pk for rater in people]})
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
    _unbegun(locked).filter(rater=rater).delete()
    _record(actor, "campaign.remove_rater", locked, {"rater": rater.pk})
    return _allocate(locked, actor)


@transaction.atomic
def add_datasets(
    *, campaign: Campaign, datasets: Iterable[Dataset], actor: User | None
) -> AllocationResult:
    """Have the traces of more data sets rated in the campaign."""
    locked = _lock_open(campaign)
    chosen = _held(datasets)
    locked.datasets.add(*chosen)
    _record(actor, "campaign.add_datasets", locked, {"datasets": [item.name for item in chosen]})
    return _allocate(locked, actor)


@transaction.atomic
def allocate_traces(*, campaign: Campaign, actor: User | None) -> AllocationResult:
    """Give every trace its raters again, for instance after new traces were imported."""
    return _allocate(_lock_open(campaign), actor)


@transaction.atomic
def close_campaign(*, campaign: Campaign, actor: User | None) -> Campaign:
    """End the campaign: nothing can be rated, submitted or reopened; closing twice is no change."""
    locked = _lock(campaign)
    if not locked.is_closed:
        locked.closed_at = timezone.now()
        locked.save(update_fields=["closed_at"])
        _record(actor, "campaign.close", locked, {})
    return locked


@transaction.atomic
def reopen_campaign(*, campaign: Campaign, actor: User | None) -> Campaign:
    """Let a closed campaign go on."""
    locked = _lock(campaign)
    if locked.is_closed:
        locked.closed_at = None
        locked.save(update_fields=["closed_at"])
        _record(actor, "campaign.reopen", locked, {})
        _mark_informed(locked, User.objects.filter(campaign_memberships__campaign=locked))
    return locked


def _mark_informed(campaign: Campaign, people: Iterable[User]) -> None:
    """Mark the open traces of people who could see their sources and others' answers until now.

    What somebody has submitted was answered before: it is looked at when it is opened again.
    """
    for person in people:
        Assignment.objects.filter(
            campaign=campaign,
            rater=person,
            status=AssignmentStatus.OPEN,
            trace__dataset__in=datasets_known_to(person, campaign),
        ).update(is_informed=True)


def _lock(campaign: Campaign) -> Campaign:
    # On SQLite the IMMEDIATE transaction is the lock, and Django leaves FOR UPDATE out.
    return Campaign.objects.select_for_update().get(pk=campaign.pk)


def _held(datasets: Iterable[Dataset]) -> list[Dataset]:
    """Lock the data sets against being deleted; raises Http404 when one is gone by now."""
    wanted = {dataset.pk for dataset in datasets}
    found = list(Dataset.objects.select_for_update().filter(pk__in=wanted).order_by("pk"))
    if len(found) < len(wanted):
        raise Http404("One of these data sets was deleted just now.")
    return found


def _lock_open(campaign: Campaign) -> Campaign:
    locked = _lock(campaign)
    if locked.is_closed:
        raise CampaignClosedError(f"{locked.name} is closed; reopen it first")
    return locked


def _record(actor: User | None, action: str, campaign: Campaign, detail: dict[str, object]) -> None:
    record(actor=actor, action=action, subject=f"campaign:{campaign.public_id}", detail=detail)


def _unbegun(campaign: Campaign) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        campaign=campaign, started_at__isnull=True, rating_events__isnull=True
    )


def _allocate(campaign: Campaign, actor: User | None) -> AllocationResult:
    """Bring the assignments in line with overlap and loads; needs the lock of the campaign."""
    _held(campaign.datasets.all())
    traces = Trace.objects.filter(dataset__campaigns=campaign).order_by()
    keys = sorted(traces.values_list("dataset__name", "uid", "pk"))
    held: dict[int, list[int]] = {trace: [] for _, _, trace in keys}
    for trace, rater in Assignment.objects.filter(campaign=campaign).values_list(
        "trace_id", "rater_id"
    ):
        held.setdefault(trace, []).append(rater)
    movable: dict[int, list[int]] = {}
    for rater, trace in _unbegun(campaign).order_by("position").values_list("rater", "trace"):
        movable.setdefault(rater, []).append(trace)
    raters = list(campaign.raters.order_by("rater_id").values_list("rater_id", flat=True))
    plan = allocate(
        raters_by_trace=held,
        raters=raters,
        movable={rater: movable.get(rater, []) for rater in raters},
        overlap=campaign.overlap,
        rng=np.random.default_rng(campaign.seed),
    )
    for trace, rater in plan.removed:
        Assignment.objects.filter(campaign=campaign, trace=trace, rater=rater).delete()
    _reserve(campaign, plan.added)
    assigned = Assignment.objects.filter(campaign=campaign).values_list("trace_id", flat=True)
    rater_counts = Counter(assigned)
    short_count = sum(rater_counts[trace] < campaign.overlap for trace in held)
    if plan.added or plan.removed:
        _record(
            actor,
            "campaign.allocate",
            campaign,
            {"added": len(plan.added), "moved": len(plan.removed), "short": short_count},
        )
    return AllocationResult(len(plan.added) - len(plan.removed), len(plan.removed), short_count)


def _reserve(campaign: Campaign, pairs: Iterable[tuple[int, int]]) -> None:
    """Put new traces at the end of each rater's queue, in that rater's own seeded order."""
    new: dict[int, list[int]] = {}
    for trace, rater in pairs:
        new.setdefault(rater, []).append(trace)
    ends = dict(
        Assignment.objects.filter(campaign=campaign)
        .order_by()
        .values_list("rater")
        .annotate(end=Max("position"))
    )
    assignments = []
    for rater, traces in sorted(new.items()):
        first = ends[rater] + 1 if rater in ends else 0
        order = queue_order(len(traces), seed=campaign.seed, rater=rater, first_position=first)
        assignments += [
            Assignment(
                campaign=campaign, rater_id=rater, trace_id=traces[place], position=first + rank
            )
            for rank, place in enumerate(order)
        ]
    Assignment.objects.bulk_create(assignments, batch_size=INSERT_BATCH)
    researchers = User.objects.exclude(role=Role.ANNOTATOR, is_superuser=False)
    _mark_informed(campaign, researchers.filter(pk__in=list(new)))
