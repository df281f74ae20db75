"""Each trace gets its raters, loads are even, nothing that was begun moves."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annotation.engine.allocation import allocate, queue_order


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

    assert plan.removed == (("f", 1), ("e", 1), ("d", 1))
    assert plan.added == (("d", 2), ("e", 2), ("f", 2))


def test_allocate_leaves_begun_work_even_when_loads_differ():
    held = {trace: [1] for trace in "abcdef"}

    assert run(held, [1, 2], overlap=1).removed == ()


def test_queue_order_is_seeded_per_rater():
    def order(rater, seed=3, first=0):
        return queue_order(12, seed=seed, rater=rater, first_position=first)

    assert order(1) == order(1)
    assert sorted(order(1)) == list(range(12))
    assert len({tuple(order(rater)) for rater in range(5)}) == 5
    assert order(1) != order(1, seed=4)
    assert order(1) != order(1, first=12)
