"""Why segments could not be saved or submitted.

Exception
  SegmentError
    InvalidGestureError     a gesture or an answer with an impossible value
    GestureConflictError    another tab has since changed a segment of the gesture
    CheckConflictError      the segment has been changed since the question was answered
    SegmentsClosedError     nothing can be saved: closed, submitted, consent, replaced, locked
    IncompleteWorkError     faults or unanswered questions at submission
"""

from annotation.engine.ratings.numbered_changes import NOT_USED
from segments.engine.faults import Fault
from segments.engine.model import ConflictError, GestureError, Segment
from segments.selectors.saving import StandingAnswer

CLOSED = "closed"
SUBMITTED = "submitted"
CONSENT = "consent"
REPLACED = "replaced"
LOCKED = "locked"
SHOWN_CHARACTERS = 80


class SegmentError(Exception):
    """Segments could not be saved or submitted."""


class InvalidGestureError(SegmentError):
    """The change numbered `sequence` has an impossible value; nothing of the request is stored."""

    def __init__(
        self, sequence: int, *, key: str, field: str, value: object, expected: str
    ) -> None:
        self.sequence, self.key, self.field = sequence, key, field
        self.value, self.expected = value, expected
        shown = repr(value)
        if len(shown) > SHOWN_CHARACTERS:
            shown = shown[: SHOWN_CHARACTERS - 1] + "…"
        where = f"segment {key}, {field}" if key else field
        super().__init__(f"{where} is {shown}; expected {expected}")

    @classmethod
    def of(cls, sequence: int, error: GestureError) -> "InvalidGestureError":
        return cls(
            sequence,
            key=error.key,
            field=error.field or "changes",
            value=error.value,
            expected=error.expected or str(error),
        )

    @classmethod
    def of_used_number(cls, sequence: int, noun: str, *, key: str = "") -> "InvalidGestureError":
        expected = NOT_USED.format(noun)
        return cls(sequence, key=key, field="sequence", value=sequence, expected=expected)


class GestureConflictError(SegmentError):
    """A segment changed after the gesture was made; the gestures before it (`saved`) are stored."""

    def __init__(self, sequence: int, error: ConflictError, *, saved: tuple[int, ...]) -> None:
        self.sequence, self.saved = sequence, saved
        self.mine: tuple[Segment, ...] = error.mine
        self.theirs: tuple[Segment, ...] = error.theirs
        super().__init__(str(error))


class CheckConflictError(SegmentError):
    """A segment has changed since its question was answered; checks before it are stored."""

    def __init__(
        self, sequence: int, mine: StandingAnswer, theirs: Segment, *, saved: tuple[int, ...]
    ) -> None:
        self.sequence, self.saved, self.mine, self.theirs = sequence, saved, mine, theirs
        super().__init__(f"segment {mine.key} has been changed since {mine.question} was answered")


class SegmentsClosedError(SegmentError):
    """Nothing more can be saved; `code` says why, `saved` lists the numbers that are stored."""

    def __init__(
        self, code: str, detail: str, *, saved: tuple[int, ...] = (), sequence: int | None = None
    ) -> None:
        self.code, self.saved, self.sequence = code, saved, sequence
        super().__init__(detail)


class IncompleteWorkError(SegmentError):
    """Work cannot be submitted; `unanswered` are (key, question) without a current answer."""

    def __init__(
        self, faults: tuple[Fault, ...] = (), unanswered: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self.faults, self.unanswered = faults, unanswered
        parts = []
        if faults:
            parts.append(f"{len(faults)} faults" if len(faults) > 1 else "1 fault")
        if unanswered:
            count = len(unanswered)
            parts.append(f"{count} open questions" if count > 1 else "1 open question")
        super().__init__(f"{' and '.join(parts)} left")
