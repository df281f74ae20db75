"""Rounds of ratings and the states of their protocol: planned, opened, given out, frozen, released.

Draft, pilot, discussion, frozen, main, closed, released. A pilot may be repeated, from the
discussion of the one before; every move leaves a row in the audit log.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from annotation.engine.campaigns.allocation import AllocationResult, queued
from annotation.engine.campaigns.guideline import guideline_from_dict
from annotation.engine.campaigns.trace_choice import TraceChoice
from annotation.engine.campaigns.trace_sample import draw_traces
from annotation.engine.limits import between
from annotation.engine.rubric.rubric import current_rubric
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
    RoundRater,
    Trace,
    User,
)
from annotation.selectors.campaigns.protocol import analysis_plan
from annotation.selectors.campaigns.rounds import must_freeze_first
from annotation.selectors.corpus.blinding import datasets_known_to
from annotation.selectors.ratings.drawing import chosen_among
from annotation.selectors.ratings.gold import gold_traces
from annotation.services.campaigns.campaigns import NewCampaign
from annotation.services.campaigns.guidelines import freeze_version, new_version
from annotation.services.campaigns.protocol import file_protocol
from annotation.services.campaigns.rounds import (
    DEFAULT_OVERLAP,
    INSERT_BATCH,
    OVERLAP,
    SEED,
    STOP_RULE,
    ProtocolError,
    add_round,
    record_allocation,
    share_out,
)
from annotation.services.ratings.checks import hold_back_unqualified, place_checks, set_gold_aside
from annotation.services.ratings.desk import draw_cases
from annotation.services.ratings.training import give_training
from annotation.services.records.audit_log import record_campaign, record_round
from annotation.services.records.locks import hold_datasets, hold_work, lock_campaign

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


@dataclass(frozen=True, slots=True)
class NewRound:
    """What a researcher decides about a round; see `Round` and `RatingRound` for the meanings.

    `per_dataset` None takes all traces of the campaign's data sets, else so many of each are drawn;
    only of those with a video that raters see (`has_video`), with a correction (`has_correction`),
    of some scenarios, where that is asked.
    Traces of pilot and training rounds are left out of a main round unless `rates_pilot_again`,
    which gives figures before and after a change of the guideline on the same traces.
    """

    phase: Phase
    guideline: GuidelineVersion
    overlap: int = field(default=DEFAULT_OVERLAP, metadata=OVERLAP)
    seed: int = field(default=0, metadata=SEED)
    stop_rule: str = field(default="", metadata=STOP_RULE)
    per_dataset: int | None = field(default=None, metadata=between(1, 10_000))
    rates_pilot_again: bool = False
    has_video: bool = False
    has_correction: bool = False
    scenarios: tuple[str, ...] = ()

    @property
    def choice(self) -> TraceChoice:
        return TraceChoice(
            self.per_dataset, self.has_video, self.has_correction, tuple(self.scenarios)
        )


@transaction.atomic
def plan_round(*, campaign: Campaign, new: NewRound, actor: User | None) -> Round:
    """Draw the traces of a round and note who works in it; raters do not see it yet.

    Raises `GuidelineError` where the guideline lacks a text of the current rubric, and
    `ProtocolError` where no trace is as was asked, or none has gold for a training.
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
        if not candidates.exists():
            raise ProtocolError(
                "A training gives everybody the traces that have gold, and none has any yet: mark"
                " gold first, on the campaign’s page of that name."
            )
    not_main = RatingRound.objects.filter(round__campaign=locked).exclude(round__phase=Phase.MAIN)
    earlier = Trace.objects.filter(rating_rounds__in=not_main)
    leaves_out = new.phase == Phase.MAIN and not new.rates_pilot_again and earlier.exists()
    if leaves_out:
        candidates = candidates.exclude(pk__in=earlier.values("pk"))
    choice = new.choice
    candidates = chosen_among(candidates, choice)
    if choice.is_narrow and not candidates.exists():
        raise ProtocolError(f"No trace {choice.words} is left to draw.")
    has_all = new.per_dataset is None and not leaves_out and not choice.is_narrow
    ratings = RatingRound.objects.create(
        round=planned,
        rubric_version=current_rubric().version,
        has_all_traces=has_all,
        drawn_from=choice.to_dict(),
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


@transaction.atomic
def open_round(*, planned: Round, actor: User | None) -> AllocationResult:
    """Freeze the guideline of a planned round, give out its traces, and let people begin."""
    campaign = lock_campaign(planned.campaign)
    fresh = Round.objects.select_related("guideline").get(pk=planned.pk)
    if fresh.opened_at is not None:
        raise ProtocolError(f"Round {fresh.number} was opened before.")
    phase = Phase(fresh.phase)
    if must_freeze_first(fresh, campaign):
        raise ProtocolError(
            "Freeze the guideline for the main round first, on the page of the campaign: after a"
            " pilot the main round goes by a frozen version."
        )
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
    RatingRound.objects.filter(round=fresh).update(step_words=analysis_plan(campaign).step_words)
    _move(campaign, STATE_WHEN_OPENED.get(phase))
    record_round(actor, "round.open", fresh, {"guideline": fresh.guideline.public_id})
    return allocate_round(fresh, actor)


def after_closing(round_: Round, campaign: Campaign, actor: User | None) -> None:
    """Move the campaign on; a pilot's disagreements come to the desk."""
    _move(campaign, STATE_WHEN_CLOSED.get(Phase(round_.phase)))
    if round_.phase == Phase.PILOT:
        draw_cases(campaign=campaign, actor=actor)


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


def _expect(campaign: Campaign, allowed: set[CampaignState], refusal: str) -> None:
    if campaign.state not in allowed:
        states = ", ".join(sorted(state.label.lower() for state in allowed))
        state_label = campaign.get_state_display().lower()
        raise ProtocolError(f"{refusal} in state {state_label}; it can from: {states}.")


def _move(campaign: Campaign, state: CampaignState | None) -> None:
    if state is not None:
        campaign.state = state
        campaign.save(update_fields=["state"])


def begin_with_round(campaign: Campaign, new: NewCampaign, actor: User | None) -> None:
    """Give a new campaign its guideline, and its first round unless it is a draft."""
    guideline = new_version(campaign=campaign, actor=actor, name=new.guideline_version)
    if new.phase is not None:
        first = NewRound(new.phase, guideline, overlap=new.overlap, seed=new.seed)
        planned = plan_round(campaign=campaign, new=first, actor=actor)
        open_round(planned=planned, actor=actor)


def unbegun(round_: Round) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        round=round_, started_at__isnull=True, rating_events__isnull=True, purpose=Purpose.ORDINARY
    )


def allocate_round(round_: Round, actor: User | None) -> AllocationResult:
    """Bring the assignments in line with overlap and loads; needs the lock of the campaign."""
    hold_datasets(round_.campaign_id)
    hold_work(Assignment.objects.filter(round=round_, started_at__isnull=True))
    if round_.phase == Phase.TRAINING:
        trace_count = give_training(round_)
        if trace_count:
            mark_informed(round_.campaign, _researchers_in(round_))
        return AllocationResult(trace_count)
    hold_back_unqualified(round_)
    ratings = round_.ratings
    if ratings.has_all_traces:
        ratings.traces.set(
            Trace.objects.filter(dataset__campaigns=round_.campaign_id).values_list("pk", flat=True)
        )
    set_gold_aside(round_)
    keys = sorted(ratings.traces.order_by().values_list("dataset__name", "uid", "pk"))
    holders: dict[int, list[int]] = {trace: [] for _, _, trace in keys}
    ordinary = Assignment.objects.filter(round=round_, purpose=Purpose.ORDINARY)
    for trace, rater in ordinary.values_list("trace_id", "rater_id"):
        holders.setdefault(trace, []).append(rater)
    movable = unbegun(round_).order_by("position").values_list("rater", "trace")
    plan = share_out(round_, holders, movable)
    for trace, rater in plan.removed:
        ordinary.filter(trace=trace, rater=rater).delete()
    reserve(round_, plan.added)
    place_checks(round_, actor)
    if plan.added:
        mark_informed(round_.campaign, _researchers_in(round_))
    rater_counts = Counter(ordinary.values_list("trace_id", flat=True))
    short_count = sum(rater_counts[trace] < round_.overlap for trace in holders)
    return record_allocation(round_, plan, short_count, actor)


def reserve(round_: Round, pairs: Iterable[tuple[int, int]]) -> None:
    """Put new traces at the end of each rater's queue, in that rater's own seeded order."""
    queues = Assignment.objects.filter(round=round_).order_by().values_list("rater")
    ends = dict(queues.annotate(end=Max("position")))
    assignments = [
        Assignment(round=round_, rater_id=rater, trace_id=trace, position=position)
        for trace, rater, position in queued(pairs, ends=ends, seed=round_.seed)
    ]
    Assignment.objects.bulk_create(assignments, batch_size=INSERT_BATCH)


def _researchers_in(round_: Round) -> QuerySet[User]:
    researchers = User.objects.exclude(role=Role.ANNOTATOR, is_superuser=False)
    return researchers.filter(pk__in=round_.raters.values("rater"))


def mark_informed(campaign: Campaign, people: Iterable[User]) -> None:
    """Mark the open traces of people who could see their sources and others' answers until now.

    Submitted traces were answered before; reopening one checks it again.
    """
    for person in people:
        Assignment.objects.filter(
            round__campaign=campaign,
            rater=person,
            status=AssignmentStatus.OPEN,
            trace__dataset__in=datasets_known_to(person, campaign),
        ).update(is_informed=True)
