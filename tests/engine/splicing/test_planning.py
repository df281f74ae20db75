"""Each kind of row by hand: which footage stays, what is made, and when the steps are then."""

import pytest

from annotation.engine.taxonomy import Mod
from generation.engine.splicing.edit_list import EditList, Piece, PieceKind, SourceRange, StepLabel
from generation.engine.splicing.exceptions import EditListError, OptionError, SplicingError
from generation.engine.splicing.limits import ClipLimits
from generation.engine.splicing.options import EditOptions, Transposition
from generation.engine.splicing.planning import plan_edits
from tests.engine.splicing.takes import make_take, make_trace

KEPT, BRIDGE = PieceKind.KEPT, PieceKind.BRIDGE


def plan(spans, rows, *, duration_s=30.0, **options) -> EditList:
    return plan_edits(
        take=make_take(*spans),
        trace=make_trace(*rows),
        source_duration_s=duration_s,
        options=EditOptions(**options),
    )


def shape(edits: EditList) -> list[tuple]:
    """Return (kind, start, end, row, source start, source end) of every piece."""
    return [
        (
            str(piece.kind),
            round(piece.start_s, 6),
            round(piece.end_s, 6),
            piece.row_index,
            *((piece.source.start_s, piece.source.end_s) if piece.source else (None, None)),
        )
        for piece in edits.pieces
    ]


def times(edits: EditList) -> list[tuple[float, float] | None]:
    return [
        None if step.start_s is None else (round(step.start_s, 6), round(step.end_s, 6))
        for step in edits.steps
    ]


def test_unchanged_trace_keeps_everything() -> None:
    edits = plan([(1, 4), (5, 9)], [(Mod.UNCHANGED, 0), (Mod.UNCHANGED, 1)])

    assert {piece.kind for piece in edits.pieces} == {KEPT}
    assert times(edits) == [(1, 4), (5, 9)]
    assert edits.duration_s == 30.0


def test_wrong_execution_replaces_its_step() -> None:
    edits = plan([(2, 8), (9, 12)], [(Mod.ERROR, 0), (Mod.UNCHANGED, 1)])

    assert shape(edits) == [
        ("kept", 0, 2, None, 0.0, 2),
        ("replacement", 2, 8, 0, 2, 8),
        ("kept", 8, 9, None, 8, 9),
        ("kept", 9, 12, 1, 9, 12),
        ("kept", 12, 30, None, 12, 30.0),
    ]
    assert edits.steps[0].label is StepLabel.MISTAKE
    assert edits.steps[0].sources == (SourceRange(2, 8),)
    assert edits.steps[0].mistake_type == "WE"
    assert edits.steps[0].is_generated


def test_long_step_is_replaced_by_as_many_clips_as_allowed_and_says_so() -> None:
    edits = plan([(0, 29)], [(Mod.ERROR, 0)])

    assert [(piece.kind, piece.duration_s) for piece in edits.pieces] == [
        (PieceKind.REPLACEMENT, 12.0),
        (PieceKind.REPLACEMENT, 12.0),
        (KEPT, 1.0),
    ]
    assert times(edits) == [(0, 24)]
    assert [note.message for note in edits.notes] == [
        "lasts 29.0 s; 2 clips of at most 12 s make 24.0 s of it"
    ]


def test_step_of_19_s_is_made_of_two_clips_as_in_the_published_take() -> None:
    edits = plan([(3, 22)], [(Mod.ERROR, 0)])

    assert [clip.duration_s for clip in edits.clips] == [9.5, 9.5]
    assert edits.duration_s == 30.0


def test_short_step_is_padded_with_footage_of_no_step() -> None:
    edits = plan([(2, 5), (6, 6.5), (7, 9)], [(Mod.UNCHANGED, 0), (Mod.ERROR, 1)])

    # 0.5 s of its own, 0.5 s after it, 1 s before it: 2 s, the shortest clip.
    assert [(clip.source, clip.duration_s) for clip in edits.clips] == [(SourceRange(5, 7), 2.0)]
    assert edits.duration_s == 30.0
    assert edits.notes == ()


def test_short_step_between_two_steps_makes_the_recording_longer_and_says_so() -> None:
    edits = plan(
        [(2, 5), (5, 5.5), (5.5, 9)],
        [(Mod.UNCHANGED, 0), (Mod.ERROR, 1), (Mod.UNCHANGED, 2)],
    )

    assert times(edits) == [(2, 5), (5, 7), (7, 10.5)]
    assert [note.row_index for note in edits.notes] == [1]


def test_insertion_and_correction_add_clips_where_the_trace_has_them() -> None:
    edits = plan(
        [(1, 4), (6, 9)],
        [
            (Mod.UNCHANGED, 0),
            (Mod.INSERTION, None),
            (Mod.CORRECTION, None),
            (Mod.UNCHANGED, 1),
        ],
        insertion_s=3.0,
        correction_s=4.0,
    )

    assert times(edits) == [(1, 4), (4, 7), (7, 11), (13, 16)]
    labels = [str(step.label) for step in edits.steps]
    assert labels == ["unchanged", "mistake", "correction", "unchanged"]
    assert edits.duration_s == 37.0
    assert all(clip.source is None for clip in edits.clips)


def test_insertion_before_everything_follows_the_preparations() -> None:
    edits = plan([(3, 6)], [(Mod.INSERTION, None), (Mod.UNCHANGED, 0)], insertion_s=5.0)

    assert times(edits) == [(3, 8), (8, 11)]


def test_deletion_removes_its_step_and_bridges() -> None:
    edits = plan([(2, 8), (9, 12)], [(Mod.DELETION, 0), (Mod.UNCHANGED, 1)], bridge_s=1.5)

    assert shape(edits)[:3] == [
        ("kept", 0, 2, None, 0.0, 2),
        ("bridge", 2, 3.5, 0, 2, 8),
        ("kept", 3.5, 4.5, None, 8, 9),
    ]
    assert times(edits) == [None, (4.5, 7.5)]
    assert edits.steps[0].sources == (SourceRange(2, 8),)
    assert edits.duration_s == 30 - 6 + 1.5


def test_two_deletions_in_a_row_share_one_bridge() -> None:
    edits = plan([(2, 4), (5, 8)], [(Mod.DELETION, 0), (Mod.DELETION, 1)], bridge_s=1.0)

    assert [str(piece.kind) for piece in edits.pieces] == ["kept", "bridge", "kept"]
    assert edits.duration_s == 30 - 6 + 1


def test_deletion_without_a_bridge_is_a_plain_cut() -> None:
    edits = plan([(2, 8)], [(Mod.DELETION, 0)], bridge_s=0.0)

    assert edits.clips == ()
    assert edits.duration_s == 24.0


SWAP = [(Mod.UNCHANGED, 0), (Mod.MOVED_TARGET, 2), (Mod.MOVED_SOURCE, 1), (Mod.UNCHANGED, 3)]
FOUR = [(0, 2), (3, 5), (6, 10), (12, 14)]


def test_transposition_reorders_its_window_with_the_footage_before_each_step() -> None:
    edits = plan(FOUR, SWAP, transposition=Transposition.REORDER)

    assert shape(edits)[2:5] == [
        ("moved", 3, 4, None, 5, 6),
        ("moved", 4, 8, 1, 6, 10),
        ("moved", 8, 10, 2, 3, 5),
    ]
    assert times(edits) == [(0, 2), (4, 8), (8, 10), (12, 14)]
    assert edits.duration_s == 30.0
    assert edits.clips == ()


def test_transposition_regenerates_its_window_row_by_row() -> None:
    edits = plan(FOUR, SWAP, transposition=Transposition.REGENERATE)

    assert [(clip.kind, clip.row_index, clip.duration_s) for clip in edits.clips] == [
        (PieceKind.REGENERATION, 1, 4.0),
        (PieceKind.REGENERATION, 2, 2.0),
    ]
    # The second between the two steps is not made again.
    assert edits.duration_s == 29.0


def test_cascade_keeps_its_footage_unless_it_is_asked_for() -> None:
    rows = [(Mod.CASCADE, 0)]

    assert plan([(1, 4)], rows).clips == ()
    assert [str(clip.kind) for clip in plan([(1, 4)], rows, regenerates_cascades=True).clips] == [
        "replacement"
    ]


def test_overlapping_steps_are_cut_in_the_middle_of_what_they_share_and_noted() -> None:
    edits = plan([(0, 10), (8, 14)], [(Mod.UNCHANGED, 0), (Mod.ERROR, 1)])

    assert times(edits) == [(0, 9), (9, 14)]
    assert [note.row_index for note in edits.notes] == [0, 1]


def test_steps_annotated_at_the_same_time_share_it() -> None:
    edits = plan([(4, 8), (4, 8)], [(Mod.UNCHANGED, 0), (Mod.UNCHANGED, 1)])

    assert times(edits) == [(4, 6), (6, 8)]


@pytest.mark.parametrize("span", [(5, 5), (6, 5), (-1, 5), (30, 31), (4, 32)])
def test_plan_edits_refuses_times_that_are_no_part_of_the_recording(span) -> None:
    with pytest.raises(SplicingError, match=r"step 0 \('Do thing 0'\) of take take-1"):
        plan([span], [(Mod.UNCHANGED, 0)])


def test_plan_edits_refuses_a_trace_of_another_take() -> None:
    other = make_take((1, 2)).__class__(uid="take-2", name="", scenario="", steps=())

    with pytest.raises(SplicingError, match="belongs to take take-1; expected take take-2"):
        plan_edits(take=other, trace=make_trace(), source_duration_s=3)


@pytest.mark.parametrize(
    "options", [{"bridge_s": 3.0}, {"bridge_s": -1}, {"insertion_s": 13}, {"correction_s": 1}]
)
def test_options_outside_the_published_method_are_refused(options) -> None:
    with pytest.raises(OptionError, match="expected"):
        EditOptions(**options)


@pytest.mark.parametrize(
    "limits",
    [{"min_s": 0}, {"min_s": 5, "max_s": 4}, {"max_clips_per_step": 0}, {"offered_s": (1.0,)}],
)
def test_limits_that_contradict_themselves_are_refused(limits) -> None:
    with pytest.raises(OptionError, match="expected"):
        ClipLimits(**limits)


def test_offered_lengths_are_asked_for_and_only_what_is_needed_is_used() -> None:
    limits = ClipLimits(min_s=4, max_s=12, offered_s=(4, 8, 12))

    edits = plan([(2, 8)], [(Mod.ERROR, 0)], limits=limits)

    assert [(clip.duration_s, clip.asked_s) for clip in edits.clips] == [(6.0, 8)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "expected 'piev-edit-list' version 1"),
        ({"version": 2}, "expected 'piev-edit-list' version 1"),
        ({"pieces": [{"kind": "nonsense", "source": None}]}, "'nonsense' is not a valid PieceKind"),
        ({"steps": None}, "not an edit list"),
    ],
)
def test_from_dict_refuses_what_is_no_edit_list(change, message) -> None:
    document = plan([(1, 4)], [(Mod.ERROR, 0)]).to_dict()

    with pytest.raises(EditListError, match=message):
        EditList.from_dict({**document, **change})


def test_from_dict_names_the_field_that_is_missing() -> None:
    document = plan([(1, 4)], [(Mod.ERROR, 0)]).to_dict()
    del document["take_uid"]

    with pytest.raises(EditListError, match="no field 'take_uid'"):
        EditList.from_dict(document)


def test_retimed_refuses_a_clip_that_is_not_there() -> None:
    with pytest.raises(EditListError, match=r"no clips \['clip-09'\]"):
        plan([(1, 4)], [(Mod.ERROR, 0)]).retimed({"clip-09": 2.0})


def test_piece_is_a_clip_unless_it_is_footage() -> None:
    kinds = {kind for kind in PieceKind if Piece(kind, 0, 1).is_clip}

    assert kinds == set(PieceKind) - {PieceKind.KEPT, PieceKind.MOVED}


def test_a_gap_of_a_rounding_error_is_no_footage() -> None:
    nearly_s = 0.05 - 2e-16
    edits = plan(
        [(0.0, nearly_s), (0.05, 2.0)],
        [(Mod.INSERTION, None), (Mod.UNCHANGED, 0), (Mod.UNCHANGED, 1)],
        duration_s=2.0,
    )

    assert [piece.row_index for piece in edits.pieces] == [0, 1, 2]
