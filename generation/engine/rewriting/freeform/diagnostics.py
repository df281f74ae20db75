"""A line of figures per freeform take, in the columns of the published diagnostics.

The published script counted other row marks than its writer produced, and compared with unsorted
steps. Here `mods_e` counts wrong executions and substitutions, `mods_m` both halves of swaps, and
the schema verdict is that of `validate_freeform`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from generation.engine.english.words import compact_text
from generation.engine.rewriting.freeform.freeform import (
    EDITED,
    MOVED,
    VERBATIM,
    FreeformMod,
    read_form,
    validate_freeform,
)

COLUMNS = (
    "take_uid", "scenario", "take_name", "status", "error", "schema_ok", "schema_msg",
    "n_input_steps", "n_final_steps", "n_meta", "n_del", "mods_u", "mods_e", "mods_m", "mods_c",
    "mods_i", "u_not_verbatim", "e_no_change", "deleted_src_still_used",
)  # fmt: skip


def diagnose(
    takes: Mapping[str, Mapping[str, Any]], steps_by_take: Mapping[str, Sequence[str]]
) -> tuple[dict[str, str | int], ...]:
    """One row per take with the keys of `COLUMNS`, in the order of the takes.

    `takes` is the object of that name in a freeform output; `steps_by_take` the source texts in
    procedure order. Raises KeyError for a take without source.
    """
    rows = []
    for uid, take in takes.items():
        steps = steps_by_take[uid]
        row: dict[str, str | int] = dict.fromkeys(COLUMNS, 0)
        row.update(
            take_uid=uid,
            scenario=str(take.get("scenario", "")),
            take_name=str(take.get("take_name", "")),
            status=str(take.get("status", "")),
            error=str(take.get("error") or ""),
            schema_msg="no rewrite",
            n_input_steps=len(steps),
        )
        # A rewrite that breaks the contract is in the file too, under another key.
        rewrite = take.get("rewrite") or take.get("parsed_output")
        if isinstance(rewrite, Mapping):
            issues = validate_freeform(steps, rewrite)
            row.update(
                schema_ok=int(not issues),
                schema_msg="; ".join(f"{issue.code}: {issue.message}" for issue in issues),
                n_final_steps=_length(rewrite, "final_steps"),
                n_meta=_length(rewrite, "meta"),
                n_del=_length(rewrite, "del"),
                **_counts(steps, rewrite),
            )
        rows.append(row)
    return tuple(rows)


def _length(rewrite: Mapping[str, Any], name: str) -> int:
    return len(rewrite[name]) if isinstance(rewrite.get(name), list) else 0


def _counts(steps: Sequence[str], rewrite: Mapping[str, Any]) -> dict[str, int]:
    """Count over the rows that can be read; a broken row is in the schema message.

    If there are not as many texts as rows, it is unclear which belongs to which: then no text is
    compared.
    """
    form = read_form(steps, rewrite)
    mods = Counter(row.mod for row in form.rows)
    used = {row.source for row in form.rows if row.mod in VERBATIM or row.mod in EDITED}
    is_paired = _length(rewrite, "meta") == _length(rewrite, "final_steps")
    same = [
        (row.mod, compact_text(steps[row.source]) == compact_text(row.text))
        for row in (form.rows if is_paired else ())
    ]
    return {
        "mods_u": mods[FreeformMod.UNCHANGED],
        "mods_e": sum(mods[mod] for mod in EDITED),
        "mods_m": sum(mods[mod] for mod in MOVED),
        "mods_c": mods[FreeformMod.CORRECTION],
        "mods_i": mods[FreeformMod.INSERTION],
        "u_not_verbatim": sum(mod == FreeformMod.UNCHANGED and not equal for mod, equal in same),
        "e_no_change": sum(mod in EDITED and equal for mod, equal in same),
        "deleted_src_still_used": len({source for source, _ in form.deletions} & used),
    }
