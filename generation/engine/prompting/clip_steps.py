"""What every clip of an edit list is to show, with the steps beside it."""

from collections.abc import Sequence

from annotation.engine.procedure import Take, Trace, TraceStep
from generation.engine.prompting.clip_prompt import ClipStep
from generation.engine.splicing.edit_list import EditList, Piece, PieceKind


def clip_steps(edits: EditList, trace: Trace, reference: Take) -> dict[str, ClipStep]:
    """Return the step of every clip by its id; the texts beside it are those of the new video."""
    return {piece.clip_id: _clip_step(piece, trace.steps, reference) for piece in edits.clips}


def shown_text(piece: Piece, trace: Trace) -> str:
    """Return the step that a clip shows; a bridge shows none."""
    if piece.row_index is None or piece.kind is PieceKind.BRIDGE:
        return ""
    return trace.steps[piece.row_index].text


def _clip_step(piece: Piece, rows: Sequence[TraceStep], reference: Take) -> ClipStep:
    if piece.row_index is None:
        return ClipStep(piece.kind)
    row = rows[piece.row_index]
    earlier = [other.text for other in rows[: piece.row_index] if other.text]
    later = [other.text for other in rows[piece.row_index + 1 :] if other.text]
    is_bridge = piece.kind is PieceKind.BRIDGE
    return ClipStep(
        kind=piece.kind,
        text="" if is_bridge else row.text,
        semrep="" if is_bridge else _semrep_of(row, reference),
        before=earlier[-1] if earlier else "",
        after=later[0] if later else "",
    )


def _semrep_of(row: TraceStep, reference: Take) -> str:
    """Return the representation of the row's text: the take's, where the text is still its own."""
    if row.reference_index is None:
        return ""
    step = reference.steps[row.reference_index]
    return step.semrep if step.text == row.text else ""
