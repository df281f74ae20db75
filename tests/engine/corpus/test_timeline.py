"""Strips and matching times: fractions in range, time that never runs back."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.engine.corpus.timeline import (
    Match,
    PieceKind,
    StripPiece,
    TimedRow,
    clock,
    known_duration_s,
    matching_time,
    rising_matches,
    strip,
)


def timed(row, start_s, end_s, kind=PieceKind.STEP):
    return TimedRow(row=row, start_s=start_s, end_s=end_s, kind=kind, label=f"row {row}")


def test_strip_gives_fractions_and_marks_on_top_where_a_step_is_missing():
    rows = [
        timed(0, 0, 4),
        timed(1, None, None, PieceKind.MISSING),
        timed(2, None, None),
        timed(3, 5, 10, PieceKind.MISTAKE),
    ]

    segments = strip(rows, 10)

    assert segments == (
        StripPiece(0, 0.0, 0.4, PieceKind.STEP, "row 0"),
        StripPiece(3, 0.5, 1.0, PieceKind.MISTAKE, "row 3"),
        StripPiece(1, 0.4, pytest.approx(0.414), PieceKind.MISSING, "row 1"),
    )


def test_strip_draws_what_lies_beyond_the_recording_at_its_end():
    (segment,) = strip([timed(0, 20, 30)], 10)

    assert (segment.start, segment.end) == (0.998, 1.0)


def test_strip_refuses_a_duration_of_nothing():
    with pytest.raises(ValueError, match="expected more than 0"):
        strip([], 0)


def test_known_duration_is_the_last_end_or_unknown():
    assert known_duration_s([None, 4.5, 3.0]) == 4.5
    assert known_duration_s([None]) is None


MATCHES = [Match(0, 10, 0, 20), Match(10, 20, 30, 40), Match(5, 8, 50, 60)]


def test_rising_matches_leave_out_what_would_jump_back():
    assert rising_matches(MATCHES) == tuple(MATCHES[:2])


def test_clock_stretches_a_step_and_waits_in_between():
    points = clock(MATCHES)

    assert points == ((0, 0), (20, 10), (30, 10), (40, 20))
    assert [matching_time(points, second) for second in (0, 10, 25, 35, 45)] == [0, 5, 10, 15, 25]


def test_matching_time_without_points_is_unknown():
    assert matching_time((), 3.0) is None


def test_matching_time_before_the_first_point_never_falls_below_zero():
    assert matching_time(((10.0, 4.0),), 8.0) == 2.0
    assert matching_time(((10.0, 4.0),), 1.0) == 0.0


SECONDS = st.floats(0, 500, allow_nan=False).map(lambda value: round(value, 2))
SPANS = st.tuples(SECONDS, SECONDS).map(sorted)


@given(st.lists(st.tuples(SPANS, SPANS), max_size=12), st.lists(SECONDS, min_size=2, max_size=9))
def test_matching_time_never_runs_back(spans, seconds):
    points = clock(Match(*reference, *trace) for reference, trace in spans)

    matching = [matching_time(points, second) for second in sorted(seconds)]

    if points:
        assert all(later >= sooner - 1e-9 for sooner, later in pairwise(matching))
    else:
        assert set(matching) == {None}


@given(st.lists(SPANS, max_size=12), st.floats(0.1, 600))
def test_strip_segments_lie_inside_and_keep_their_order(spans, duration_s):
    rows = [timed(index, start, end) for index, (start, end) in enumerate(spans)]

    segments = strip(rows, duration_s)

    assert [segment.row for segment in segments] == [item.row for item in rows]
    assert all(0 <= segment.start < segment.end <= 1 for segment in segments)
