"""Checks of a round: gold, traps and repeats in the queues, and who may take part at all.

`rounds.py` calls this whenever it gives out traces, under the lock of the campaign. What is
asked for is in `RoundChecks`; at most a tenth of a rater's ordinary traces comes on top.
"""

from dataclasses import dataclass

import numpy as np
from django.db.models import Q

from annotation.engine.ratings.gold import CheckKind, affordable, repeat_places, slots_of_checks
from annotation.models import (
    Assignment,
    AssignmentStatus,
    GoldSource,
    Phase,
    Purpose,
    Round,
    Trace,
    User,
)
from annotation.selectors.ratings.gold import active_gold, checks_of, gold_traces
from annotation.selectors.ratings.training import qualified_in
from annotation.services.records.audit_log import record_round

# Told apart from the seeds of allocation and queues, which begin with the same numbers.
CHECKS_STREAM = 8
PURPOSES = {
    CheckKind.GOLD: Purpose.GOLD,
    CheckKind.TRAP: Purpose.GOLD,
    CheckKind.REPEAT: Purpose.REPEAT,
}


@dataclass(slots=True)
class _Queue:
    """One rater's traces of a round in order; from `begun` on nothing has been looked at.

    `pools` are the traces that checks are drawn from.
    """

    round_: Round
    rater: int
    rows: list[Assignment]
    begun: int
    pools: dict[CheckKind, list[int]]
    rng: np.random.Generator

    @property
    def ordinary(self) -> list[int]:
        """The places of ordinary rows."""
        return [at for at, row in enumerate(self.rows) if row.purpose == Purpose.ORDINARY]

    @property
    def first_slot(self) -> int:
        """Nothing comes on top before the first trace of all."""
        return max(1, self.begun)


def set_gold_aside(round_: Round) -> None:
    """Take traces out of the ordinary ones of a round: of trainings, traps, and gold for checks.

    A trace that somebody has as an ordinary one already stays.
    """
    active = active_gold(round_.campaign_id)
    if not checks_of(round_).gold_count:
        active = active.filter(source=GoldSource.TRAP)
    trained = Trace.objects.filter(
        rating_rounds__round__campaign=round_.campaign_id,
        rating_rounds__round__phase=Phase.TRAINING,
    )
    held = Assignment.objects.filter(round=round_, purpose=Purpose.ORDINARY).values("trace")
    aside = round_.ratings.traces.filter(
        Q(pk__in=active.values("trace")) | Q(pk__in=trained.values("pk"))
    ).exclude(pk__in=held)
    round_.ratings.traces.remove(*aside)


def hold_back_unqualified(round_: Round) -> None:
    """Take out of a round those who neither passed the training that it asks for nor began."""
    training = checks_of(round_).qualified_by
    if training is None:
        return
    qualified = qualified_in(training).values("rater")
    begun = Assignment.objects.filter(round=round_, started_at__isnull=False).values("rater")
    out = round_.raters.exclude(rater__in=qualified).exclude(rater__in=begun)
    # Whose traces were given out before the round asked for the training gives them back.
    Assignment.objects.filter(round=round_, rater__in=out.values("rater")).delete()
    out.delete()


def place_checks(round_: Round, actor: User | None) -> None:
    """Put the round's checks into every queue, and take out those that have lost their place."""
    checks = checks_of(round_)
    counts = {
        CheckKind.GOLD: checks.gold_count,
        CheckKind.TRAP: checks.trap_count,
        CheckKind.REPEAT: checks.repeat_count,
    }
    unbegun = Assignment.objects.filter(
        round=round_, started_at__isnull=True, rating_events__isnull=True
    ).exclude(purpose=Purpose.ORDINARY)
    unbegun.exclude(rater__in=round_.raters.values("rater")).delete()
    if not any(counts.values()):
        return
    pools = _pools(round_)
    added_by_rater: dict[str, dict[str, int]] = {}
    for rater in round_.raters.order_by("rater_id").values_list("rater_id", flat=True):
        # The rater's queue, without repeats that come too early now or whose trace went to others.
        rows = list(Assignment.objects.filter(round=round_, rater=rater).order_by("position"))
        places = {
            row.trace_id: at for at, row in enumerate(rows) if row.purpose == Purpose.ORDINARY
        }
        lost = [
            row
            for at, row in enumerate(rows)
            if row.purpose == Purpose.REPEAT
            and _is_untouched(row)
            and at - places.get(row.trace_id, at) <= checks.repeat_gap
        ]
        Assignment.objects.filter(pk__in=[row.pk for row in lost]).delete()
        rest = [row for row in rows if row not in lost]
        begun = max((at + 1 for at, row in enumerate(rest) if not _is_untouched(row)), default=0)
        # The same checks for the same queue, and others when it has grown.
        rng = np.random.default_rng([round_.seed, rater, len(rest), CHECKS_STREAM])
        added = _fill(_Queue(round_, rater, rest, begun, pools, rng), counts, checks.repeat_gap)
        if added:
            added_by_rater[str(rater)] = added
    if added_by_rater:
        record_round(actor, "round.place_checks", round_, {"added": added_by_rater})


def _is_untouched(row: Assignment) -> bool:
    return row.status == AssignmentStatus.OPEN and not row.started_at and not row.skipped_at


def _fill(queue: _Queue, counts: dict[CheckKind, int], gap: int) -> dict[str, int]:
    """Fill the queue up to what it may have of each kind; returns how many of each are new."""
    allowed = affordable(counts, len(queue.ordinary))
    present = {CheckKind.GOLD: 0, CheckKind.TRAP: 0, CheckKind.REPEAT: 0}
    for row in queue.rows:
        if row.purpose == Purpose.REPEAT:
            present[CheckKind.REPEAT] += 1
        elif row.purpose == Purpose.GOLD:
            present[
                CheckKind.TRAP if row.trace_id in queue.pools[CheckKind.TRAP] else CheckKind.GOLD
            ] += 1
    lacking = {check: max(0, allowed[check] - present[check]) for check in counts}
    last = len(queue.rows)
    if last < queue.first_slot:
        return {}
    chosen: list[tuple[CheckKind, int]] = []
    # What the rater has had in this campaign, training included.
    assigned = set(
        Assignment.objects.filter(
            round__campaign=queue.round_.campaign_id, rater=queue.rater
        ).values_list("trace_id", flat=True)
    )
    for check, pool in queue.pools.items():
        free = [trace for trace in pool if trace not in assigned]
        order = queue.rng.permutation(len(free))[: lacking[check]]
        chosen += [(check, free[place]) for place in order]
    slots = slots_of_checks(len(chosen), first=queue.first_slot, last=last, rng=queue.rng)
    placed = [(slot, check, trace) for slot, (check, trace) in zip(slots, chosen, strict=True)]
    again = {row.trace_id for row in queue.rows if row.purpose == Purpose.REPEAT}
    repeats = repeat_places(
        [at for at in queue.ordinary if queue.rows[at].trace_id not in again],
        count=lacking[CheckKind.REPEAT],
        gap=gap,
        first=queue.first_slot,
        last=last,
        rng=queue.rng,
    )
    placed += [(item.slot, CheckKind.REPEAT, queue.rows[item.place].trace_id) for item in repeats]
    _insert(queue, placed)
    return {
        check.value: sum(kind is check for _, kind, _ in placed)
        for check in counts
        if any(kind is check for _, kind, _ in placed)
    }


def _pools(round_: Round) -> dict[CheckKind, list[int]]:
    """The traces with gold that are nobody's ordinary ones; a trace with a trap is a trap."""
    traces = gold_traces(round_.campaign).exclude(rating_rounds=round_.pk)
    traps = active_gold(round_.campaign_id).filter(source=GoldSource.TRAP).values("trace")
    return {
        check: sorted(set(chosen.values_list("pk", flat=True)))
        for check, chosen in (
            (CheckKind.GOLD, traces.exclude(pk__in=traps)),
            (CheckKind.TRAP, traces.filter(pk__in=traps)),
        )
    }


def _insert(queue: _Queue, placed: list[tuple[int, CheckKind, int]]) -> None:
    """Put new rows before those at their slots and number the queue anew from the first of them."""
    rows: list[Assignment] = []
    by_slot: dict[int, list[Assignment]] = {}
    for slot, check, trace in placed:
        row = Assignment(
            round=queue.round_, rater_id=queue.rater, trace_id=trace, purpose=PURPOSES[check],
            position=0,
        )  # fmt: skip
        by_slot.setdefault(slot, []).append(row)
    for slot in range(len(queue.rows) + 1):
        rows += by_slot.get(slot, [])
        rows += queue.rows[slot : slot + 1]
    moved = []
    for position, row in enumerate(rows):
        if row.pk is not None and row.position != position:
            moved.append(row)
        row.position = position
    Assignment.objects.bulk_update(moved, ["position"], batch_size=500)
    Assignment.objects.bulk_create(row for row in rows if row.pk is None)
