"""A rewritten procedure and its row marks, in memory and in the published JSON form.

Source of the form: PIE-V's writer and judge outputs (`final_steps` with a `meta` row per step and
per deletion). A row says what happened to which original step; rows are in timeline order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from annotation.engine.taxonomy import Mod

# The published files write a missing index as an empty string.
NO_INDEX = ""


@dataclass(frozen=True, slots=True)
class RewriteRow:
    """One row: `old_index` is the original step (None for added rows), `text` None when deleted.

    `event_id` is the planned error that the row realises or follows from, `correction_id` the
    planned correction. `repair_reason` names the judge's repair that added or changed the row.
    """

    mod: Mod
    text: str | None
    old_index: int | None = None
    error_type: str | None = None
    event_id: str | None = None
    correction_id: str | None = None
    repair_reason: str | None = None

    @property
    def is_deleted(self) -> bool:
        return self.mod is Mod.DELETION


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A procedure with its mistakes: the rows in timeline order."""

    rows: tuple[RewriteRow, ...]

    @property
    def final_steps(self) -> tuple[str, ...]:
        """The texts that a person would read, without deletions."""
        return tuple(row.text for row in self.rows if row.text is not None)

    def with_row(self, position: int, row: RewriteRow) -> "Rewrite":
        rows = list(self.rows)
        rows[position] = row
        return replace(self, rows=tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """The published form: final_steps, meta, changed_new_indices."""
        meta: list[dict[str, Any]] = []
        changed: list[int] = []
        new_index = 0
        for row in self.rows:
            entry: dict[str, Any] = {
                "old": NO_INDEX if row.old_index is None else row.old_index,
                "new": NO_INDEX if row.is_deleted else new_index,
                "mod": str(row.mod),
                "etype": row.error_type,
                "eid": row.event_id,
                "cid": row.correction_id,
            }
            if row.repair_reason is not None:
                entry["repair_reason"] = row.repair_reason
            meta.append(entry)
            if row.mod in _CHANGED_MODS:
                changed.append(new_index)
            new_index += not row.is_deleted
        return {"final_steps": [*self.final_steps], "meta": meta, "changed_new_indices": changed}


_CHANGED_MODS = frozenset({Mod.ERROR, Mod.CASCADE, Mod.INSERTION, Mod.CORRECTION})


class RewriteFormError(ValueError):
    """A rewrite's JSON breaks its own rules; the message names row, field, value, expectation."""


def rewrite_from_dict(document: Mapping[str, Any]) -> Rewrite:
    """Read the published form; RewriteFormError when rows and texts do not fit together."""
    steps, meta = document.get("final_steps"), document.get("meta")
    if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
        raise RewriteFormError("final_steps is missing or not a list of texts")
    if not isinstance(meta, list):
        raise RewriteFormError("meta is missing or not a list of rows")
    rows, shown = [], []
    for position, entry in enumerate(meta):
        if not isinstance(entry, Mapping):
            raise RewriteFormError(f"meta row {position} is {entry!r}; expected an object")
        try:
            mod = Mod(str(entry.get("mod")))
        except ValueError as error:
            known = ", ".join(Mod)
            raise RewriteFormError(
                f"meta row {position}: mod is {entry.get('mod')!r}; expected one of {known}"
            ) from error
        new_index = _index(position, "new", entry.get("new"), len(steps))
        if (new_index is None) != (mod is Mod.DELETION):
            raise RewriteFormError(
                f"meta row {position}: new is {entry.get('new')!r} with mod {mod}; "
                "expected an index unless the step is deleted"
            )
        row = RewriteRow(
            mod=mod,
            text=None if new_index is None else steps[new_index],
            old_index=_index(position, "old", entry.get("old"), None),
            error_type=entry.get("etype") or None,
            event_id=entry.get("eid") or None,
            correction_id=entry.get("cid") or None,
            repair_reason=entry.get("repair_reason") or None,
        )
        rows.append(row)
        if not row.is_deleted:
            shown.append(entry["new"])
    if sorted(shown) != list(range(len(steps))):
        raise RewriteFormError(
            f"the rows of meta that are not deleted point at {len(shown)} texts "
            f"({len(set(shown))} different); expected each of the {len(steps)} final_steps once"
        )
    return Rewrite(rows=tuple(rows))


def _index(position: int, name: str, value: Any, limit: int | None) -> int | None:
    if value is None or value == NO_INDEX:
        return None
    is_index = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    if not is_index or (limit is not None and value >= limit):
        wanted = "0 or more" if limit is None else f"0 to {limit - 1}"
        raise RewriteFormError(f"meta row {position}: {name} is {value!r}; expected {wanted}")
    return int(value)
