"""The clock of a recording that is watched live, on wall times written by hand."""

import pytest

from benchmarks.engine.guiding.live_clock import (
    Due,
    LiveClock,
    LiveFigures,
    LiveTally,
    due_moment,
    live_figures,
)


def test_the_clock_goes_on_while_it_plays_and_stops_at_the_end():
    playing = LiveClock(length_s=9.0).playing(100.0)
    paused = playing.paused(103.0)

    assert (playing.at(104.0), playing.at(200.0)) == (4.0, 9.0)
    assert (paused.at(200.0), paused.playing(200.0).at(201.0)) == (3.0, 4.0)
    assert playing.moved(5.0) == LiveClock(9.0, 5.0)


@pytest.mark.parametrize(
    ("next_place", "position_s", "due"),
    [
        (0, 0.0, Due(0, 0)),
        (1, 0.4, None),
        (1, 0.5, Due(1, 0)),
        (1, 1.9, Due(3, 2)),
        (4, 9.0, None),
    ],
)
def test_late_moments_are_skipped_and_counted(next_place, position_s, due):
    assert due_moment((0.0, 0.5, 1.0, 1.5), next_place, position_s) == due


def test_a_tally_of_events_has_the_figures_of_all_of_them():
    tally = LiveTally()
    for time_s, shown in (
        (0.0, {"seconds": 1.0, "usd": 0.01}),
        (2.0, {"count": 4}),
        (6.0, {"seconds": 2.0, "usd": 0.02, "is_late": True}),
        (6.0, {"reason": "ended"}),
    ):
        tally.add(time_s, shown)

    found = live_figures([1.0, 2.0], watched_s=12.0, usd=0.03, skipped_count=4, late_count=1)
    assert tally.figures(12.0) == found
    assert tally.figures(0.0).usd_per_minute == pytest.approx(0.3)


def test_figures_worked_out_by_hand():
    found = live_figures([1.0, 2.0, 3.0], watched_s=12.0, usd=0.03, skipped_count=4, late_count=1)
    nothing = live_figures([], watched_s=0.0, usd=0.0, skipped_count=0, late_count=0)

    assert found == LiveFigures(3, 4, 1, 2.0, pytest.approx(2.9), 0.5, pytest.approx(0.15))
    assert nothing == LiveFigures(0, 0, 0, None, None, None, None)
