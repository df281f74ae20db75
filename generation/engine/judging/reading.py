"""Read a submitted rewrite, with one finding if it cannot be read completely.

If rows and texts do not match, rows without their text and texts without a row are dropped, and the
checks then say what is missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generation.engine.judging.findings import Finding, FindingSeverity
from generation.engine.rewriting.freeform.reading import FreeformReading
from generation.engine.rewriting.rewrite import (
    NO_INDEX,
    Rewrite,
    RewriteFormError,
    RewriteRow,
    rewrite_from_dict,
)

UNREADABLE = "UNREADABLE"
# Not the code of a check: even the best answer of a freeform writer was not valid.
CONTRACT_BROKEN = "CONTRACT_BROKEN"
SHOWN_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class Submission:
    """A rewrite as far as it could be read; `finding` says what could not, None if all could.

    `is_claimed`: the text was written without a plan, so its plan consists of its own claims.
    """

    rewrite: Rewrite
    finding: Finding | None = None
    is_claimed: bool = False


def read_rewrite(document: Mapping[str, Any]) -> Submission:
    """Read the published form, or as much of it as is consistent."""
    try:
        return Submission(rewrite_from_dict(document))
    except RewriteFormError as error:
        return Submission(_salvaged(document), _finding(UNREADABLE, str(error)))


def read_claims(reading: FreeformReading, broken: Sequence[str] = ()) -> Submission:
    """A freeform text, with a finding for unreadable parts or `broken` rules of its contract."""
    finding = None
    if broken or reading.problems:
        code = CONTRACT_BROKEN if broken else UNREADABLE
        finding = _finding(code, "; ".join((broken or reading.problems)[:SHOWN_PROBLEMS]))
    return Submission(reading.rewrite, finding, is_claimed=True)


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
            # The finding says that not all could be read; the rows that can be are still judged.
            continue
        if shown_at is not None:
            del waiting[shown_at]
    return Rewrite(tuple(rows))
