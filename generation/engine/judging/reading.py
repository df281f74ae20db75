"""A rewrite as somebody handed it in: read, or told in one finding why it cannot be read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generation.engine.judging.findings import Finding, FindingSeverity
from generation.engine.rewriting.rewrite import Rewrite, RewriteFormError, rewrite_from_dict

UNREADABLE = "UNREADABLE"


@dataclass(frozen=True, slots=True)
class Reading:
    """Either the rewrite, or the finding that says why there is none."""

    rewrite: Rewrite | None
    finding: Finding | None


def read_rewrite(document: Mapping[str, Any]) -> Reading:
    """Read the published form; its rows and texts may not fit together."""
    try:
        return Reading(rewrite_from_dict(document), None)
    except RewriteFormError as error:
        return Reading(None, Finding(UNREADABLE, FindingSeverity.HARD, None, str(error)))
