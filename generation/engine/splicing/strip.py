"""An edit list as two strips, one above the other: the recording, and the new video.

The recording's strip says what of it stays, moves, is made anew or goes; the video's strip where
its pieces come from. Places are shares of the longer of the two, so that both have one scale.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from generation.engine.splicing.edit_list import EditList, Piece, PieceKind


class PartKind(StrEnum):
    """What a part of a strip is; each has its word as well as its look."""

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
    """Both strips of an edit list and the length (seconds) that their whole width stands for."""

    source: tuple[StripPart, ...]
    video: tuple[StripPart, ...]
    scale_s: float


def strips_of(edits: EditList) -> Strips:
    """Return the strips of an edit list; parts of no length are left out."""
    scale_s = max(edits.source_duration_s, edits.duration_s)
    return Strips(
        source=tuple(_placed(part, scale_s) for part in _source_parts(edits)),
        video=tuple(_placed(part, scale_s) for part in _video_parts(edits)),
        scale_s=scale_s,
    )


@dataclass(frozen=True, slots=True)
class _Part:
    kind: PartKind
    start_s: float
    end_s: float
    clip_id: str = ""
    row_index: int | None = None


def _placed(part: _Part, scale_s: float) -> StripPart:
    return StripPart(
        kind=part.kind,
        start_s=part.start_s,
        end_s=part.end_s,
        left=100 * part.start_s / scale_s,
        width=100 * (part.end_s - part.start_s) / scale_s,
        clip_id=part.clip_id,
        row_index=part.row_index,
    )


def _video_parts(edits: EditList) -> Iterator[_Part]:
    for piece in edits.pieces:
        if piece.duration_s > 0:
            kind = PartKind.NEW if piece.is_clip else PartKind(piece.kind)
            yield _Part(kind, piece.start_s, piece.end_s, piece.clip_id, piece.row_index)


def _source_parts(edits: EditList) -> Iterator[_Part]:
    """Yield the recording's parts in its own order; what no piece mentions is removed."""
    at_s = 0.0
    seen: set[tuple[float, float]] = set()
    mentioned = [piece for piece in edits.pieces if piece.source is not None]
    for piece in sorted(mentioned, key=_source_start):
        assert piece.source is not None
        start_s, end_s = piece.source.start_s, piece.source.end_s
        if (start_s, end_s) in seen or end_s <= start_s:
            continue
        seen.add((start_s, end_s))
        if start_s > at_s:
            yield _Part(PartKind.REMOVED, at_s, start_s)
        yield _Part(_source_kind(piece), start_s, end_s, piece.clip_id, piece.row_index)
        at_s = max(at_s, end_s)
    if at_s < edits.source_duration_s:
        yield _Part(PartKind.REMOVED, at_s, edits.source_duration_s)


def _source_start(piece: Piece) -> float:
    assert piece.source is not None
    return piece.source.start_s


def _source_kind(piece: Piece) -> PartKind:
    if piece.kind is PieceKind.BRIDGE:
        return PartKind.REMOVED
    return PartKind.NEW if piece.is_clip else PartKind(piece.kind)
