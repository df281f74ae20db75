"""Why a rating could not be saved or submitted.

Exception
  RatingError
    InvalidChangeError       a value, confidence or metric that the rubric does not take here
    UnknownEventError        the trace has no such event
    RatingsClosedError       the round is closed, or the assignment submitted
    ContentReplacedError     the trace has another content than the one that was rated
    RatingConflictError      another tab has since given another answer
    InvalidRemarkError       a remark where there can be none, or of another text than before
    RemarkConflictError      another tab has since written another text
    IncompleteError          answers are missing at submission
"""

from dataclasses import dataclass

from annotation.engine.exceptions import shown_value
from annotation.engine.ratings.changes import RatingChange, RatingKey, RatingState
from annotation.engine.ratings.numbered_changes import NOT_USED
from annotation.engine.ratings.remarks import RemarkChange, RemarkState

CLOSED = "closed"
SUBMITTED = "submitted"
CONSENT = "consent"


class RatingError(Exception):
    """A rating could not be saved or submitted."""


class InvalidChangeError(RatingError):
    """A change that the rubric does not take: `field` is `value`, `expected` says what it takes."""

    def __init__(self, change: RatingChange, *, field: str, value: object, expected: str) -> None:
        self.change = change
        self.field = field
        self.value = value
        self.expected = expected
        super().__init__(
            f"{change.key.metric}: {field} is {shown_value(value)}; expected {expected}"
        )

    @classmethod
    def of_used_number(cls, change: RatingChange) -> "InvalidChangeError":
        number, expected = change.sequence, NOT_USED.format("change")
        return cls(change, field="sequence", value=number, expected=expected)


class UnknownEventError(RatingError):
    """A change names an event that the trace does not have."""

    def __init__(self, event_index: int | None) -> None:
        super().__init__(f"this trace has no event {event_index}")


class RatingsClosedError(RatingError):
    """Nothing can be changed any more; `code` is why, `saved` lists changes that had arrived."""

    def __init__(self, code: str, detail: str, *, saved: tuple[int, ...] = ()) -> None:
        self.code = code
        self.saved = saved
        super().__init__(detail)


class ContentReplacedError(RatingError):
    """The trace was imported anew or got another reference; the changes are of what it was."""

    def __init__(self) -> None:
        super().__init__(
            "this trace was replaced by another version after the page was opened, so"
            " the answers may no longer fit"
        )


@dataclass(frozen=True, slots=True)
class Conflict:
    """A stale change (`mine`) and the newer state that it would have overwritten (`theirs`)."""

    mine: RatingChange
    theirs: RatingState


class RatingConflictError(RatingError):
    """A change was based on an older revision; the changes before it (`saved`) are stored."""

    def __init__(self, conflict: Conflict, *, saved: tuple[int, ...]) -> None:
        self.conflict = conflict
        self.saved = saved
        super().__init__(f"{conflict.mine.key.metric} has been changed elsewhere since")


class IncompleteError(RatingError):
    """The assignment cannot be submitted; `missing` lists what has no complete answer."""

    def __init__(self, missing: tuple[RatingKey, ...]) -> None:
        self.missing = missing
        super().__init__(f"{len(missing)} answers are missing")


class InvalidRemarkError(RatingError):
    """A remark of a kind that is not possible there."""

    def __init__(self, change: RemarkChange, *, field: str, expected: str) -> None:
        self.change = change
        self.field = field
        self.expected = expected
        super().__init__(f"remark {change.sequence} ({change.key.kind}): {field}: {expected}")

    @classmethod
    def of_used_number(cls, change: RemarkChange) -> "InvalidRemarkError":
        return cls(change, field="sequence", expected=NOT_USED.format("remark"))


class RemarkConflictError(RatingError):
    """A remark was based on an older one (`theirs` is newer); those before it are stored."""

    def __init__(self, mine: RemarkChange, theirs: RemarkState, *, saved: tuple[int, ...]) -> None:
        self.mine = mine
        self.theirs = theirs
        self.saved = saved
        super().__init__(f"{mine.key.kind} has been changed elsewhere since")
