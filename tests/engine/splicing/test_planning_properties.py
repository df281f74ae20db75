"""What holds for every edit list, whatever the take and the trace."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import hypothesis.strategies as st
import pytest
from hypothesis import given

from annotation.engine.taxonomy import Mod
from generation.engine.splicing.edit_list import EditList, PieceKind
from generation.engine.splicing.exceptions import WindowError
from generation.engine.splicing.limits import ClipLimits
from generation.engine.splicing.options import EditOptions, Transposition
from generation.engine.splicing.planning import plan_edits
from generation.engine.splicing.windows import END_TOLERANCE_S, exclusive_windows
from tests.engine.splicing.takes import Case, cases, make_take

NEAR = 1e-6
every_option = st.builds(
    EditOptions,
    limits=st.sampled_from([ClipLimits(), ClipLimits(min_s=4, max_s=8, offered_s=(4, 6, 8))]),
    insertion_s=st.just(5.0),
    bridge_s=st.sampled_from([0.0, 1.0, 2.9]),
    transposition=st.sampled_from(list(Transposition)),
    regenerates_cascades=st.booleans(),
    frame_rate=st.sampled_from([None, Fraction(25), Fraction(30000, 1001)]),
)


def edits_of(case: Case, options: EditOptions) -> EditList:
    return plan_edits(
        take=case.take, trace=case.trace, source_duration_s=case.duration_s, options=options
    )


@given(cases(), every_option)
def test_pieces_have_no_gap_and_no_overlap(case: Case, options: EditOptions) -> None:
    edits = edits_of(case, options)

    ends_s = [0.0, *(piece.end_s for piece in edits.pieces)]
    assert [piece.start_s for piece in edits.pieces] == ends_s[:-1]
    assert all(piece.duration_s > 0 for piece in edits.pieces)


@given(cases(), every_option)
def test_durations_add_up(case: Case, options: EditOptions) -> None:
    edits = edits_of(case, options)

    # What is not shown any more was replaced, removed, or lay inside a regenerated stretch.
    footage = [piece for piece in edits.pieces if not piece.is_clip]
    made_s = sum(piece.duration_s for piece in edits.clips)
    footage_s = sum(piece.duration_s for piece in footage)
    assert edits.duration_s == pytest.approx(made_s + footage_s, abs=NEAR)
    for piece in footage:
        assert piece.source is not None
        length_s = piece.source.end_s - piece.source.start_s
        assert piece.duration_s == pytest.approx(length_s, abs=NEAR)


@given(cases(), every_option)
def test_no_moment_of_the_source_is_shown_twice(case: Case, options: EditOptions) -> None:
    edits = edits_of(case, options)

    shown = sorted(
        (piece.source.start_s, piece.source.end_s)
        for piece in edits.pieces
        if not piece.is_clip and piece.source
    )
    assert all(earlier[1] <= later[0] + NEAR for earlier, later in pairwise(shown))


@given(cases(), every_option)
def test_kept_footage_stays_in_order(case: Case, options: EditOptions) -> None:
    edits = edits_of(case, options)

    starts_s = [
        piece.source.start_s
        for piece in edits.pieces
        if piece.kind is PieceKind.KEPT and piece.source
    ]
    assert starts_s == sorted(starts_s)


@given(cases(), every_option)
def test_steps_keep_the_order_of_the_trace_and_never_overlap(
    case: Case, options: EditOptions
) -> None:
    edits = edits_of(case, options)

    timed = [(step.start_s, step.end_s) for step in edits.steps if step.start_s is not None]
    assert [step.mod for step in edits.steps] == [row.mod for row in case.trace.steps]
    assert all(start_s < end_s for start_s, end_s in timed)
    assert all(earlier[1] <= later[0] for earlier, later in pairwise(timed))


@given(cases(), every_option)
def test_exactly_the_deleted_and_untimed_steps_have_no_time(
    case: Case, options: EditOptions
) -> None:
    edits = edits_of(case, options)

    frame_s = float(1 / options.frame_rate) if options.frame_rate else 0.0
    # Steps that share less than a frame each cannot all begin and end on one.
    no_frame = {
        window.reference_index
        for window in exclusive_windows(case.take, case.duration_s)
        if window.duration_s <= frame_s + NEAR
    }
    untimed = {step.row_index for step in edits.steps if step.start_s is None}
    expected, possible = set(), set()
    for index, row in enumerate(case.trace.steps):
        step = None if row.reference_index is None else case.take.steps[row.reference_index]
        has_no_footage = step is not None and step.start_s is None and row.mod is not Mod.ERROR
        if row.mod is Mod.DELETION or has_no_footage:
            expected.add(index)
        elif row.reference_index in no_frame:
            possible.add(index)
    assert expected <= untimed <= expected | possible


@given(cases(), every_option)
def test_clips_respect_the_limits_of_the_model(case: Case, options: EditOptions) -> None:
    edits = edits_of(case, options)

    frame_s = 0.0 if options.frame_rate is None else float(1 / options.frame_rate)
    for clip in edits.clips:
        if clip.kind is PieceKind.BRIDGE:
            assert clip.duration_s < 3 + frame_s + NEAR
            continue
        assert clip.duration_s >= options.limits.min_s - frame_s - NEAR
        assert clip.duration_s <= options.limits.max_s + frame_s + NEAR
        assert not options.limits.offered_s or clip.asked_s in options.limits.offered_s
    ids = [clip.clip_id for clip in edits.clips]
    assert len(set(ids)) == len(ids)


@given(cases(), every_option)
def test_an_edit_list_survives_json(case: Case, options: EditOptions) -> None:
    edits = edits_of(case, options)

    assert EditList.from_dict(json.loads(json.dumps(edits.to_dict()))) == edits


@given(cases(), every_option, st.floats(0.1, 20.0))
def test_retiming_a_clip_moves_what_follows_by_the_difference(
    case: Case, options: EditOptions, actual_s: float
) -> None:
    edits = edits_of(case, options)
    if not edits.clips:
        return
    clip = edits.clips[0]

    retimed = edits.retimed({clip.clip_id: actual_s})

    difference_s = actual_s - clip.duration_s
    assert retimed.duration_s == pytest.approx(edits.duration_s + difference_s, abs=NEAR)
    for before, after in zip(edits.pieces, retimed.pieces, strict=True):
        shift_s = difference_s if before.start_s >= clip.end_s else 0.0
        assert after.start_s == pytest.approx(before.start_s + shift_s, abs=NEAR)


@given(cases(), st.sampled_from([Fraction(24), Fraction(60000, 1001)]))
def test_with_a_frame_rate_every_cut_is_on_a_frame(case: Case, frame_rate: Fraction) -> None:
    edits = edits_of(case, EditOptions(frame_rate=frame_rate))

    for piece in edits.pieces:
        frames = piece.end_s * frame_rate
        assert float(frames) == pytest.approx(round(frames), abs=1e-4)


@given(cases())
def test_windows_are_exclusive_and_inside_the_recording(case: Case) -> None:
    windows = exclusive_windows(case.take, case.duration_s)

    timed = sum(step.start_s is not None for step in case.take.steps)
    assert len(windows) == timed
    assert all(window.duration_s > 0 for window in windows)
    assert all(one.end_s <= other.start_s for one, other in pairwise(windows))
    assert all(window.start_s >= 0 and window.end_s <= case.duration_s for window in windows)


def test_steps_that_share_all_their_time_end_with_the_recording() -> None:
    # 0.05 s in two halves of 0.05 of 0.1: computed as a sum, the end is a rounding error later.
    windows = exclusive_windows(make_take((0.0, 0.05), (0.0, 0.05)), 0.05)

    assert [window.start_s for window in windows] == [0.0, pytest.approx(0.025)]
    assert windows[-1].end_s == 0.05


@given(cases(overlapping=False))
def test_steps_that_do_not_overlap_keep_their_annotated_times(case: Case) -> None:
    windows = exclusive_windows(case.take, case.duration_s)

    for window in windows:
        step = case.take.steps[window.reference_index]
        assert (window.start_s, window.end_s) == (step.start_s, step.end_s)
        assert not window.is_adjusted


@given(cases(), st.data())
def test_a_step_without_length_or_beyond_the_end_is_refused_by_name(
    case: Case, data: st.DataObject
) -> None:
    timed = [index for index, step in enumerate(case.take.steps) if step.start_s is not None]
    if not timed:
        return
    index = data.draw(st.sampled_from(timed))
    step = case.take.steps[index]
    beyond_s = case.duration_s + END_TOLERANCE_S + data.draw(st.floats(0.01, 100.0))
    end_s = data.draw(st.sampled_from([step.start_s, beyond_s]))
    steps = list(case.take.steps)
    steps[index] = replace(step, end_s=end_s)

    with pytest.raises(WindowError, match=f"^step {index} .*expected"):
        exclusive_windows(replace(case.take, steps=tuple(steps)), case.duration_s)


@given(cases(overlapping=False), st.floats(0.01, END_TOLERANCE_S))
def test_a_last_step_marked_a_little_beyond_the_end_ends_there(case: Case, beyond_s: float) -> None:
    timed = [index for index, step in enumerate(case.take.steps) if step.start_s is not None]
    if not timed:
        return
    steps = list(case.take.steps)
    last = steps[timed[-1]]
    steps[timed[-1]] = replace(last, end_s=max(last.end_s, case.duration_s) + beyond_s * 0.99)

    windows = exclusive_windows(replace(case.take, steps=tuple(steps)), case.duration_s)

    assert (windows[-1].end_s, windows[-1].is_adjusted) == (case.duration_s, True)
