"""What counts as watched: each stretch once, within the recording and within the clock."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.engine.corpus.side_by_side import Span
from annotation.engine.ratings.viewing import (
    HIGHEST_SPEED,
    SLACK_S,
    EventStep,
    Evidence,
    Limits,
    ViewingCounts,
    WatchedSpan,
    Windows,
    add_watched,
    count_viewing,
    event_windows,
    joined,
    seconds_within,
    watched_seconds,
)
from annotation.engine.taxonomy import Mod

ENOUGH = Limits(duration_s=60, open_s=1000)


def test_the_same_stretch_counts_once_and_keeps_when_it_was_seen_first():
    spans, _ = add_watched((), [(2, 5)], at_s=100, limits=ENOUGH)
    spans, _ = add_watched(spans, [(2, 5)], at_s=200, limits=ENOUGH)
    spans, refused_s = add_watched(spans, [(4, 8), (0, 3)], at_s=300, limits=ENOUGH)

    assert spans == (WatchedSpan(0, 2, 300), WatchedSpan(2, 5, 100), WatchedSpan(5, 8, 300))
    assert joined(spans) == [[0, 8]]
    assert refused_s == 0


def test_what_lies_outside_the_recording_is_left_out():
    reported = [(58, 90), (70, 80), (-5, 3), (5, 4), (math.nan, 2), (1, math.inf)]

    spans, _ = add_watched((), reported, at_s=1, limits=ENOUGH)

    assert joined(spans) == [[1, 60]]


def test_more_than_the_clock_allows_is_refused():
    """The page was open for 3 seconds; a minute of video is claimed."""
    limits = Limits(duration_s=60, open_s=3)

    spans, refused_s = add_watched((), [(0, 10), (10, 60)], at_s=1, limits=limits)

    assert limits.watched_s == HIGHEST_SPEED * (3 + SLACK_S)
    assert (joined(spans), refused_s) == ([[0, 10]], 50)


def test_thousands_of_stretches_over_thousands_of_spans_add_nothing():
    """A hostile page: everything is split into as many spans as are kept, then claimed again."""
    limits = Limits(duration_s=10_000, open_s=100_000)
    spans, _ = add_watched((), [(2 * at, 2 * at + 1) for at in range(2000)], at_s=1, limits=limits)

    again, refused_s = add_watched(spans, [(0, 10_000)] * 5000, at_s=2, limits=limits)

    assert (again, refused_s) == (spans, 8000)


def test_stretches_that_overlap_each_other_count_once():
    spans, refused_s = add_watched((), [(4, 8), (0, 5), (4, 6)], at_s=1, limits=ENOUGH)

    assert (joined(spans), refused_s) == ([[0, 8]], 0)
    assert watched_seconds(spans) == 8


@given(
    st.lists(
        st.tuples(st.floats(-5, 70), st.floats(-5, 70)).map(lambda pair: (min(pair), max(pair))),
        max_size=15,
    ),
    st.floats(0, 40),
)
def test_watched_never_exceeds_recording_and_clock_and_never_overlaps(reported, open_s):
    limits = Limits(duration_s=60, open_s=open_s)
    spans = ()
    for at_s, span in enumerate(reported):
        spans, _ = add_watched(spans, [span], at_s=at_s, limits=limits)

    assert watched_seconds(spans) <= min(60, limits.watched_s) + 1e-6
    assert all(0 <= span.start_s < span.end_s <= 60 for span in spans)
    assert all(first.end_s <= second.start_s for first, second in itertools.pairwise(spans))


def step(event_id, mod, reference=None, trace=None):
    return EventStep(
        event_id, mod, Span(*reference) if reference else None, Span(*trace) if trace else None
    )


def test_windows_of_events_are_where_each_side_shows_them():
    """A wrong step in two parts, its follow-up, and a step that is missing after second 9."""
    windows = event_windows(
        [
            step(7, Mod.ERROR, (0, 2), (0, 3)),
            step(7, Mod.ERROR, (1, 4), (5, 6)),
            step(7, Mod.CASCADE, (4, 6), (6, 9)),
            step(8, Mod.DELETION, (6, 8)),
            step(9, Mod.CORRECTION, None, (9, 10)),
        ],
        trace_duration_s=9.5,
    )

    assert windows == {
        7: Windows((Span(0, 4),), (Span(0, 3), Span(5, 6))),
        8: Windows((Span(6, 8),), (Span(8, 9.5),)),
        9: Windows((), (Span(9, 10),)),
    }


def test_seconds_within_windows_until_a_moment():
    spans = (WatchedSpan(0, 2, 100), WatchedSpan(2, 6, 200))
    windows = (Span(1, 3), Span(5, 9))

    assert seconds_within(spans, windows) == 3
    assert seconds_within(spans, windows, until_s=150) == 1
    assert seconds_within(spans, (), until_s=150) == 0


@pytest.mark.parametrize(
    ("trace_s", "length_s", "is_unseen", "is_half_seen"),
    [
        (None, None, False, False),
        (0.0, 4.0, True, True),
        (0.05, 4.0, True, True),
        (1.9, 4.0, False, True),
        (2.0, 4.0, False, False),
        (0.04, 0.04, False, False),
        # An imported table does not say how long the event is.
        (0.0, None, True, False),
        (3.0, None, False, False),
    ],
)
def test_evidence_says_what_was_not_seen(trace_s, length_s, is_unseen, is_half_seen):
    evidence = Evidence(1.0, trace_s, length_s)

    assert (evidence.is_unseen, evidence.is_half_seen) == (is_unseen, is_half_seen)


def test_counts_are_of_answers_by_rater():
    answers = [
        (7, Evidence(None, None)),
        (3, Evidence(1, 2, 2)),
        (7, Evidence(0, 0, 2)),
        (7, Evidence(0, 0.5, 2)),
    ]

    assert count_viewing(answers) == {
        3: ViewingCounts(answers=1, known=1, unseen=0, half_seen=0),
        7: ViewingCounts(answers=3, known=2, unseen=1, half_seen=2),
    }
