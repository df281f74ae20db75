"""A rewrite as somebody handed it in: read, or told in one finding why it cannot be read.

Where rows and texts do not fit together, what fits is kept: rows that point at no text and texts
that no row points at are dropped, and the checks say what is missing then.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generation.engine.judging.findings import Finding, FindingSeverity
from generation.engine.rewriting.freeform_reading import FreeformReading
from generation.engine.rewriting.rewrite import (
    NO_INDEX,
    Rewrite,
    RewriteFormError,
    RewriteRow,
    rewrite_from_dict,
)

UNREADABLE = "UNREADABLE"
# The code of what no check asks for: the best of the answers of a freeform writer was no valid one.
CONTRACT_BROKEN = "CONTRACT_BROKEN"
SHOWN_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class HandedIn:
    """What could be read; `finding` says why it is not all, and is None where it is.

    `is_claimed` tells that the text was written without a plan: its plan is what it says of itself.
    """

    rewrite: Rewrite
    finding: Finding | None = None
    is_claimed: bool = False


def read_rewrite(document: Mapping[str, Any]) -> HandedIn:
    """Read the published form, or as much of it as fits together."""
    try:
        return HandedIn(rewrite_from_dict(document))
    except RewriteFormError as error:
        return HandedIn(_salvaged(document), _finding(UNREADABLE, str(error)))


def read_claims(reading: FreeformReading, broken: Sequence[str] = ()) -> HandedIn:
    """A freeform text, with what cannot be read of its form, or was `broken` of its contract."""
    finding = None
    if broken or reading.problems:
        code = CONTRACT_BROKEN if broken else UNREADABLE
        finding = _finding(code, "; ".join((broken or reading.problems)[:SHOWN_PROBLEMS]))
    return HandedIn(reading.rewrite, finding, is_claimed=True)


def _finding(code: str, detail: str) -> Finding:
    return Finding(code, FindingSeverity.HARD, None, detail)


def _salvaged(document: Mapping[str, Any]) -> Rewrite:
    steps, meta = document.get("final_steps"), document.get("meta")
    if not isinstance(steps, list) or not isinstance(meta, list):
        return Rewrite(())
    waiting = dict(enumerate(steps))
    rows: list[RewriteRow] = []
    for entry in meta:
        if not isinstance(entry, Mapping):
            continue
        at = entry.get("new")
        shown_at = at if isinstance(at, int) and at in waiting else None
        texts = [] if shown_at is None else [waiting[shown_at]]
        alone = {**entry, "new": NO_INDEX if shown_at is None else 0}
        try:
            rows.extend(rewrite_from_dict({"final_steps": texts, "meta": [alone]}).rows)
        except RewriteFormError:
            # The finding says that not all could be read; what is whole is judged all the same.
            continue
        if shown_at is not None:
            del waiting[shown_at]
    return Rewrite(tuple(rows))
