"""Each trace gets its raters, loads are even, nothing that was begun moves."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.engine.campaigns.allocation import allocate, meeting_spread, meetings, queue_order


def run(held, raters, *, overlap=2, movable=None, seed=0):
    return allocate(
        raters_by_trace=held,
        raters=raters,
        movable=movable or {},
        overlap=overlap,
        rng=np.random.default_rng(seed),
    )


def after(held, plan):
    holders = {trace: set(people) for trace, people in held.items()}
    for trace, rater in plan.removed:
        holders[trace].remove(rater)
    for trace, rater in plan.added:
        assert rater not in holders[trace]
        holders[trace].add(rater)
    return holders


@given(
    st.integers(0, 20),
    st.integers(0, 6),
    st.integers(1, 4),
    st.integers(0, 2**32),
)
def test_allocate_gives_k_raters_and_even_loads(trace_count, rater_count, overlap, seed):
    held = {trace: [] for trace in range(trace_count)}
    raters = list(range(100, 100 + rater_count))

    plan = run(held, raters, overlap=overlap, seed=seed)

    holders = after(held, plan)
    assert {len(people) for people in holders.values()} <= {min(overlap, rater_count)}
    loads = [sum(rater in people for people in holders.values()) for rater in raters]
    assert max(loads, default=0) - min(loads, default=0) <= 1
    assert plan == run(held, raters, overlap=overlap, seed=seed)


def test_allocate_never_exceeds_k_and_counts_who_has_left():
    held = {"a": [9, 1], "b": [9], "c": [7, 8, 9]}

    plan = run(held, [1, 2], overlap=2)

    holders = after(held, plan)
    assert holders["a"] == {9, 1}
    assert len(holders["b"]) == 2
    assert holders["c"] == {7, 8, 9}


def test_allocate_hands_on_only_what_was_not_begun_from_the_end_of_the_queue():
    held = {trace: [1] for trace in "abcdef"}

    plan = run(held, [1, 2], overlap=1, movable={1: ["c", "d", "e", "f"]})

    assert plan.removed == (("d", 1), ("e", 1), ("f", 1))
    assert plan.added == (("d", 2), ("e", 2), ("f", 2))


def test_allocate_leaves_begun_work_even_when_loads_differ():
    held = {trace: [1] for trace in "abcdef"}

    assert run(held, [1, 2], overlap=1).removed == ()


@pytest.mark.parametrize(
    ("rater_count", "trace_count"), [(5, 100), (6, 60), (8, 50), (3, 20), (7, 33), (12, 90)]
)
def test_pairs_of_raters_meet_within_one_of_the_ideal(rater_count, trace_count):
    raters = list(range(rater_count))
    ideal = trace_count / (rater_count * (rater_count - 1) / 2)
    held = {trace: [] for trace in range(trace_count)}

    for seed in range(20):
        holders = after(held, run(held, raters, overlap=2, seed=seed))

        met = meetings(holders.values(), raters)[np.triu_indices(rater_count, 1)]
        assert met.sum() == trace_count
        assert abs(met - ideal).max() < 1


@given(st.lists(st.frozensets(st.integers(0, 9))), st.permutations(range(8)))
def test_meetings_count_each_pair_of_each_trace(holders, raters):
    counted = np.zeros((len(raters), len(raters)), dtype=np.int64)
    for held in holders:
        for first, second in permutations(sorted(held & set(raters)), 2):
            counted[raters.index(first), raters.index(second)] += 1

    table = meetings(iter(holders), raters)

    assert table.dtype == np.int64
    assert table.tolist() == counted.tolist()


@given(st.integers(3, 9), st.integers(1, 40), st.integers(0, 2**32))
def test_pairs_meet_evenly_whatever_the_numbers(rater_count, trace_count, seed):
    raters = list(range(rater_count))
    held = {trace: [] for trace in range(trace_count)}

    holders = after(held, run(held, raters, overlap=2, seed=seed))

    assert meeting_spread(meetings(holders.values(), raters)) <= 1


@pytest.mark.parametrize(("rater_count", "overlap", "trace_count"), [(7, 3, 7), (5, 3, 100)])
def test_larger_groups_of_raters_meet_evenly_where_a_plan_exists(rater_count, overlap, trace_count):
    raters = list(range(rater_count))
    held = {trace: [] for trace in range(trace_count)}

    holders = after(held, run(held, raters, overlap=overlap, seed=4))

    assert meeting_spread(meetings(holders.values(), raters)) == 0


@given(st.data())
def test_later_allocations_keep_what_was_begun_and_even_out_the_rest(data):
    rater_count = data.draw(st.integers(3, 6))
    raters = list(range(rater_count))
    held = {trace: [] for trace in range(data.draw(st.integers(1, 25)))}
    holders = after(held, run(held, raters[:-1], seed=1))
    held = {trace: sorted(people) for trace, people in holders.items()}
    held |= {trace: [] for trace in range(100, 100 + data.draw(st.integers(0, 15)))}
    begun = {
        (trace, rater)
        for trace, people in held.items()
        for rater in people
        if data.draw(st.booleans())
    }
    movable = {
        rater: [t for t, people in held.items() if rater in people and (t, rater) not in begun]
        for rater in raters
    }

    plan = run(held, raters, movable=movable, seed=2)

    now = after(held, plan)
    assert {len(people) for people in now.values()} == {2}
    assert all(rater in now[trace] for trace, rater in begun)
    kept = {trace: sorted(people) for trace, people in now.items()}
    movable = {
        rater: [t for t, people in kept.items() if rater in people and (t, rater) not in begun]
        for rater in raters
    }
    again = run(kept, raters, movable=movable, seed=2)
    assert (again.added, again.removed) == ((), ())


def test_queue_order_is_seeded_per_rater():
    def order(rater, seed=3, first=0):
        return queue_order(12, seed=seed, rater=rater, first_position=first)

    assert order(1) == order(1)
    assert sorted(order(1)) == list(range(12))
    assert len({tuple(order(rater)) for rater in range(5)}) == 5
    assert order(1) != order(1, seed=4)
    assert order(1) != order(1, first=12)


@given(st.data())
def test_nobody_gets_what_they_are_barred_from(data):
    """Neither at first, nor when loads are evened out, nor when pairs are exchanged."""
    raters = list(range(data.draw(st.integers(2, 5))))
    held = {trace: [] for trace in range(data.draw(st.integers(1, 12)))}
    barred = {
        trace: set(data.draw(st.lists(st.sampled_from(raters), max_size=3))) for trace in held
    }
    plan = allocate(
        raters_by_trace=held,
        raters=raters,
        movable={},
        overlap=2,
        rng=np.random.default_rng(1),
        barred=barred,
    )

    holders = after(held, plan)
    assert not [trace for trace in held if holders[trace] & barred[trace]]
    for trace, people in holders.items():
        assert len(people) == min(2, len(set(raters) - barred[trace]))


def test_what_nobody_has_begun_is_not_handed_on_to_who_is_barred_from_it():
    plan = allocate(
        raters_by_trace={trace: [1] for trace in range(4)},
        raters=[1, 2],
        movable={1: [0, 1, 2, 3]},
        overlap=1,
        rng=np.random.default_rng(1),
        barred={1: {2}, 2: {2}, 3: {2}},
    )

    assert (list(plan.added), list(plan.removed)) == ([(0, 2)], [(0, 1)])
