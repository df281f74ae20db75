"""Read a trace against another reference: its rows stay, their reference steps are found anew."""

from dataclasses import replace

from annotation.engine.corpus.alignment import Relation, align
from annotation.engine.corpus.procedure import Take, Trace
from annotation.engine.taxonomy import MODS_WITHOUT_REFERENCE, Mod


class RemapError(ValueError):
    """The other reference lacks a step that the trace leaves out."""


def remap_trace(trace: Trace, old_take: Take, new_take: Take, *, reason: str) -> Trace:
    """The trace read against `new_take`, with `reason` as the stated choice.

    Rows find their step by step id and text; a deleted row looks for the step that it left out.
    Rows that the new reference does not have keep their mark and lose their reference. Raises
    `RemapError` when the new reference lacks a step that the trace leaves out, because a deletion
    can only be shown against a reference that does the step.
    """
    if new_take.uid == old_take.uid:
        return replace(trace, reference_reason=reason)
    # The rows without their mapping; a deleted one as if it had been done.
    rows = []
    for row in trace.steps:
        unmapped = replace(row, reference_index=None)
        if row.mod is Mod.DELETION and row.reference_index is not None:
            left_out = old_take.steps[row.reference_index]
            step_id = row.step_id or left_out.step_id
            unmapped = replace(
                unmapped, mod=Mod.UNCHANGED, text=left_out.text, step_id=step_id, event_id=None
            )
        rows.append(unmapped)
    # Two different steps that share a place are not partners.
    partners: dict[int, int] = {}
    for aligned in align(new_take.steps, rows):
        row_index = aligned.trace_index
        step_index = aligned.reference_index
        if row_index is None or rows[row_index].mod in MODS_WITHOUT_REFERENCE:
            continue
        if step_index is None:
            step_index = aligned.elsewhere_index
        if step_index is not None and aligned.relation is not Relation.SUBSTITUTED:
            partners[row_index] = step_index
    remapped = []
    for index, row in enumerate(trace.steps):
        partner = partners.get(index)
        if row.mod is Mod.DELETION and partner is None:
            raise RemapError(
                f"row {index} leaves out {rows[index].text!r}, which {new_take.name} does not do"
            )
        remapped.append(replace(row, reference_index=partner))
    return replace(trace, take_uid=new_take.uid, steps=tuple(remapped), reference_reason=reason)
