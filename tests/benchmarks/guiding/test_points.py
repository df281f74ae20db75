"""Moments to decide at: the same on every machine, and never nearer than the gap."""

import random

import pytest

from benchmarks.engine.guiding.clips import select_clips
from benchmarks.engine.guiding.decisions import Decision
from benchmarks.engine.guiding.points import (
    GAP_S,
    OPENING,
    SAMPLED,
    WIDE_GAP_S,
    Point,
    PointEvent,
    every_point,
    sample_points,
)

INTERRUPT, SILENT = Decision.INTERRUPT, Decision.SILENT


def events_of(rng, duration_s):
    count = rng.randrange(8)
    return [
        PointEvent(round(rng.uniform(0, duration_s), 3), "next step", f"Do {n}.")
        for n in range(count)
    ]


@pytest.mark.parametrize("gap_s", [GAP_S, WIDE_GAP_S])
def test_the_rule_holds_for_random_recordings(gap_s):
    rng = random.Random(5)
    for number in range(200):
        duration_s = round(rng.uniform(0, 90), 3)
        events = events_of(rng, duration_s)

        found = sample_points(f"uid {number}", duration_s, events, seed=3, gap_s=gap_s)

        spoken, silent = found.times_s(INTERRUPT), found.times_s(SILENT)
        assert len(silent) + found.short_by == len(spoken)
        assert len(spoken) + found.merged_events == len(events) + 1
        assert [point.time_s for point in found.points] == sorted({*spoken, *silent})
        nearest = [min(abs(one - other) for other in spoken) for one in silent]
        assert found.least_gap_s == (min(nearest) if silent else None)
        assert all(distance >= gap_s for distance in nearest)
        assert all(0 <= moment <= duration_s for moment in (*spoken, *silent))
        assert sum(found.stratum_sizes) in (0, found.eligible_count)


def test_points_do_not_depend_on_the_order_of_events():
    rng = random.Random(9)
    events = events_of(rng, 60.0) + events_of(rng, 60.0)
    shuffled = random.Random(1).sample(events, len(events))

    assert sample_points("a", 60.0, events, seed=7) == sample_points("a", 60.0, shuffled, seed=7)


def test_another_seed_or_recording_has_other_silences():
    base = sample_points("a", 300.0, [PointEvent(40.0, "next step")], seed=7)

    assert base != sample_points("a", 300.0, [PointEvent(40.0, "next step")], seed=8)
    assert base != sample_points("b", 300.0, [PointEvent(40.0, "next step")], seed=7)


def test_merged_events_keep_their_reasons_and_the_latest_words():
    events = [PointEvent(10.1, "next step", "Cut."), PointEvent(10.4, "deviation", "Stop.")]

    found = sample_points("a", 30.0, events, seed=0)

    merged = Point(10.5, INTERRUPT, ("next step", "deviation"), "Stop.")
    assert [point for point in found.points if point.decision is INTERRUPT] == [
        Point(0.0, INTERRUPT, (OPENING,)),
        merged,
    ]
    assert found.merged_events == 1


def test_an_opening_with_words_is_the_only_one():
    found = sample_points("a", 4.0, [PointEvent(0.0, OPENING, "Begin.")], seed=0)

    assert found.points[0] == Point(0.0, INTERRUPT, (OPENING,), "Begin.")
    assert found.merged_events == 0


@pytest.mark.parametrize("duration_s", [0.0, 0.4, 2.9])
def test_a_short_recording_has_its_opening_alone_and_says_so(duration_s):
    found = sample_points("a", duration_s, [], seed=0)

    assert found.points == (Point(0.0, INTERRUPT, (OPENING,)),)
    assert (found.short_by, found.least_gap_s, found.stratum_sizes) == (1, None, ())


def test_times_that_no_recording_has_are_refused():
    with pytest.raises(ValueError, match="time_s of an event is -1"):
        sample_points("a", 10.0, [PointEvent(-1.0, "next step")], seed=0)
    with pytest.raises(ValueError, match="expected 0 or more"):
        sample_points("a", -1.0, [], seed=0)


def test_every_moment_of_the_grid():
    found = every_point(2.0, [PointEvent(0.7, "next step", "Cut.")])

    assert found == (
        Point(0.0, INTERRUPT, (OPENING,)),
        Point(0.5, SILENT, (SAMPLED,)),
        Point(1.0, INTERRUPT, ("next step",), "Cut."),
        Point(1.5, SILENT, (SAMPLED,)),
        Point(2.0, SILENT, (SAMPLED,)),
    )


def test_no_clip_is_of_later():
    rng = random.Random(2)
    for _ in range(200):
        now_s = round(rng.uniform(0, 60), 2)
        updates = [0.0, *(round(rng.uniform(0, 80), 2) for _ in range(rng.randrange(30)))]

        clips = select_clips(now_s, updates)

        assert 1 <= len(clips) <= 15
        assert clips == sorted(set(clips))
        assert all(0 <= start <= end <= now_s and end - start <= 8.0001 for start, end in clips)
        assert (max(0.0, round(now_s - 8, 3)), now_s) in clips
