"""Who rates which trace: exactly k raters per trace where there are enough, loads balanced.

Traces and raters are known here by any hashable ids. Everything random takes a generator, so the
same seed gives the same allocation whatever the order of the database.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

TraceId = TypeVar("TraceId", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Allocation(Generic[TraceId]):
    """Reservations to make and to take back, as (trace, rater) pairs."""

    added: tuple[tuple[TraceId, int], ...]
    removed: tuple[tuple[TraceId, int], ...]


def allocate(
    *,
    raters_by_trace: Mapping[TraceId, Sequence[int]],
    raters: Sequence[int],
    movable: Mapping[int, Sequence[TraceId]],
    overlap: int,
    rng: np.random.Generator,
) -> Allocation[TraceId]:
    """What to change so that each trace has `overlap` raters and raters have equal loads.

    `raters_by_trace` has every trace of the campaign with all who already hold it, people who have
    left included, so that no trace is ever rated by more than `overlap`. `raters` may get work.
    `movable` lists, in queue order, what a rater holds without having begun it; only that is
    handed on to others, the end of the queue first.
    """
    holders = {trace: set(held) for trace, held in raters_by_trace.items()}
    loads = {rater: sum(rater in held for held in holders.values()) for rater in raters}
    added: set[tuple[TraceId, int]] = set()
    traces = list(holders)
    for place in rng.permutation(len(traces)):
        trace = traces[place]
        free = [rater for rater in raters if rater not in holders[trace]]
        # Ties go by chance, so that the same few raters do not always meet on a trace.
        chance = dict(zip(free, rng.random(len(free)), strict=True))
        free.sort(key=lambda rater: (loads[rater], chance[rater]))
        for rater in free[: max(overlap - len(holders[trace]), 0)]:
            holders[trace].add(rater)
            loads[rater] += 1
            added.add((trace, rater))
    moved = _even_out(holders, loads, {rater: list(held) for rater, held in movable.items()})
    order = {trace: place for place, trace in enumerate(traces)}
    return Allocation(
        added=tuple(
            sorted(
                added | {(trace, to) for trace, _, to in moved}, key=lambda p: (order[p[0]], p[1])
            )
        ),
        removed=tuple((trace, rater) for trace, rater, _ in moved),
    )


def _even_out(
    holders: dict[TraceId, set[int]],
    loads: dict[int, int],
    movable: dict[int, list[TraceId]],
) -> list[tuple[TraceId, int, int]]:
    """Move work that nobody has begun until loads differ by one at most; return the moves."""
    moves: list[tuple[TraceId, int, int]] = []
    while True:
        by_load = sorted(loads, key=lambda rater: (loads[rater], rater))
        possible = (
            (trace, giver, taker)
            for giver in reversed(by_load)
            for taker in by_load
            if loads[giver] - loads[taker] > 1
            for trace in reversed(movable.get(giver, ()))
            if taker not in holders[trace]
        )
        move = next(possible, None)
        if move is None:
            return moves
        trace, giver, taker = move
        movable[giver].remove(trace)
        holders[trace] = holders[trace] - {giver} | {taker}
        loads[giver] -= 1
        loads[taker] += 1
        moves.append(move)


def queue_order(count: int, *, seed: int, rater: int, first_position: int) -> list[int]:
    """The order in which a rater gets `count` new traces that follow `first_position`.

    Each rater has a generator of their own, so that fatigue and learning fall on other traces for
    each of them; traces that come later are put behind those that are already there.
    """
    rng = np.random.default_rng([seed, rater, first_position])
    return [int(place) for place in rng.permutation(count)]
