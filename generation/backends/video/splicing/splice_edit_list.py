"""Make the video of a trace: an edit list and its clips become a file with exact step times."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from annotation.backends.media.facts import Media
from generation.backends.video.edits import ClipSource, Edit, look_into
from generation.backends.video.exceptions import ClipError
from generation.backends.video.splicing.splice import SpliceOptions, SpliceResult, splice
from generation.engine.splicing.edit_list import EditList, PieceKind


@dataclass(frozen=True, slots=True)
class SplicedVideo:
    """The spliced file, and the edit list with the real times of its steps."""

    splice: SpliceResult
    edits: EditList


def splice_edit_list(
    edits: EditList,
    recording: Media,
    clips: Mapping[str, Path],
    out: Path,
    options: SpliceOptions | None = None,
) -> SplicedVideo:
    """Splice the clips (files by clip id) into the recording as the edit list says.

    A clip that is longer than planned is cut, a shorter one makes the video shorter; the times of
    steps are those of the frames really shown. Raises `ClipError` if a clip is missing.
    """
    missing = [piece.clip_id for piece in edits.clips if piece.clip_id not in clips]
    if missing:
        raise ClipError(f"no files for the clips {', '.join(missing)}")
    lengths_s = {}
    for piece in edits.clips:
        # As long as planned, or the whole clip if it is shorter.
        clip = look_into(ClipSource(clips[piece.clip_id]), recording)
        planned = max(1, round(Fraction(piece.duration_s) * recording.frame_rate))
        shown = min(planned, clip.frame_count)
        lengths_s[piece.clip_id] = float(shown / recording.frame_rate)
    timed = edits.retimed(lengths_s)
    result = splice(recording.path, list(_edits(timed, recording, clips)), out, options)
    return SplicedVideo(result, timed)


def _edits(edits: EditList, recording: Media, clips: Mapping[str, Path]) -> Iterator[Edit]:
    """Yield one edit for each run of pieces that do not stay in their place."""
    shown: list[ClipSource] = []
    at_s = 0.0
    for piece in edits.pieces:
        if piece.is_clip:
            whole = ClipSource(clips[piece.clip_id])
            planned = round(Fraction(piece.duration_s) * recording.frame_rate)
            # The packets of a whole file can be copied, those of a part cannot.
            is_whole = look_into(whole, recording).frame_count == planned
            shown.append(whole if is_whole else ClipSource(whole.path, 0.0, piece.duration_s))
        if piece.kind is PieceKind.MOVED and piece.source is not None:
            source = piece.source
            shown.append(ClipSource(recording.path, source.start_s, source.end_s))
        if piece.kind is not PieceKind.KEPT or piece.source is None:
            continue
        if shown or piece.source.start_s > at_s:
            yield Edit(at_s, piece.source.start_s, tuple(shown))
            shown = []
        at_s = piece.source.end_s
    if shown or at_s < edits.source_duration_s:
        yield Edit(at_s, edits.source_duration_s, tuple(shown))
