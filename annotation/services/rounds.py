"""Rounds of a campaign and the states of its protocol: planned, opened, closed, never reopened.

Draft, pilot, discussion, frozen, main, closed, released. A pilot may be repeated, from the
discussion of the one before; every move leaves a row in the audit log.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from annotation.engine.allocation import Allocation, allocate, queued
from annotation.engine.exceptions import NotNowError
from annotation.engine.guideline import guideline_from_dict
from annotation.engine.rubric import current_rubric
from annotation.engine.trace_sample import draw_traces
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignState,
    FilingMoment,
    GuidelineVersion,
    Phase,
    Purpose,
    RatingRound,
    Role,
    Round,
    RoundKind,
    RoundRater,
    Trace,
    User,
)
from annotation.selectors.blinding import datasets_known_to
from annotation.selectors.gold import gold_traces
from annotation.services.audit_log import record_campaign, record_round
from annotation.services.desk import draw_cases
from annotation.services.guidelines import freeze_version
from annotation.services.locks import hold_datasets, lock_campaign
from annotation.services.people import save_new
from annotation.services.protocol import file_protocol
from annotation.services.round_checks import hold_back_unqualified, place_checks, set_gold_aside
from annotation.services.training import give_training

DEFAULT_OVERLAP = 3
INSERT_BATCH = 1000
# From which states a round of a phase can be opened; training goes on beside everything else.
OPENED_FROM = {
    Phase.TRAINING: {
        CampaignState.DRAFT, CampaignState.PILOT, CampaignState.DISCUSSION, CampaignState.FROZEN,
        CampaignState.MAIN,
    },
    Phase.PILOT: {CampaignState.DRAFT, CampaignState.DISCUSSION, CampaignState.CLOSED},
    Phase.MAIN: {CampaignState.DRAFT, CampaignState.FROZEN, CampaignState.CLOSED},
}  # fmt: skip
FROZEN_FROM = {CampaignState.DRAFT, CampaignState.DISCUSSION, CampaignState.CLOSED}
STATE_WHEN_OPENED = {Phase.PILOT: CampaignState.PILOT, Phase.MAIN: CampaignState.MAIN}
STATE_WHEN_CLOSED = {Phase.PILOT: CampaignState.DISCUSSION, Phase.MAIN: CampaignState.CLOSED}


class ProtocolError(NotNowError):
    """The protocol does not allow this move now; the message says from where it would."""


@dataclass(frozen=True, slots=True)
class NewRound:
    """What a researcher decides about a round; see `Round` and `RatingRound` for the meanings.

    `per_dataset` None takes all traces of the campaign's data sets, else so many of each are drawn.
    Traces of pilot and training rounds are left out of a main round unless `rates_pilot_again`,
    which gives figures before and after a change of the guideline on the same traces.
    """

    phase: Phase
    guideline: GuidelineVersion
    overlap: int = DEFAULT_OVERLAP
    seed: int = 0
    stop_rule: str = ""
    per_dataset: int | None = None
    rates_pilot_again: bool = False


@dataclass(frozen=True, slots=True)
class AllocationResult:
    """How many reservations were made and handed on, and which traces still lack raters."""

    added_count: int = 0
    moved_count: int = 0
    short_trace_count: int = 0

    def __add__(self, other: "AllocationResult") -> "AllocationResult":
        return AllocationResult(
            self.added_count + other.added_count,
            self.moved_count + other.moved_count,
            self.short_trace_count + other.short_trace_count,
        )


@transaction.atomic
def plan_round(*, campaign: Campaign, new: NewRound, actor: User | None) -> Round:
    """Draw the traces of a round and note who works in it; nobody sees anything of it yet.

    Raises `GuidelineError` where the guideline lacks a text of the current rubric.
    """
    locked = lock_campaign(campaign)
    if new.guideline.text:
        guideline_from_dict(new.guideline.text, current_rubric())
    planned = add_round(
        locked,
        phase=new.phase,
        guideline=new.guideline,
        overlap=new.overlap,
        seed=new.seed,
        stop_rule=new.stop_rule,
    )
    candidates = Trace.objects.filter(dataset__campaigns=locked).order_by()
    if new.phase == Phase.TRAINING:
        candidates = candidates.filter(pk__in=gold_traces(locked).values("pk"))
    not_main = RatingRound.objects.filter(round__campaign=locked).exclude(round__phase=Phase.MAIN)
    earlier = Trace.objects.filter(rating_rounds__in=not_main)
    leaves_out = new.phase == Phase.MAIN and not new.rates_pilot_again and earlier.exists()
    if leaves_out:
        candidates = candidates.exclude(pk__in=earlier.values("pk"))
    has_all = new.per_dataset is None and not leaves_out
    ratings = RatingRound.objects.create(
        round=planned, rubric_version=current_rubric().version, has_all_traces=has_all
    )
    rows = list(candidates.values_list("dataset__name", "take__scenario", "pk"))
    if new.per_dataset is not None:
        rng = np.random.default_rng([new.seed, planned.number])
        ratings.traces.set(draw_traces(rows, per_dataset=new.per_dataset, rng=rng))
    else:
        ratings.traces.set([pk for *_, pk in rows])
    people = locked.raters.order_by("pk").values_list("rater_id", flat=True)
    RoundRater.objects.bulk_create(RoundRater(round=planned, rater_id=rater) for rater in people)
    record_round(actor, "round.plan", planned, {"traces": ratings.traces.count()})
    return planned


def add_round(campaign: Campaign, **values: Any) -> Round:
    """The campaign's next round with these columns; needs the lock of the campaign."""
    last = campaign.rounds.aggregate(last=Max("number"))["last"] or 0
    made = Round(campaign=campaign, number=last + 1, **values)
    save_new(made)
    return made


@transaction.atomic
def open_round(*, planned: Round, actor: User | None) -> AllocationResult:
    """Freeze the guideline of a planned round, give out its traces, and let people begin."""
    campaign = lock_campaign(planned.campaign)
    fresh = Round.objects.select_related("guideline").get(pk=planned.pk)
    if fresh.opened_at is not None:
        raise ProtocolError(f"Round {fresh.number} was opened before.")
    phase = Phase(fresh.phase)
    _expect(campaign, OPENED_FROM[phase], f"A {phase.label.lower()} round cannot be opened")
    if campaign.state == CampaignState.FROZEN and not fresh.guideline.is_frozen:
        raise ProtocolError(
            f"Version {fresh.guideline.name} of the guideline is a draft, and the campaign's was"
            " frozen for the main round: plan the round with a frozen version."
        )
    freeze_version(version=fresh.guideline, actor=actor)
    if phase is Phase.MAIN:
        file_protocol(campaign=campaign, moment=FilingMoment.BEFORE_MAIN, actor=actor)
    fresh.opened_at = timezone.now()
    fresh.save(update_fields=["opened_at"])
    _move(campaign, STATE_WHEN_OPENED.get(phase))
    record_round(actor, "round.open", fresh, {"guideline": fresh.guideline.public_id})
    return allocate_round(fresh, actor)


@transaction.atomic
def close_round(*, closing: Round, actor: User | None) -> Round:
    """End a round for good: nothing in it can be changed, submitted or reopened any more."""
    campaign = lock_campaign(closing.campaign)
    fresh = Round.objects.get(pk=closing.pk)
    if fresh.opened_at is None:
        raise ProtocolError(f"Round {fresh.number} was never opened.")
    if not fresh.is_closed:
        fresh.closed_at = timezone.now()
        fresh.save(update_fields=["closed_at"])
        record_round(actor, "round.close", fresh, {})
        # Rounds of segments run side by side: the campaign stays what it is.
        if fresh.kind == RoundKind.RATINGS:
            _move(campaign, STATE_WHEN_CLOSED.get(Phase(fresh.phase)))
            if fresh.phase == Phase.PILOT:
                draw_cases(campaign=campaign, actor=actor)
    return fresh


@transaction.atomic
def freeze_protocol(
    *, campaign: Campaign, guideline: GuidelineVersion, actor: User | None
) -> Campaign:
    """Freeze the version that the main round will use; the discussion of pilots is over."""
    locked = lock_campaign(campaign)
    _expect(locked, FROZEN_FROM, "The protocol cannot be frozen")
    freeze_version(version=guideline, actor=actor)
    _move(locked, CampaignState.FROZEN)
    record_campaign(actor, "campaign.freeze", locked, {"guideline": guideline.public_id})
    return locked


@transaction.atomic
def release_campaign(*, campaign: Campaign, actor: User | None) -> Campaign:
    """Say that figures of a closed campaign are published: no round can follow."""
    locked = lock_campaign(campaign)
    _expect(locked, {CampaignState.CLOSED}, "The campaign cannot be released")
    _move(locked, CampaignState.RELEASED)
    file_protocol(campaign=locked, moment=FilingMoment.RELEASE, actor=actor)
    record_campaign(actor, "campaign.release", locked, {})
    return locked


def _expect(campaign: Campaign, allowed: set[CampaignState], what: str) -> None:
    if campaign.state not in allowed:
        states = ", ".join(sorted(state.label.lower() for state in allowed))
        now = campaign.get_state_display().lower()
        raise ProtocolError(f"{what} in state {now}; it can from: {states}.")


def _move(campaign: Campaign, state: CampaignState | None) -> None:
    if state is not None:
        campaign.state = state
        campaign.save(update_fields=["state"])


def unbegun(made: Round) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        round=made, started_at__isnull=True, rating_events__isnull=True, purpose=Purpose.ORDINARY
    )


def allocate_round(made: Round, actor: User | None) -> AllocationResult:
    """Bring the assignments in line with overlap and loads; needs the lock of the campaign."""
    hold_datasets(made.campaign_id)
    if made.phase == Phase.TRAINING:
        given = give_training(made)
        if given:
            mark_informed(made.campaign, _researchers_in(made))
        return AllocationResult(given)
    hold_back_unqualified(made)
    ratings = made.ratings
    if ratings.has_all_traces:
        ratings.traces.set(
            Trace.objects.filter(dataset__campaigns=made.campaign_id).values_list("pk", flat=True)
        )
    set_gold_aside(made)
    keys = sorted(ratings.traces.order_by().values_list("dataset__name", "uid", "pk"))
    held: dict[int, list[int]] = {trace: [] for _, _, trace in keys}
    ordinary = Assignment.objects.filter(round=made, purpose=Purpose.ORDINARY)
    for trace, rater in ordinary.values_list("trace_id", "rater_id"):
        held.setdefault(trace, []).append(rater)
    movable = unbegun(made).order_by("position").values_list("rater", "trace")
    plan = share_out(made, held, movable)
    for trace, rater in plan.removed:
        ordinary.filter(trace=trace, rater=rater).delete()
    reserve(made, plan.added)
    place_checks(made, actor)
    if plan.added:
        mark_informed(made.campaign, _researchers_in(made))
    rater_counts = Counter(ordinary.values_list("trace_id", flat=True))
    short_count = sum(rater_counts[trace] < made.overlap for trace in held)
    return record_allocation(made, plan, short_count, actor)


def share_out(
    made: Round,
    held: Mapping[int, Sequence[int]],
    movable: Iterable[tuple[int, int]],
    barred: Mapping[int, AbstractSet[int]] | None = None,
) -> Allocation[int]:
    """Who gets and loses what in a round, by keys of what is worked at and of people.

    `held` and `barred` as in `allocate`; `movable` are (person, what nobody has begun) in the order
    of the queues.
    """
    people = list(made.raters.order_by("rater_id").values_list("rater_id", flat=True))
    queues: dict[int, list[int]] = {person: [] for person in people}
    for person, thing in movable:
        if person in queues:
            queues[person].append(thing)
    return allocate(
        raters_by_trace=held,
        raters=people,
        movable=queues,
        overlap=made.overlap,
        rng=np.random.default_rng(made.seed),
        barred=barred,
    )


def record_allocation(
    made: Round, plan: Allocation[int], short_count: int, actor: User | None
) -> AllocationResult:
    added, moved = len(plan.added), len(plan.removed)
    if added or moved:
        detail = {"added": added, "moved": moved, "short": short_count}
        record_round(actor, "campaign.allocate", made, detail)
    return AllocationResult(added - moved, moved, short_count)


def reserve(made: Round, pairs: Iterable[tuple[int, int]]) -> None:
    """Put new traces at the end of each rater's queue, in that rater's own seeded order."""
    queues = Assignment.objects.filter(round=made).order_by().values_list("rater")
    ends = dict(queues.annotate(end=Max("position")))
    assignments = [
        Assignment(round=made, rater_id=rater, trace_id=trace, position=position)
        for trace, rater, position in queued(pairs, ends=ends, seed=made.seed)
    ]
    Assignment.objects.bulk_create(assignments, batch_size=INSERT_BATCH)


def _researchers_in(made: Round) -> QuerySet[User]:
    researchers = User.objects.exclude(role=Role.ANNOTATOR, is_superuser=False)
    return researchers.filter(pk__in=made.raters.values("rater"))


def mark_informed(campaign: Campaign, people: Iterable[User]) -> None:
    """Mark the open traces of people who could see their sources and others' answers until now.

    What somebody has submitted was answered before: it is looked at when it is opened again.
    """
    for person in people:
        Assignment.objects.filter(
            round__campaign=campaign,
            rater=person,
            status=AssignmentStatus.OPEN,
            trace__dataset__in=datasets_known_to(person, campaign),
        ).update(is_informed=True)
