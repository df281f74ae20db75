"""An edit list as two strips, one above the other: the recording, and the new video.

The recording's strip shows which parts stay, move, are replaced or removed; the video's strip where
its pieces come from. Positions are shares of the longer of the two, so that both have one scale.
"""

from dataclasses import dataclass
from enum import StrEnum

from generation.engine.splicing.edit_list import EditList, Piece, PieceKind, SourceRange


class PartKind(StrEnum):
    """The kind of a part of a strip, shown by a word as well as by a colour."""

    KEPT = "kept"
    MOVED = "moved"
    NEW = "new"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class StripPart:
    """One part of a strip; `left` and `width` are percentages of the whole width."""

    kind: PartKind
    start_s: float
    end_s: float
    left: float
    width: float
    clip_id: str = ""
    row_index: int | None = None

    @property
    def duration_s(self) -> float:
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class Strips:
    """Both strips of an edit list, and how many seconds their whole width is."""

    source: tuple[StripPart, ...]
    video: tuple[StripPart, ...]
    scale_s: float


def strips_of(edits: EditList) -> Strips:
    """Both strips; parts without length are left out, and footage in no piece counts as removed."""
    scale_s = max(edits.source_duration_s, edits.duration_s)

    def part(kind: PartKind, start_s: float, end_s: float, piece: Piece | None = None) -> StripPart:
        return StripPart(
            kind=kind,
            start_s=start_s,
            end_s=end_s,
            left=100 * start_s / scale_s,
            width=100 * (end_s - start_s) / scale_s,
            clip_id=piece.clip_id if piece else "",
            row_index=piece.row_index if piece else None,
        )

    def kind_of(piece: Piece) -> PartKind:
        return PartKind.NEW if piece.is_clip else PartKind(piece.kind)

    source = []
    at_s = 0.0
    seen: set[SourceRange] = set()
    mentioned = [(piece.source, piece) for piece in edits.pieces if piece.source is not None]
    for span, piece in sorted(mentioned, key=lambda item: item[0].start_s):
        if span in seen or span.end_s <= span.start_s:
            continue
        seen.add(span)
        if span.start_s > at_s:
            source.append(part(PartKind.REMOVED, at_s, span.start_s))
        kind = PartKind.REMOVED if piece.kind is PieceKind.BRIDGE else kind_of(piece)
        source.append(part(kind, span.start_s, span.end_s, piece))
        at_s = max(at_s, span.end_s)
    if at_s < edits.source_duration_s:
        source.append(part(PartKind.REMOVED, at_s, edits.source_duration_s))
    video = [
        part(kind_of(piece), piece.start_s, piece.end_s, piece)
        for piece in edits.pieces
        if piece.duration_s > 0
    ]
    return Strips(tuple(source), tuple(video), scale_s)
