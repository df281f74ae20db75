"""Sections of two recordings: by hand, and what must hold for all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.engine.corpus.side_by_side import (
    PlayedSection,
    RowSpans,
    SectionKind,
    Span,
    sections,
)


def rows(*spans: tuple[tuple[float, float] | None, tuple[float, float] | None]) -> list[RowSpans]:
    return [
        RowSpans(index, Span(*reference) if reference else None, Span(*trace) if trace else None)
        for index, (reference, trace) in enumerate(spans)
    ]


def shown(found: tuple[PlayedSection, ...]) -> list[tuple]:
    return [
        (
            section.kind.value,
            section.row,
            (section.reference.start_s, section.reference.end_s),
            (section.trace.start_s, section.trace.end_s),
        )
        for section in found
    ]


def test_sections_play_common_steps_together_and_single_ones_alone():
    """Step 1 is slower in the trace, which then adds a step, and leaves out step 2."""
    found = sections(
        rows(((0, 4), (0, 6)), (None, (6, 9)), ((4, 7), None), ((7, 10), (9, 11))),
        reference_duration_s=12,
        trace_duration_s=11,
    )

    assert shown(found) == [
        ("step", 0, (0, 4), (0, 6)),
        ("trace_only", 1, (4, 4), (6, 9)),
        ("reference_only", 2, (4, 7), (9, 9)),
        ("step", 3, (7, 10), (9, 11)),
        ("between", None, (10, 12), (11, 11)),
    ]


def test_unnamed_footage_runs_beside_unnamed_footage():
    found = sections(
        rows(((2, 4), (1, 4)), (None, (7, 9)), ((9, 10), (10, 12))),
        reference_duration_s=10,
        trace_duration_s=12,
    )

    assert shown(found) == [
        ("between", None, (0, 2), (0, 1)),
        ("step", 0, (2, 4), (1, 4)),
        ("between", None, (4, 7), (4, 7)),
        ("trace_only", 1, (7, 7), (7, 9)),
        ("between", None, (7, 9), (9, 10)),
        ("step", 2, (9, 10), (10, 12)),
    ]


def test_exchanged_steps_play_where_each_side_has_them():
    """The table shows the first step where the reference has it and where the trace has it."""
    found = sections(
        rows(((0, 2), None), ((2, 5), (0, 3)), (None, (3, 5)), ((5, 6), (5, 6))),
        reference_duration_s=6,
        trace_duration_s=6,
    )

    assert shown(found) == [
        ("reference_only", 0, (0, 2), (0, 0)),
        ("step", 1, (2, 5), (0, 3)),
        ("trace_only", 2, (5, 5), (3, 5)),
        ("step", 3, (5, 6), (5, 6)),
    ]


def test_overlapping_steps_are_played_once():
    found = sections(
        rows(((0, 4), (0, 4)), ((3, 6), (2, 6))), reference_duration_s=6, trace_duration_s=6
    )

    assert shown(found) == [("step", 0, (0, 3), (0, 2)), ("step", 1, (3, 6), (2, 6))]


def test_times_beyond_the_end_of_a_recording_are_cut():
    found = sections(
        rows(((0, 4), (0, 4)), ((4, 9), (4, 9)), (None, (9, 12))),
        reference_duration_s=6,
        trace_duration_s=8,
    )

    assert shown(found) == [("step", 0, (0, 4), (0, 4)), ("step", 1, (4, 6), (4, 8))]


def test_there_are_no_sections_without_a_common_timed_step():
    assert sections(rows(((0, 4), None)), reference_duration_s=6, trace_duration_s=6) == ()


def span_strategy():
    ends = st.tuples(st.floats(0, 100), st.floats(0, 100))
    return st.none() | ends.map(lambda pair: (min(pair), max(pair)))


@given(
    st.lists(st.tuples(span_strategy(), span_strategy()), max_size=12),
    st.floats(1, 120),
    st.floats(1, 120),
)
def test_sections_cover_both_recordings_once_and_in_order(spans, reference_s, trace_s):
    found = sections(rows(*spans), reference_duration_s=reference_s, trace_duration_s=trace_s)

    for side, duration_s in (("reference", reference_s), ("trace", trace_s)):
        pieces = [getattr(section, side) for section in found]
        ends = [0.0, *(piece.end_s for piece in pieces)]
        assert [piece.start_s for piece in pieces] == ends[:-1]
        assert ends == sorted(ends)
        assert not found or ends[-1] == pytest.approx(duration_s)
    assert all(
        section.kind is not SectionKind.TRACE_ONLY or section.reference.duration_s < 0.01
        for section in found
    )
