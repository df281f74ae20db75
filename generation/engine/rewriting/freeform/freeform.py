"""The freeform baseline: check what a prompt without a plan returns.

Published form: `final_steps`, `meta` with one
`[source_idx, mod, error_id, correction_id]` per final step, `del` with `[source_idx, error_id]`.
The published validator lets source steps vanish (8.14); this one accounts for all of them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from generation.engine.english.words import compact_text

MAX_ERRORS, MAX_CORRECTIONS = 3, 2
# Above this share of common words an edited step counts as unchanged.
MAX_JACCARD = 0.92
_ERROR_ID, _CORRECTION_ID = re.compile(r"E\d{2}"), re.compile(r"C\d{2}")
META_FIELDS, DELETION_FIELDS = 4, 2


class FreeformMod(StrEnum):
    """What a final step is; the words of the published files."""

    UNCHANGED = "u"
    WRONG_EXECUTION = "we"
    SUBSTITUTION = "s"
    INSERTION = "i"
    CORRECTION = "c"
    MOVED_SOURCE = "ms"
    MOVED_TARGET = "mt"


VERBATIM = frozenset({FreeformMod.UNCHANGED, FreeformMod.MOVED_SOURCE, FreeformMod.MOVED_TARGET})
EDITED = frozenset({FreeformMod.WRONG_EXECUTION, FreeformMod.SUBSTITUTION})
ADDED = frozenset({FreeformMod.INSERTION, FreeformMod.CORRECTION})
MOVED = frozenset({FreeformMod.MOVED_SOURCE, FreeformMod.MOVED_TARGET})


@dataclass(frozen=True, slots=True)
class FreeformIssue:
    """A breach of the contract; `position` is a row of meta or del, None for the whole.

    Each rule has its own `code`; `message` says what was found and what was expected.
    """

    code: str
    message: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class FreeformRow:
    """A final step and its row of meta."""

    source: int
    mod: FreeformMod
    error_id: str | None
    correction_id: str | None
    text: str


@dataclass(frozen=True, slots=True)
class FreeformForm:
    """The rows and deletions (source index, error id) that can be read, and why others cannot."""

    rows: tuple[FreeformRow, ...]
    deletions: tuple[tuple[int, str], ...]
    issues: tuple[FreeformIssue, ...]


def validate_freeform(
    steps: Sequence[str], rewrite: Mapping[str, Any]
) -> tuple[FreeformIssue, ...]:
    """Every breach of the freeform contract, in the order of the rules.

    `steps` are the N source texts in procedure order. A form that cannot be read is an issue, and
    then nothing else is checked.
    """
    form = read_form(steps, rewrite)
    if form.issues:
        return form.issues
    rows, issues = form.rows, []
    for position, row in enumerate(rows):
        source, label = steps[row.source], f"{row.mod} row"
        if row.mod in VERBATIM and row.text.strip() != source.strip():
            message = f"{label} reads {row.text!r}; the source {source!r}"
            issues.append(FreeformIssue("not_verbatim", message, position))
        elif row.mod in EDITED and jaccard(row.text, source) > MAX_JACCARD:
            issues.append(FreeformIssue("no_change", f"{label} still reads {row.text!r}", position))
        elif row.mod in ADDED and compact_text(row.text) == compact_text(source):
            message = f"{label} reads like its anchor"
            issues.append(FreeformIssue("copies_anchor", message, position))
    issues += _id_issues(form)
    issues += _source_issues(len(steps), form)
    errors = {row.error_id for row in rows if row.mod not in {FreeformMod.UNCHANGED, "c"}}
    errors |= {error_id for _, error_id in form.deletions}
    if not 1 <= len(errors) <= MAX_ERRORS:
        message = f"{len(errors)} mistakes; expected 1 to {MAX_ERRORS}"
        issues.append(FreeformIssue("error_count", message))
    corrections = sum(row.mod is FreeformMod.CORRECTION for row in rows)
    if corrections > MAX_CORRECTIONS:
        message = f"{corrections} corrections; expected at most {MAX_CORRECTIONS}"
        issues.append(FreeformIssue("correction_count", message))
    return tuple(issues)


def read_form(steps: Sequence[str], rewrite: Any) -> FreeformForm:
    """What can be read of a rewrite of N source steps, and why the rest cannot."""
    is_object = isinstance(rewrite, Mapping)
    parts = {
        name: rewrite.get(name) if is_object else None for name in ("final_steps", "meta", "del")
    }
    texts, meta, deleted = (value if isinstance(value, list) else [] for value in parts.values())
    faults = [_meta_fault(entry, len(steps)) for entry in meta]
    rows = tuple(
        FreeformRow(entry[0], FreeformMod(entry[1]), entry[2], entry[3], text)
        for entry, fault, text in zip(meta, faults, texts, strict=False)
        if not fault and isinstance(text, str)
    )
    deletions = tuple((item[0], item[1]) for item in deleted if _is_deletion(item, len(steps)))
    missing = next((name for name, value in parts.items() if not isinstance(value, list)), None)
    if missing is not None:
        message = f"{missing} is missing or not a list"
        if not is_object:
            message = f"the rewrite is {type(rewrite).__name__}; expected an object"
        return FreeformForm(rows, deletions, (FreeformIssue("form", message),))
    issues = []
    if not all(isinstance(text, str) and text.strip() for text in texts):
        issues.append(FreeformIssue("form", "final_steps holds something else than texts"))
    if len(texts) != len(meta):
        message = f"{len(texts)} final_steps and {len(meta)} rows of meta"
        issues.append(FreeformIssue("form", message))
    for position, (entry, fault) in enumerate(zip(meta, faults, strict=True)):
        if fault:
            issues.append(FreeformIssue("form", f"meta {entry!r}: {fault}", position))
    for position, entry in enumerate(deleted):
        if not _is_deletion(entry, len(steps)):
            message = f"del {entry!r}; expected [0 to {len(steps) - 1}, error id]"
            issues.append(FreeformIssue("form", message, position))
    return FreeformForm(rows, deletions, tuple(issues))


def _meta_fault(entry: Any, step_count: int) -> str:
    """What is wrong with the form of a row of meta; empty if it can be read."""
    if not isinstance(entry, list) or len(entry) != META_FIELDS:
        return "expected [source_idx, mod, error_id, correction_id]"
    if not _is_index(entry[0], step_count):
        return f"expected a source index from 0 to {step_count - 1}"
    if entry[1] not in tuple(FreeformMod):
        return f"mod is none of {', '.join(FreeformMod)}"
    if not all(item is None or isinstance(item, str) for item in entry[2:]):
        return "an id is neither text nor null"
    return ""


def _is_deletion(entry: Any, step_count: int) -> bool:
    is_pair = isinstance(entry, list) and len(entry) == DELETION_FIELDS
    return is_pair and _is_index(entry[0], step_count) and isinstance(entry[1], str)


def _is_index(value: Any, limit: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < limit


def jaccard(text: str, other: str) -> float:
    """The share of common words among all words of two texts; 1 if both are empty.

    >>> jaccard("Get a cup", "Get the cup")
    0.5
    """
    first, second = set(compact_text(text).split()), set(compact_text(other).split())
    return len(first & second) / len(first | second) if first | second else 1.0


def _id_issues(form: FreeformForm) -> Iterator[FreeformIssue]:
    for position, row in enumerate(form.rows):
        is_correction = row.mod is FreeformMod.CORRECTION
        is_error = row.mod not in {FreeformMod.UNCHANGED, FreeformMod.CORRECTION}
        has_error = bool(row.error_id and _ERROR_ID.fullmatch(row.error_id))
        has_correction = bool(row.correction_id and _CORRECTION_ID.fullmatch(row.correction_id))
        if is_error != has_error and not is_correction:
            message = f"{row.mod} row has error id {row.error_id!r}"
            yield FreeformIssue("error_id", message, position)
        if is_correction != has_correction:
            message = f"{row.mod} row has correction id {row.correction_id!r}"
            yield FreeformIssue("correction_id", message, position)
    for position, (_, error_id) in enumerate(form.deletions):
        if not _ERROR_ID.fullmatch(error_id):
            yield FreeformIssue("error_id", f"del has error id {error_id!r}", position)
    halves = Counter((row.error_id, row.mod) for row in form.rows if row.mod in MOVED)
    for error_id in sorted({str(error_id) for error_id, _ in halves}):
        sources, targets = (halves[(error_id, mod)] for mod in sorted(MOVED))
        if (sources, targets) != (1, 1):
            yield FreeformIssue(
                "swap", f"{error_id} has {sources} ms and {targets} mt rows; expected 1 and 1"
            )


def _source_issues(step_count: int, form: FreeformForm) -> Iterator[FreeformIssue]:
    used = Counter(row.source for row in form.rows if row.mod not in ADDED)
    removed = Counter(source for source, _ in form.deletions)
    for source in range(step_count):
        if source in removed and source in used:
            yield FreeformIssue("deleted_but_used", f"source step {source} is deleted and used")
        elif used[source] + removed[source] > 1:
            yield FreeformIssue("used_twice", f"source step {source} has more than one row")
        elif source not in used and source not in removed:
            yield FreeformIssue("vanished", f"source step {source} has no row and no deletion")
    last = -1
    for position, row in enumerate(form.rows):
        if row.mod in ADDED or row.mod in MOVED:
            continue
        if row.source < last:
            yield FreeformIssue(
                "order", f"source step {row.source} comes after {last} without a swap", position
            )
        last = max(last, row.source)
