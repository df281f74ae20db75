"""The moments of the source before and after each clip, which its start and end have to match.

PIE-V caches the end frame of the step before and the start frame of the step after an edited window
and gives them to the model (section 4.4). A window with several clips is divided evenly, so that
one clip ends where the next one starts.
"""

from dataclasses import dataclass

from generation.engine.splicing.edit_list import EditList


@dataclass(frozen=True, slots=True)
class AnchorTimes:
    """The clip follows the frame before `before_s` and leads to that at `after_s` (seconds)."""

    before_s: float
    after_s: float


def anchor_times(edits: EditList) -> dict[str, AnchorTimes]:
    """The anchors of every clip in source time, by clip id."""
    anchors: dict[str, AnchorTimes] = {}
    at_s = 0.0
    for index, piece in enumerate(edits.pieces):
        if piece.is_clip:
            if piece.source is None:
                # An added clip replaces nothing, so it ends at the moment where it starts.
                anchors[piece.clip_id] = AnchorTimes(at_s, at_s)
                continue
            shares = [
                place
                for place, other in enumerate(edits.pieces)
                if other.is_clip
                and (other.source, other.row_index) == (piece.source, piece.row_index)
            ]
            number, length_s = shares.index(index), piece.source.end_s - piece.source.start_s
            anchors[piece.clip_id] = AnchorTimes(
                piece.source.start_s + length_s * number / len(shares),
                piece.source.start_s + length_s * (number + 1) / len(shares),
            )
        if piece.source is not None:
            at_s = piece.source.end_s
    return anchors
