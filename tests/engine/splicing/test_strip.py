"""Strips of a recording and of the video that is made of it: whole, in order, on one scale."""

from dataclasses import replace

import pytest

from generation.engine.splicing.edit_list import EditList, Piece, PieceKind, SourceRange, tiled
from generation.engine.splicing.strip import PartKind, strips_of


def edits_of(*pieces: Piece, source_s: float = 10.0) -> EditList:
    tiles = tiled((piece, piece.end_s - piece.start_s) for piece in pieces)
    return EditList("take", "trace", source_s, tiles, ())


def footage(start_s, end_s, kind=PieceKind.KEPT):
    return Piece(kind, start_s, end_s, 0, SourceRange(start_s, end_s))


def clip(kind, length_s, source=None, clip_id="clip-01"):
    return Piece(kind, 0.0, length_s, 1, source and SourceRange(*source), clip_id)


MADE = edits_of(
    footage(0, 2),
    clip(PieceKind.REPLACEMENT, 3, (2, 4)),
    footage(4, 5),
    clip(PieceKind.INSERTION, 4, clip_id="clip-02"),
    footage(5, 6),
    clip(PieceKind.BRIDGE, 1, (6, 9), "clip-03"),
    footage(9, 10),
)


def said(parts):
    return [(str(part.kind), part.start_s, part.end_s, part.clip_id) for part in parts]


def test_recording_shows_what_stays_what_is_made_anew_and_what_goes():
    assert said(strips_of(MADE).source) == [
        ("kept", 0, 2, ""), ("new", 2, 4, "clip-01"), ("kept", 4, 5, ""), ("kept", 5, 6, ""),
        ("removed", 6, 9, "clip-03"), ("kept", 9, 10, ""),
    ]  # fmt: skip


def test_video_shows_its_pieces_where_they_are_now():
    assert said(strips_of(MADE).video) == [
        ("kept", 0, 2, ""), ("new", 2, 5, "clip-01"), ("kept", 5, 6, ""), ("new", 6, 10, "clip-02"),
        ("kept", 10, 11, ""), ("new", 11, 12, "clip-03"), ("kept", 12, 13, ""),
    ]  # fmt: skip


@pytest.mark.parametrize("strip", ["source", "video"])
def test_parts_follow_each_other_on_the_scale_of_the_longer_strip(strip):
    strips = strips_of(MADE)
    parts = getattr(strips, strip)

    ends = [part.left + part.width for part in parts]
    assert strips.scale_s == 13.0
    assert [part.left for part in parts] == pytest.approx([0.0, *ends[:-1]])
    assert ends[-1] == pytest.approx({"source": 100 * 10 / 13, "video": 100}[strip])


def test_two_clips_of_one_window_are_one_part_of_the_recording():
    window = (2, 8)
    edits = edits_of(
        footage(0, 2),
        clip(PieceKind.REPLACEMENT, 3, window),
        clip(PieceKind.REPLACEMENT, 3, window, "clip-02"),
        footage(8, 10),
    )

    assert said(strips_of(edits).source) == [
        ("kept", 0, 2, ""), ("new", 2, 8, "clip-01"), ("kept", 8, 10, ""),
    ]  # fmt: skip


def test_what_no_piece_mentions_is_removed_and_what_moves_is_told():
    edits = edits_of(footage(4, 6, PieceKind.MOVED), footage(2, 4, PieceKind.MOVED), footage(8, 9))

    strips = strips_of(edits)

    assert said(strips.source) == [
        ("removed", 0, 2, ""), ("moved", 2, 4, ""), ("moved", 4, 6, ""), ("removed", 6, 8, ""),
        ("kept", 8, 9, ""), ("removed", 9, 10, ""),
    ]  # fmt: skip
    assert {part.kind for part in strips.video} == {PartKind.MOVED, PartKind.KEPT}


def test_parts_of_no_length_are_left_out():
    empty = replace(clip(PieceKind.BRIDGE, 1, (4, 6)), end_s=0.0)
    edits = edits_of(footage(0, 4), empty, footage(6, 10))

    assert [part.clip_id for part in strips_of(edits).video] == ["", ""]
