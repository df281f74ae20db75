"""Read a trace against another reference: its rows stay, what they point at is found anew."""

from dataclasses import replace

from annotation.engine.alignment import Relation, align
from annotation.engine.procedure import Take, Trace, TraceStep
from annotation.engine.taxonomy import MODS_WITHOUT_REFERENCE, Mod


class RemapError(ValueError):
    """The other reference lacks a step without which the trace cannot be told."""


def remap_trace(trace: Trace, old_take: Take, new_take: Take, *, reason: str) -> Trace:
    """Return the trace read against `new_take`, with `reason` as the stated choice.

    Rows find their step by step id and text; a deleted row looks for the step that it left out.
    Rows that the new reference does not have keep their mark and lose their reference. Raises
    `RemapError` when the new reference lacks a step that the trace leaves out, because a deletion
    can only be shown against a reference that does the step.
    """
    if new_take.uid == old_take.uid:
        return replace(trace, reference_reason=reason)
    rows = [_as_performed(row, old_take) for row in trace.steps]
    partners = _partners(new_take, rows)
    remapped = []
    for index, row in enumerate(trace.steps):
        partner = partners.get(index)
        if row.mod is Mod.DELETION and partner is None:
            raise RemapError(
                f"row {index} leaves out {rows[index].text!r}, which {new_take.name} does not do"
            )
        remapped.append(replace(row, reference_index=partner))
    return replace(trace, take_uid=new_take.uid, steps=tuple(remapped), reference_reason=reason)


def _as_performed(row: TraceStep, old_take: Take) -> TraceStep:
    """Return the row without its mapping; a deleted one as if it had been done."""
    if row.mod is not Mod.DELETION or row.reference_index is None:
        return replace(row, reference_index=None)
    left_out = old_take.steps[row.reference_index]
    return replace(
        row,
        mod=Mod.UNCHANGED,
        text=left_out.text,
        step_id=row.step_id or left_out.step_id,
        reference_index=None,
        event_id=None,
    )


def _partners(take: Take, rows: list[TraceStep]) -> dict[int, int]:
    """Return row index -> step index; two different steps that share a place are not partners."""
    partners: dict[int, int] = {}
    for aligned in align(take.steps, rows):
        row_index = aligned.trace_index
        step_index = aligned.reference_index
        if row_index is None or rows[row_index].mod in MODS_WITHOUT_REFERENCE:
            continue
        if step_index is None:
            step_index = aligned.elsewhere_index
        if step_index is not None and aligned.relation is not Relation.SUBSTITUTED:
            partners[row_index] = step_index
    return partners
