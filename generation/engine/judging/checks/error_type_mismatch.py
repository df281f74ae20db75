"""The type written on a row is the one that its mark and its plan ask for.

Example: a row e of a planned substitution says wrong_execution; a row a says substitution.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.planner.error_kind import facts_of
from generation.engine.rewriting.rewrite import RewriteRow

# The published judge lets these rows leave the type out.
_MAY_LACK = frozenset({Mod.DELETION, Mod.MOVED_SOURCE, Mod.MOVED_TARGET, Mod.CORRECTION})
_UNTYPED = frozenset({Mod.UNCHANGED, Mod.CASCADE})
_CORRECTION, _ADDED = "correction", "insertion"


def find(case: Case) -> Iterator[Fault]:
    for position, row in enumerate(case.rows):
        if row.error_type is None and row.mod in _MAY_LACK:
            continue
        wanted = wanted_error_type(case, row)
        if row.error_type != wanted:
            detail = f"a row {row.mod} has type {row.error_type}; expected {wanted}"
            yield Fault(position, detail, row.event_id)


def wanted_error_type(case: Case, row: RewriteRow) -> str | None:
    """The type that a row should have by its mark and, where it has one, its plan."""
    if row.mod in _UNTYPED:
        return None
    if row.mod is Mod.CORRECTION:
        return _CORRECTION
    error = case.take.errors.get(row.event_id or "")
    if row.mod is Mod.INSERTION and (error is None or row.mod not in facts_of(error).row_mods):
        return _ADDED
    return row.error_type if error is None else error.error_type.name


CHECK = Check(
    code="ERROR_TYPE_MISMATCH",
    severity=FindingSeverity.HARD,
    condition="The type on a row is not the one that its mark and its planned event have.",
    find=find,
)
