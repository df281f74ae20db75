"""What every clip of an edit list is to show, with the steps beside it."""

from annotation.engine.procedure import Take, Trace
from generation.engine.prompting.clip_prompt import ClipStep
from generation.engine.splicing.edit_list import EditList, Piece, PieceKind


def clip_steps(edits: EditList, trace: Trace, reference: Take) -> dict[str, ClipStep]:
    """The step of every clip by its id; the texts beside it are those of the new video."""
    rows = trace.steps
    shown = {}
    for piece in edits.clips:
        if piece.row_index is None:
            shown[piece.clip_id] = ClipStep(piece.kind)
            continue
        row = rows[piece.row_index]
        own = None if row.reference_index is None else reference.steps[row.reference_index]
        is_bridge = piece.kind is PieceKind.BRIDGE
        earlier = [other.text for other in rows[: piece.row_index] if other.text]
        later = [other.text for other in rows[piece.row_index + 1 :] if other.text]
        # The take's representation is that of its own text, which may have been rewritten.
        is_own = own is not None and own.text == row.text and not is_bridge
        shown[piece.clip_id] = ClipStep(
            kind=piece.kind,
            text="" if is_bridge else row.text,
            semrep=own.semrep if own is not None and is_own else "",
            before=earlier[-1] if earlier else "",
            after=later[0] if later else "",
        )
    return shown


def shown_text(piece: Piece, trace: Trace) -> str:
    """The step that a clip shows; a bridge shows none."""
    if piece.row_index is None or piece.kind is PieceKind.BRIDGE:
        return ""
    return trace.steps[piece.row_index].text
