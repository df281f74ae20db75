"""Between which moments of the source each clip stands: what it has to start and end like.

PIE-V caches the end frame of the step before and the start frame of the step after an edited window
and gives them to the model (section 4.4). A window that is made of several clips is divided evenly,
so that one clip ends where the next one starts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from generation.engine.splicing.edit_list import EditList, Piece


@dataclass(frozen=True, slots=True)
class AnchorTimes:
    """The clip follows the frame before `before_s` and leads to that at `after_s` (seconds)."""

    before_s: float
    after_s: float


def anchor_times(edits: EditList) -> dict[str, AnchorTimes]:
    """Return the anchors of every clip in source time, by clip id."""
    anchors: dict[str, AnchorTimes] = {}
    at_s = 0.0
    for index, piece in enumerate(edits.pieces):
        if piece.is_clip:
            anchors[piece.clip_id] = _anchors_of(edits.pieces, index, at_s)
        if piece.source is not None:
            at_s = piece.source.end_s
    return anchors


def _anchors_of(pieces: Sequence[Piece], index: int, at_s: float) -> AnchorTimes:
    source = pieces[index].source
    if source is None:
        # Nothing was there: the clip leaves the scene as it found it.
        return AnchorTimes(at_s, at_s)
    row_index = pieces[index].row_index
    shares = [
        place
        for place, piece in enumerate(pieces)
        if piece.is_clip and (piece.source, piece.row_index) == (source, row_index)
    ]
    number, length_s = shares.index(index), source.end_s - source.start_s
    return AnchorTimes(
        source.start_s + length_s * number / len(shares),
        source.start_s + length_s * (number + 1) / len(shares),
    )
