"""Planning an audit: widths from a pilot, the published closed form, hours and dates."""

import math
from datetime import date

import numpy as np
import pytest

from annotation.analytics.agreement.agreement import krippendorff_alpha
from annotation.analytics.agreement.intervals import NO_SPREAD, alpha_interval
from annotation.analytics.raters import planner
from annotation.analytics.raters.planner import (
    minutes_per_event,
    required_units,
    simulated_widths,
    workload,
)
from annotation.analytics.raters.raters import RaterAnswers
from annotation.engine.rubric.rubric import Level, Metric


def pilot(*, traces=30, events=4, raters=5, seed=0, noise=0.7):
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 0.8, (traces, 1)) + rng.normal(0, 0.8, (traces, events))
    looks = truth.reshape(-1, 1) + rng.normal(0, noise, (traces * events, raters))
    values = np.clip(np.round(looks + 3), 1, 5).astype(int) - 1
    units, people = np.indices(values.shape)
    return RaterAnswers(
        metric=Metric.HUMAN_PLAUSIBILITY,
        rater_count=raters,
        raters=people.ravel(),
        units=units.ravel(),
        traces=units.ravel() // events,
        values=values.ravel(),
        moments=np.zeros(values.size),
        is_implied=np.zeros(values.size, bool),
    )


def widths(given, **options):
    found = simulated_widths(given, rng=np.random.default_rng(1), **options)
    return {(item.overlap, item.traces): item for item in found}


def test_widths_shrink_with_the_root_of_traces_and_with_raters():
    found = widths(pilot(), draws=4000)

    for overlap in (2, 3, 4, 5):
        ratio = found[overlap, 25].width / found[overlap, 100].width
        assert ratio == pytest.approx(2.0, abs=0.15)
    at_50 = [found[overlap, 50].width for overlap in (2, 3, 4, 5)]
    assert at_50 == sorted(at_50, reverse=True)


def test_width_of_the_pilot_itself_is_its_bootstrap_interval():
    given = pilot(traces=40, raters=3)
    counts = np.zeros((160, 5), dtype=int)
    np.add.at(counts, (given.units, given.values), 1)

    planned = widths(given, trace_counts=[40], overlaps=[3], draws=10_000)[3, 40]
    interval = alpha_interval(
        counts, np.arange(160) // 4, Level.ORDINAL, np.random.default_rng(2), 10_000
    )

    assert (planned.low, planned.high) == pytest.approx((interval.low, interval.high), abs=0.01)


def test_width_matches_fresh_audits_of_the_same_people():
    """The simulation from one pilot of 60 traces against 300 new audits of 25 traces."""
    planned = widths(pilot(traces=60), trace_counts=[25], overlaps=[5], draws=4000)[5, 25]
    alphas = []
    for seed in range(300):
        fresh = pilot(traces=25, seed=100 + seed)
        counts = np.zeros((100, 5), dtype=int)
        np.add.at(counts, (fresh.units, fresh.values), 1)
        alphas.append(krippendorff_alpha(counts, Level.ORDINAL).value)
    low, high = np.quantile(alphas, (0.025, 0.975))

    assert planned.width == pytest.approx(high - low, rel=0.25)


def test_what_the_pilot_does_not_hold_is_not_simulated():
    found = widths(pilot(raters=3))

    assert found[3, 25].width is not None
    assert found[4, 25].width is None
    assert found[4, 25].reason == "the pilot has 0 traces with 4 raters or more"
    (few,) = widths(pilot(traces=4), overlaps=[2], trace_counts=[10]).values()
    assert few.reason == "the pilot has 4 rated traces; it takes 5"
    (same,) = widths(pilot(noise=0), overlaps=[2], trace_counts=[10]).values()
    assert (same.width, same.reason) == (None, NO_SPREAD)


def test_width_is_none_where_simulated_audits_have_no_variation():
    given = pilot(traces=6, events=1, raters=2)
    given.values[:] = 2
    given.values[given.traces == 0] = [2, 3]

    (found,) = widths(given, overlaps=[2], trace_counts=[5]).values()

    # The one trace that varies is in none of five draws.
    assert found.undefined_share == pytest.approx((5 / 6) ** 5, abs=0.05)
    assert (found.low, found.width) == (None, None)
    share = f"{found.undefined_share:.0%}"
    assert found.reason == f"in {share} of the simulated audits all answers are the same"


def test_many_ways_to_choose_raters_are_drawn_from_and_nobody_is_chosen_twice(monkeypatch):
    every = widths(pilot(), overlaps=[3], trace_counts=[100], draws=4000)[3, 100]
    # Of ten ways to choose three of five.
    monkeypatch.setattr(planner, "MOST_CHOICES", 9)
    drawn = widths(pilot(), overlaps=[3], trace_counts=[100], draws=4000)[3, 100]

    assert (drawn.low, drawn.high) == pytest.approx((every.low, every.high), abs=0.03)
    assert drawn != every


def test_same_seed_gives_the_same_widths():
    assert widths(pilot()) == widths(pilot())


def test_required_units_are_the_published_ones():
    found = [
        math.ceil(required_units(floor, share, z=z))
        for floor in (0.667, 0.8)
        for share in (0.5, 0.25, 0.1)
        for z in (1.645, 2.326)
    ]

    assert found == [60, 120, 81, 162, 172, 344, 103, 206, 139, 278, 294, 587]
    with pytest.raises(ValueError, match=r"rarest value is 0\.6"):
        required_units(0.8, 0.6)
    with pytest.raises(ValueError, match="alpha to be shown is 1"):
        required_units(1.0, 0.5)


def test_workload_counts_hours_and_weeks():
    plan = workload(
        3.0, events=100, overlap=2, raters=4, hours_per_week=2, starts_on=date(2026, 3, 2)
    )

    assert (plan.hours, plan.hours_per_rater, plan.ends_on) == (10.0, 2.5, date(2026, 3, 11))
    idle = workload(
        3.0, events=100, overlap=2, raters=4, hours_per_week=0, starts_on=date(2026, 3, 2)
    )
    assert idle.ends_on is None
    assert minutes_per_event([]) is None
    assert minutes_per_event([(60.0, 0), (120.0, 1)]) == 2.0
