"""The rows of a rewrite: each original step has one, in order, with the right mark and ids."""

import re

from annotation.engine.corpus.alignment import MOVED_MODS
from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import ADDED_MODS, VERBATIM_MODS, WRITTEN_MODS, Case
from generation.engine.judging.check import Faults, hard
from generation.engine.judging.findings import Fault
from generation.engine.planner.error_kind import facts_of
from generation.engine.rewriting.rewrite import RewriteRow

# Underscores and brackets come from representations that leak into the text.
_LEAKED = re.compile(r"[_{}\n\r\t<>]|[A-Z_]{3,}\(")
# "the without the clay shard", "Cut cut tomato": templates with wrongly analysed words.
_MISJOINED = re.compile(
    r"\b(?:a|an|the) (?:with|without|in|on|at|into|onto|from|to|of)\b|\b(\w+) \1\b", re.IGNORECASE
)
# The published judge accepts these rows without a type.
_MAY_LACK_TYPE = frozenset({Mod.DELETION, *MOVED_MODS, Mod.CORRECTION})


@hard("An original step has no row, not even as deleted.")
def source_missing(case: Case) -> Faults:
    """Example: the procedure has 12 steps and no row of the rewrite has old index 7."""
    for index, text in enumerate(case.take.texts):
        if index not in case.positions_by_source:
            yield Fault(None, f"original step {index} ({text!r}) has no row", entity=str(index))


@hard("An original step has more than one row.")
def source_repeated(case: Case) -> Faults:
    """Example: a row u and a later row a both have old index 5."""
    for index, positions in case.positions_by_source.items():
        for position in positions[1:]:
            detail = f"original step {index} has a row already, at {positions[0]}"
            yield Fault(position, detail, entity=str(index))


@hard("A row names an original step that it cannot have, or lacks the one that it needs.")
def source_mismatch(case: Case) -> Faults:
    """Example: a row i has old index 4, a row u has none, or has 30 in a procedure of 12."""
    for position, row in enumerate(case.rows):
        is_added = row.mod in ADDED_MODS
        if is_added and row.old_index is not None:
            detail = f"an added row ({row.mod}) names original step {row.old_index}"
        elif not is_added and row.old_index is None:
            detail = f"a row {row.mod} names no original step"
        elif not is_added and case.original_of(row) is None:
            last = len(case.take.texts) - 1
            detail = f"a row {row.mod} names step {row.old_index}; expected 0 to {last}"
        else:
            continue
        yield Fault(position, detail)


@hard("A step that the plan does not move stands after a later one.")
def order_changed(case: Case) -> Faults:
    """Example: steps 4 and 5, both u, stand as 5, 4."""
    highest = -1
    for position, row in enumerate(case.rows):
        if row.old_index is None or row.mod in ADDED_MODS | MOVED_MODS:
            continue
        if row.old_index < highest:
            yield Fault(position, f"original step {row.old_index} stands after step {highest}")
        highest = max(highest, row.old_index)


@hard("An unchanged or moved step differs from the original text.")
def not_verbatim(case: Case) -> Faults:
    """Example: a row u reads 'Get the spoon' where the original has 'Get a spoon'."""
    for position, row in enumerate(case.rows):
        original = case.original_of(row)
        if row.mod in VERBATIM_MODS and original is not None and row.text != original:
            detail = f"a row {row.mod} reads {row.text!r}; the original has {original!r}"
            yield Fault(position, detail)


@hard("A written step is empty, no plain text, or joins words that do not join.")
def text_malformed(case: Case) -> Faults:
    """Example: 'Get the bell_pepper from the refrigerator' has an underscore; '' is no step."""
    for position, row, text in case.shown:
        if row.mod not in WRITTEN_MODS:
            continue
        if not text.strip():
            yield Fault(position, "the step has no text")
        elif leak := _LEAKED.search(text):
            detail = f"{text!r} holds {leak.group()!r}; expected a line of plain words"
            yield Fault(position, detail)
        elif (join := _MISJOINED.search(text)) and not _MISJOINED.search(
            case.original_of(row) or ""
        ):
            yield Fault(position, f"{text!r} has {join.group()!r}; expected a sentence")


@hard("The type on a row is not the one that its mark and its planned event have.")
def error_type_mismatch(case: Case) -> Faults:
    """Example: a row e of a planned substitution says wrong_execution; a row a has a type."""
    for position, row in enumerate(case.rows):
        wanted = wanted_error_type(case, row)
        is_left_out = row.error_type is None and row.mod in _MAY_LACK_TYPE
        if row.error_type != wanted and not is_left_out:
            yield Fault(position, f"a row {row.mod} has type {row.error_type}; expected {wanted}")


def wanted_error_type(case: Case, row: RewriteRow) -> str | None:
    """The type that a row should have according to its mark and its planned event, if any."""
    if row.mod in {Mod.UNCHANGED, Mod.CASCADE}:
        return None
    if row.mod is Mod.CORRECTION:
        return "correction"
    error = case.take.errors.get(row.event_id or "")
    if row.mod is Mod.INSERTION and (error is None or row.mod not in facts_of(error).row_mods):
        return "insertion"
    return row.error_type if error is None else error.error_type.name


@hard("A row that stands for a mistake or a correction, or follows from one, has no id.")
def event_id_missing(case: Case) -> Faults:
    """Example: a row i added by an earlier repair has no event id; a row c no correction id."""
    for position, row in enumerate(case.rows):
        if row.mod is Mod.CORRECTION and row.correction_id is None:
            yield Fault(position, f"a correction has no correction id: {row.text!r}")
        elif row.mod not in {Mod.UNCHANGED, Mod.CORRECTION} and row.event_id is None:
            yield Fault(position, f"a row {row.mod} has no event id: {row.text!r}")


@hard("A row carries an event or correction id that the plan does not have.")
def event_unplanned(case: Case) -> Faults:
    """Example: a row a carries the id E_UNKNOWN, which no planned mistake has."""
    for position, row in enumerate(case.rows):
        if row.event_id is not None and row.event_id not in case.take.errors:
            detail = f"a row {row.mod} has the id {row.event_id!r}, which the plan does not have"
            yield Fault(position, detail)
        cid = row.correction_id
        if cid is not None and cid not in case.take.corrections:
            detail = f"a row {row.mod} has the correction id {cid!r}, not in the plan"
            yield Fault(position, detail)
