"""A freeform rewrite as rows: all of a valid rewrite, else as much as can be read.

The marks of a row are kept as its claim. Every changed row gets its own id: a mistake without an id
gets the next free one, and several rows under one id (other than the halves of a swap) count as
several mistakes, `E01`, `E01.2` and so on.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from annotation.engine.taxonomy import Mod
from generation.engine.rewriting.freeform.freeform import ADDED, EDITED, FreeformMod, read_form
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow

_ROW_MARKS = {
    FreeformMod.UNCHANGED: (Mod.UNCHANGED, None),
    FreeformMod.WRONG_EXECUTION: (Mod.ERROR, "wrong_execution"),
    FreeformMod.SUBSTITUTION: (Mod.ERROR, "substitution"),
    FreeformMod.INSERTION: (Mod.INSERTION, "insertion"),
    FreeformMod.CORRECTION: (Mod.CORRECTION, "correction"),
    FreeformMod.MOVED_SOURCE: (Mod.MOVED_SOURCE, "transposition"),
    FreeformMod.MOVED_TARGET: (Mod.MOVED_TARGET, "transposition"),
}
_SWAPPED = frozenset({Mod.MOVED_SOURCE, Mod.MOVED_TARGET})


@dataclass(frozen=True, slots=True)
class FreeformReading:
    """The rows that can be read, and why others cannot.

    `anchors` are the source steps that added rows name, by position: a `Rewrite` cannot hold them.
    """

    rewrite: Rewrite
    anchors: Mapping[int, int]
    problems: tuple[str, ...] = ()


def read_freeform(steps: Sequence[str], document: Any) -> FreeformReading:
    """What can be read of a freeform rewrite of N source steps, valid or not."""
    form = read_form(steps, document)
    problems = [issue.message for issue in form.issues]
    waiting = sorted(form.deletions)
    rows: list[RewriteRow] = []
    anchors: dict[int, int] = {}
    for row in form.rows:
        is_in_place = row.mod is FreeformMod.UNCHANGED or row.mod in EDITED
        while waiting and is_in_place and waiting[0][0] < row.source:
            rows.append(_deleted_row(*waiting.pop(0)))
        if row.mod in ADDED:
            anchors[len(rows)] = row.source
        mod, error_type = _ROW_MARKS[row.mod]
        source = None if row.mod in ADDED else row.source
        error_id = None if mod is Mod.UNCHANGED else row.error_id or None
        correction_id = row.correction_id if mod is Mod.CORRECTION else None
        rows.append(RewriteRow(mod, row.text, source, error_type, error_id, correction_id or None))
    rows.extend(_deleted_row(*item) for item in waiting)
    problems += [
        f"a row {row.mod} carries no id: {row.text!r}"
        for row in rows
        if row.mod is not Mod.UNCHANGED
        and not (row.correction_id if row.mod is Mod.CORRECTION else row.event_id)
    ]
    return FreeformReading(Rewrite(tuple(_with_own_ids(rows))), anchors, tuple(problems))


def _deleted_row(source: int, event_id: str) -> RewriteRow:
    return RewriteRow(Mod.DELETION, None, source, "deletion", event_id)


def _with_own_ids(rows: Sequence[RewriteRow]) -> list[RewriteRow]:
    free_errors = _free_ids("E", {row.event_id for row in rows})
    free_corrections = _free_ids("C", {row.correction_id for row in rows})
    uses: Counter[str] = Counter()
    halves: Counter[tuple[str, Mod]] = Counter()
    named: list[RewriteRow] = []
    for row in rows:
        if row.mod is Mod.UNCHANGED:
            named.append(row)
        elif row.mod is Mod.CORRECTION:
            own = _distinct(row.correction_id or next(free_corrections), uses)
            named.append(replace(row, correction_id=own))
        else:
            event_id = row.event_id or next(free_errors)
            halves[(event_id, row.mod)] += 1
            is_other_half = row.mod in _SWAPPED and halves[(event_id, row.mod)] == 1
            # The halves of one swap share their id.
            is_second = is_other_half and sum(halves[(event_id, mod)] for mod in _SWAPPED) > 1
            named.append(
                replace(row, event_id=event_id if is_second else _distinct(event_id, uses))
            )
    return named


def _distinct(name: str, uses: Counter[str]) -> str:
    uses[name] += 1
    return name if uses[name] == 1 else f"{name}.{uses[name]}"


def _free_ids(letter: str, used: set[str | None]) -> Iterator[str]:
    return (name for number in count(1) if (name := f"{letter}{number:02d}") not in used)
