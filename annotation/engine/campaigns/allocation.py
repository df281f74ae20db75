"""Who rates which trace: exactly k raters per trace, even loads, pairs that meet equally often.

Where some pairs of raters met on many traces and others on few, agreement would say more about the
former. Traces and raters are known here by any hashable ids. Everything random takes a generator,
so the same seed gives the same allocation whatever the order of the database.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import permutations
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]
Meetings = npt.NDArray[np.int64]

# Exchanges tried before pairs are taken to meet as evenly as they can. Of the cases measured
# (bench.meetings) none with two raters per trace needed 100.
MOST_EXCHANGES = 1000

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
    barred: Mapping[TraceId, AbstractSet[int]] | None = None,
) -> Allocation[TraceId]:
    """What to change so that each trace has `overlap` raters, and loads and meetings are even.

    `raters_by_trace` has every trace of the campaign with all who already hold it, people who have
    left included, so that no trace is ever rated by more than `overlap`. `raters` may get work.
    `movable` lists, in queue order, what a rater holds without having begun it; only that is
    handed on to others, the end of the queue first. Nothing is handed on while loads differ by one
    at most and no exchange makes pairs meet more evenly. `barred` names who must not get a trace;
    who holds it all the same keeps it.
    """
    barred = barred or {}
    before = {(trace, rater) for trace, held in raters_by_trace.items() for rater in held}
    holders = {trace: set(held) for trace, held in raters_by_trace.items()}
    loads = {rater: sum(rater in held for held in holders.values()) for rater in raters}
    _fill_up(holders, loads, barred, overlap=overlap, rng=rng)
    unbegun = {rater: list(held) for rater, held in movable.items()}
    _even_out(holders, loads, unbegun, barred)
    free = {(trace, rater) for rater, held in movable.items() for trace in held}
    never = {(trace, rater) for trace, people in barred.items() for rater in people}
    _even_meetings(
        holders, raters, fixed=before - free, queued_before=before, barred=never, rng=rng
    )
    after = {(trace, rater) for trace, held in holders.items() for rater in held}
    order = {trace: place for place, trace in enumerate(holders)}

    def in_order(pairs: set[tuple[TraceId, int]]) -> tuple[tuple[TraceId, int], ...]:
        return tuple(sorted(pairs, key=lambda pair: (order[pair[0]], pair[1])))

    return Allocation(added=in_order(after - before), removed=in_order(before - after))


def meetings(holders: Iterable[Collection[int]], raters: Sequence[int]) -> Meetings:
    """Who meets whom: (R, R), how many traces each two of the R `raters` share; 0 with oneself.

    >>> meetings([{7, 8}, {7, 8}, {8, 9}], [7, 8, 9]).tolist()
    [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
    """
    columns = {rater: column for column, rater in enumerate(raters)}
    known = [[columns[rater] for rater in held if rater in columns] for held in holders]
    holds = np.zeros((len(known), len(raters)), dtype=bool)
    places = np.repeat(np.arange(len(known)), [len(held) for held in known])
    holds[places, [column for held in known for column in held]] = True
    # Not as a product of matrices, whose threads cost more here than they save.
    table = np.zeros((len(raters), len(raters)), dtype=np.int64)
    for column in range(len(raters)):
        table[column] = np.count_nonzero(holds[holds[:, column]], axis=0)
    np.fill_diagonal(table, 0)
    return table


def meeting_spread(table: Meetings) -> int:
    """How many more traces the pair that meets most shares than the pair that meets least."""
    if len(table) < 3:
        return 0
    pairs = table[np.triu_indices(len(table), 1)]
    return int(pairs.max() - pairs.min())


def _fill_up(
    holders: dict[TraceId, set[int]],
    loads: dict[int, int],
    barred: Mapping[TraceId, AbstractSet[int]],
    *,
    overlap: int,
    rng: np.random.Generator,
) -> None:
    """Give each trace the raters that it lacks: who has least, then who met its others least."""
    raters, traces = list(loads), list(holders)
    met = meetings(holders.values(), raters)
    columns = {rater: column for column, rater in enumerate(raters)}
    for place in rng.permutation(len(traces)):
        held = holders[traces[place]]
        may = columns.keys() - barred.get(traces[place], set())
        chance = dict(zip(raters, rng.random(len(raters)), strict=True))
        for _ in range(min(overlap - len(held), len(may - held))):
            others = [columns[rater] for rater in held if rater in columns]
            chosen = min(
                may - held,
                key=lambda rater: (
                    loads[rater],
                    met[columns[rater], others].sum(),
                    chance[rater],
                ),
            )
            met[columns[chosen], others] += 1
            met[others, columns[chosen]] += 1
            held.add(chosen)
            loads[chosen] += 1


def _even_out(
    holders: dict[TraceId, set[int]],
    loads: dict[int, int],
    movable: dict[int, list[TraceId]],
    barred: Mapping[TraceId, AbstractSet[int]],
) -> None:
    """Move work that nobody has begun until loads differ by one at most."""
    while True:
        by_load = sorted(loads, key=lambda rater: (loads[rater], rater))
        possible = (
            (trace, giver, taker)
            for giver in reversed(by_load)
            for taker in by_load
            if loads[giver] - loads[taker] > 1
            for trace in reversed(movable.get(giver, ()))
            if taker not in holders[trace] and taker not in barred.get(trace, ())
        )
        move = next(possible, None)
        if move is None:
            return
        trace, giver, taker = move
        movable[giver].remove(trace)
        holders[trace] = holders[trace] - {giver} | {taker}
        loads[giver] -= 1
        loads[taker] += 1


def _even_meetings(
    holders: dict[TraceId, set[int]],
    raters: Sequence[int],
    *,
    fixed: set[tuple[TraceId, int]],
    queued_before: set[tuple[TraceId, int]],
    barred: set[tuple[TraceId, int]],
    rng: np.random.Generator,
) -> None:
    """Let two raters exchange two traces while pairs meet more evenly by it; loads and k stay.

    What is new may also be exchanged without gain, which leads out of dead ends; what somebody
    has in the queue already is exchanged for a gain only, so that nothing is handed on in vain.
    """
    traces = list(holders)
    holds = np.array([[rater in holders[trace] for rater in raters] for trace in traces], bool)
    if len(raters) < 3 or not len(traces):
        return

    def flags(pairs: set[tuple[TraceId, int]]) -> Flags:
        return np.array([[(trace, rater) in pairs for rater in raters] for trace in traces], bool)

    is_fixed, is_old, is_barred = flags(fixed), flags(queued_before), flags(barred)
    met = meetings(holders.values(), raters)
    for _ in range(MOST_EXCHANGES):
        if meeting_spread(met) <= 1 or not (holds & ~is_old).any():
            break
        first, second = (int(column) for column in rng.choice(len(raters), 2, replace=False))
        kept_here = is_fixed | is_old
        _exchange(holds, met, kept_here, is_barred, (first, second), least_gain=0, rng=rng)
    columns = range(len(raters))
    while meeting_spread(met) > 1 and any(
        _exchange(holds, met, is_fixed, is_barred, pair, least_gain=1, rng=rng)
        for pair in permutations(columns, 2)
    ):
        pass
    for trace, row in zip(traces, holds, strict=True):
        left = holders[trace] - set(raters)
        holders[trace] = left | {raters[int(column)] for column in np.flatnonzero(row)}


def _exchange(
    holds: Flags,
    met: Meetings,
    is_fixed: Flags,
    is_barred: Flags,
    pair: tuple[int, int],
    *,
    least_gain: int,
    rng: np.random.Generator,
) -> bool:
    """Give a trace of one rater to the other and one back, where the squares of `met` shrink.

    holds, is_fixed, is_barred: (T, R). The best two traces are exchanged, ties by chance, if the
    sum over pairs of squared meetings falls by `least_gain` at least; says whether they were.
    """
    first, second = pair
    # What somebody can give is not fixed, and the other one neither has it nor is barred from it.
    full = holds | is_barred
    mine = np.flatnonzero(holds[:, first] & ~full[:, second] & ~is_fixed[:, first])
    theirs = np.flatnonzero(holds[:, second] & ~full[:, first] & ~is_fixed[:, second])
    if not len(mine) or not len(theirs):
        return False
    excess = met[first] - met[second]
    excess[[first, second]] = 0
    gains = holds @ excess
    given = mine[np.argmax(gains[mine] + rng.random(len(mine)) / 2)]
    taken = theirs[np.argmin(gains[theirs] - rng.random(len(theirs)) / 2)]
    # With whom both are already on the other trace nothing changes.
    differ = holds[given] ^ holds[taken]
    differ[[first, second]] = False
    if not differ.any() or gains[given] - gains[taken] - differ.sum() < least_gain:
        return False
    holds[given, [first, second]] = [False, True]
    holds[taken, [first, second]] = [True, False]
    for column in pair:
        met[column] = met[:, column] = holds[:, column] @ holds.astype(np.int64)
        met[column, column] = 0
    return True


def queue_order(count: int, *, seed: int, rater: int, first_position: int) -> list[int]:
    """The order in which a rater gets `count` new traces that follow `first_position`.

    Each rater has a generator of their own, so that fatigue and learning fall on other traces for
    each of them; traces that come later are put behind those that are already there.
    """
    rng = np.random.default_rng([seed, rater, first_position])
    return [int(place) for place in rng.permutation(count)]


def queued(
    pairs: Iterable[tuple[TraceId, int]], *, ends: Mapping[int, int], seed: int
) -> list[tuple[TraceId, int, int]]:
    """New (trace, rater) pairs with their positions: behind each rater's queue, in `queue_order`.

    `ends` are the last positions of raters who have a queue.

    >>> queued([("a", 7), ("b", 8)], ends={7: 4}, seed=0)
    [('a', 7, 5), ('b', 8, 0)]
    """
    new: dict[int, list[TraceId]] = {}
    for trace, rater in pairs:
        new.setdefault(rater, []).append(trace)
    found = []
    for rater in sorted(new):
        traces, first = new[rater], ends[rater] + 1 if rater in ends else 0
        order = queue_order(len(traces), seed=seed, rater=rater, first_position=first)
        found += [(traces[place], rater, first + rank) for rank, place in enumerate(order)]
    return found


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
