"""Remarks of raters: comments, broken videos, going on without a video."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MAX_CHARACTERS = 4000


class RemarkKind(StrEnum):
    """What a remark is about; the text of all but a comment belongs to the whole trace."""

    COMMENT = "comment"
    BROKEN_REFERENCE = "broken_reference"
    BROKEN_TRACE = "broken_trace"
    # Rated without the video of the trace: its metrics are not applicable to this rater.
    WITHOUT_VIDEO = "without_video"


SHOWN_KINDS = {
    RemarkKind.COMMENT: "Comment",
    RemarkKind.BROKEN_REFERENCE: "Damaged reference video",
    RemarkKind.BROKEN_TRACE: "Damaged video",
    RemarkKind.WITHOUT_VIDEO: "Rated without the video",
}


@dataclass(frozen=True, slots=True)
class RemarkKey:
    """What a remark is about: `kind` of the event at `event_index`, None for the whole trace."""

    event_index: int | None
    kind: RemarkKind


@dataclass(frozen=True, slots=True)
class RemarkState:
    """The current text of one key, empty where it was withdrawn."""

    text: str
    revision: int
    client_id: str
    written_at: datetime


@dataclass(frozen=True, slots=True)
class RemarkChange:
    """One text as a browser tab sends it; `base_revision` is the revision that the rater saw."""

    sequence: int
    key: RemarkKey
    text: str
    base_revision: int
    written_at: datetime


def is_remark_conflict(
    change: RemarkChange, *, client_id: str, current: RemarkState | None
) -> bool:
    """Whether another tab has since written another text there."""
    if current is None or current.client_id == client_id:
        return False
    return change.base_revision < current.revision and change.text != current.text
