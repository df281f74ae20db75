"""Gold: marked by an expert or taken from what everybody answered alike; and retired."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from annotation.engine.counting import counted
from annotation.engine.limits import between
from annotation.engine.ratings.gold import WIDEST_BAND, GoldError, check_gold, most_checks
from annotation.engine.rubric.rubric import Metric, Scale, Scope
from annotation.models import (
    Campaign,
    Event,
    GoldItem,
    GoldSource,
    Phase,
    Round,
    RoundChecks,
    Trace,
    User,
)
from annotation.selectors.ratings.gold import (
    active_gold,
    checks_of,
    ordinary_per_rater,
    proposals,
    rubric_of,
)
from annotation.services.records.accounts import save_new
from annotation.services.records.audit_log import record, record_campaign


@dataclass(frozen=True, slots=True)
class NewGold:
    """The accepted answers to one question; `event_index` None is the whole trace."""

    event_index: int | None
    metric: Metric
    accepted: Sequence[str]
    band: int = 0
    reason: str = ""
    source: GoldSource = GoldSource.EXPERT


@dataclass(frozen=True, slots=True)
class NewChecks:
    """What a round asks for beside ordinary traces; see `RoundChecks` for the meanings."""

    gold_count: int = field(default=0, metadata=between(0, 100))
    trap_count: int = field(default=0, metadata=between(0, 100))
    repeat_count: int = field(default=0, metadata=between(0, 100))
    repeat_gap: int = field(default=10, metadata=between(1, 1000))
    pass_overall: float = field(default=0.8, metadata=between(0, 1))
    pass_per_metric: float = field(default=0.6, metadata=between(0, 1))
    traces_per_attempt: int | None = field(default=None, metadata=between(1, 1000))
    most_attempts: int | None = field(default=3, metadata=between(1, 100))
    qualified_by: Round | None = None


@transaction.atomic
def mark_gold(*, campaign: Campaign, trace: Trace, new: NewGold, actor: User | None) -> GoldItem:
    """Set the accepted answers to a question in place of earlier ones.

    Raises `GoldError` for a metric without gold, answers that it does not take, an event that the
    trace does not have, or no reason.
    """
    _check(campaign, new)
    event = None
    if new.event_index is not None:
        event = trace.events.filter(index=new.event_index).first()
        if event is None:
            raise GoldError(f"event {new.event_index} is not one of {trace.name}")
    held = active_gold(campaign).filter(trace=trace, event=event, metric=new.metric)
    # The order of the table joins what may be missing, and that cannot be locked.
    item = held.select_for_update().order_by("pk").first() or GoldItem(
        campaign=campaign, trace=trace, event=event, metric=new.metric, made_by=actor
    )
    before = [item.accepted, item.band] if item.pk else None
    item.accepted, item.band = list(new.accepted), new.band
    item.reason, item.source = new.reason.strip(), new.source
    if item.pk is None:
        save_new(item)
    else:
        item.save(update_fields=["accepted", "band", "reason", "source"])
    _record(actor, "gold.mark", item, {"before": before})
    return item


@transaction.atomic
def mark_event(
    *,
    campaign: Campaign,
    trace: Trace,
    event: Event | None,
    gold: Sequence[NewGold],
    actor: User | None,
) -> tuple[int, int]:
    """Make this the whole gold of an event, or of the trace where `event` is None.

    Questions that `gold` leaves out are retired. Returns how many were marked and retired; what
    stays as it was counts in neither. Raises `GoldError`, and then nothing is changed.
    """
    held = active_gold(campaign).filter(trace=trace, event=event)
    active = {item.metric: item for item in held.select_for_update().order_by("pk")}
    marked = 0
    for new in gold:
        item = active.pop(new.metric, None)
        stated = (list(new.accepted), new.band, new.reason.strip(), new.source)
        if item is None or stated != (item.accepted, item.band, item.reason, item.source):
            mark_gold(campaign=campaign, trace=trace, new=new, actor=actor)
            marked += 1
    for item in active.values():
        retire_gold(item=item, actor=actor)
    return marked, len(active)


@transaction.atomic
def edit_gold(*, item: GoldItem, new: NewGold, actor: User | None) -> GoldItem:
    """Change what is accepted and why; a retired item stays as it was."""
    locked = GoldItem.objects.select_for_update().get(pk=item.pk)
    if locked.retired_at is not None:
        raise GoldError("This gold was retired; mark the question anew.")
    _check(locked.campaign, new)
    before = [locked.accepted, locked.band]
    locked.accepted, locked.band = list(new.accepted), new.band
    locked.reason, locked.source = new.reason.strip(), new.source
    locked.save(update_fields=["accepted", "band", "reason", "source"])
    _record(actor, "gold.mark", locked, {"before": before})
    return locked


@transaction.atomic
def retire_gold(*, item: GoldItem, actor: User | None) -> GoldItem:
    """Let the item count nowhere any more; retiring it twice is no change."""
    locked = GoldItem.objects.select_for_update().get(pk=item.pk)
    if locked.retired_at is None:
        locked.retired_at = timezone.now()
        locked.save(update_fields=["retired_at"])
        _record(actor, "gold.retire", locked, {})
    return locked


@transaction.atomic
def accept_proposals(
    *, round_: Round, keys: Iterable[str], least_raters: int, actor: User | None
) -> list[GoldItem]:
    """Make gold of what all raters of a closed round answered alike.

    Raises `GoldError` naming a key that is not proposed (any more).
    """
    proposed = {item.key: item for item in proposals(round_, least_raters=least_raters)}
    items = []
    for key in keys:
        if key not in proposed:
            raise GoldError(f"{key} is not proposed by round {round_.number}")
        proposal = proposed[key]
        definition = rubric_of(round_.campaign).definition(proposal.metric)
        item = mark_gold(
            campaign=round_.campaign,
            trace=proposal.trace,
            new=NewGold(
                event_index=proposal.event_index,
                metric=proposal.metric,
                accepted=[proposal.value],
                band=WIDEST_BAND if definition.scale is Scale.LIKERT else 0,
                reason=f"All {proposal.raters} raters of round {round_.number} answered this.",
                source=GoldSource.CONSENSUS,
            ),
            actor=actor,
        )
        item.round = round_
        item.save(update_fields=["round"])
        items.append(item)
    return items


@transaction.atomic
def plan_checks(*, round_: Round, new: NewChecks, actor: User | None) -> RoundChecks:
    """Store what a round asks for beside ordinary traces, until it is opened.

    Raises `ValidationError` naming the field.
    """
    fresh = Round.objects.select_for_update().get(pk=round_.pk)
    if fresh.opened_at is not None:
        raise ValidationError(f"Round {fresh.number} was opened: its plan no longer changes.")
    training = new.qualified_by
    if training is not None and (
        training.campaign_id != fresh.campaign_id
        or training.phase != Phase.TRAINING
        or fresh.phase == Phase.TRAINING
    ):
        raise ValidationError(
            {"qualified_by": "Expected a training round of this campaign, for a round of answers."}
        )
    ordinary = ordinary_per_rater(fresh)
    check_count = new.gold_count + new.trap_count + new.repeat_count
    if fresh.phase == Phase.TRAINING and check_count:
        raise ValidationError({"gold_count": "A training round consists of gold; expected 0."})
    if ordinary is not None and check_count > most_checks(ordinary):
        raise ValidationError(
            {
                "gold_count": f"{counted(check_count, 'trace')} on top: more than a tenth of the"
                f" about {ordinary} ordinary ones of each rater; expected at most"
                f" {most_checks(ordinary)} together."
            }
        )
    checks = checks_of(fresh)
    for name in NewChecks.__slots__:
        setattr(checks, name, getattr(new, name))
    checks.full_clean()
    checks.save()
    stated = {name: getattr(new, name) for name in NewChecks.__slots__}
    stated["qualified_by"] = training and training.number
    stated = {name: value for name, value in stated.items() if value is not None}
    record_campaign(actor, "round.plan_checks", fresh.campaign, {"round": fresh.number, **stated})
    return checks


def _check(campaign: Campaign, new: NewGold) -> None:
    definition = next(
        (item for item in rubric_of(campaign).metrics if item.metric is new.metric), None
    )
    if definition is None:
        raise GoldError(f"{new.metric} is no metric of this campaign's rubric")
    check_gold(definition, new.accepted, new.band)
    if (new.event_index is None) != (definition.scope is Scope.TRACE):
        expected = "the whole trace" if definition.scope is Scope.TRACE else "an event"
        raise GoldError(f"{definition.title} is asked of {expected}; event is {new.event_index}")
    if not new.reason.strip():
        raise GoldError(f"{definition.title}: no reason; expected why these answers are right")


def _record(actor: User | None, action: str, item: GoldItem, detail: dict[str, object]) -> None:
    stated = {
        "campaign": item.campaign.public_id,
        "trace": item.trace.public_id,
        "event": None if item.event is None else item.event.index,
        "metric": item.metric,
        "accepted": item.accepted,
        "band": item.band,
        "source": item.source,
    }
    record(actor=actor, action=action, subject=f"gold:{item.public_id}", detail=stated | detail)
