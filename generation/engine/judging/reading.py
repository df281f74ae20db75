"""A rewrite as somebody handed it in: read, or told in one finding why it cannot be read.

Where rows and texts do not fit together, what fits is kept: rows that point at no text and texts
that no row points at are dropped, and the checks say what is missing then.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generation.engine.judging.findings import Finding, FindingSeverity
from generation.engine.rewriting.rewrite import (
    NO_INDEX,
    Rewrite,
    RewriteFormError,
    RewriteRow,
    rewrite_from_dict,
)

UNREADABLE = "UNREADABLE"


@dataclass(frozen=True, slots=True)
class HandedIn:
    """What could be read; `finding` says why it is not all, and is None where it is."""

    rewrite: Rewrite
    finding: Finding | None = None


def read_rewrite(document: Mapping[str, Any]) -> HandedIn:
    """Read the published form, or as much of it as fits together."""
    try:
        return HandedIn(rewrite_from_dict(document))
    except RewriteFormError as error:
        finding = Finding(UNREADABLE, FindingSeverity.HARD, None, str(error))
        return HandedIn(_salvaged(document), finding)


def _salvaged(document: Mapping[str, Any]) -> Rewrite:
    steps, meta = document.get("final_steps"), document.get("meta")
    if not isinstance(steps, list) or not isinstance(meta, list):
        return Rewrite(())
    used: set[int] = set()
    rows: list[RewriteRow] = []
    for entry in meta:
        if not isinstance(entry, Mapping):
            continue
        at = entry.get("new")
        shown_at = at if isinstance(at, int) and 0 <= at < len(steps) and at not in used else None
        texts = [] if shown_at is None else [steps[shown_at]]
        alone = {**entry, "new": NO_INDEX if shown_at is None else 0}
        try:
            rows.extend(rewrite_from_dict({"final_steps": texts, "meta": [alone]}).rows)
        except RewriteFormError:
            # The finding says that not all could be read; what is whole is judged all the same.
            continue
        if shown_at is not None:
            used.add(shown_at)
    return Rewrite(tuple(rows))
