"""What can come of any request to a model, whatever it makes.

CallError               the root; `outcome` is what is recorded of the request
  ModelError            no answer to use; each kind of model has reasons of its own below this
    MayPassError        nothing came back, and asking again may help; `retry_after_s` where the
                        server says when
      RateLimitedError  429, or a code that means it
      ServerFailedError 408, 409, 5xx where nothing is paid; a file that is not ready yet
    RejectedError       the server will not take this request: key, model, parameters, quota
  StoppedError          nothing was asked, or nobody waits for the answer any more, on purpose
    BudgetSpentError    the budget does not cover the request
      NoPriceError      what the request can cost is not known, so no budget can be kept
    NotAllowedError     the person that the request is for may not use the endpoint any more
    CancelledError      the caller does not want the answer any more
    NoPlaceError        the endpoint has had enough to do for as long as the caller waits
"""

from decimal import Decimal
from enum import StrEnum
from typing import ClassVar


class Outcome(StrEnum):
    """How a request ended: with an answer, or why without a usable one."""

    ANSWERED = "answered"
    # Its process died or hung up; whether it was answered, and paid, is not known.
    LOST = "lost"
    CANCELLED = "cancelled"
    BUDGET_SPENT = "budget_spent"
    NO_PRICE = "no_price"
    NOT_ALLOWED = "not_allowed"
    # Nothing came back, and it may the next time.
    TIMED_OUT = "timed_out"
    RATE_LIMITED = "rate_limited"
    SERVER_FAILED = "server_failed"
    NO_CONNECTION = "no_connection"
    # Nothing comes back until somebody changes something.
    WRONG_SETTINGS = "wrong_settings"
    UNFIT = "unfit"
    REJECTED = "rejected"
    QUOTA_SPENT = "quota_spent"
    # An answer came that cannot be used.
    REFUSED = "refused"
    EMPTY = "empty"
    CUT_OFF = "cut_off"
    NOT_JSON = "not_json"
    WRONG_SCHEMA = "wrong_schema"
    MALFORMED = "malformed"
    # Jobs at a provider.
    UNCLEAR = "unclear"
    JOB_FAILED = "job_failed"
    JOB_TIMED_OUT = "job_timed_out"
    BAD_FILE = "bad_file"
    FILE_TOO_LARGE = "file_too_large"
    NOT_A_VIDEO = "not_a_video"
    # A fault of this program, or of what it runs on.
    FAULT = "fault"

    @property
    def label(self) -> str:
        return self.value.replace("_", " ")


class CallError(Exception):
    """A request that ended without an answer to use; every class says how."""

    outcome: ClassVar[Outcome] = Outcome.FAULT


def outcome_of(error: BaseException) -> Outcome:
    """How a request ended that raised this."""
    return error.outcome if isinstance(error, CallError) else Outcome.FAULT


class ModelError(CallError):
    """Catch this to go on without an answer.

    `cost` is what a provider reports that its job costs all the same, in the adapter's unit.
    """

    cost: Decimal | None = None


class MayPassError(ModelError):
    """Asking again may help; `retry_after_s` is the least pause that the server asked for."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RateLimitedError(MayPassError):
    """The server wants fewer requests."""

    outcome = Outcome.RATE_LIMITED


class ServerFailedError(MayPassError):
    """The server has a fault of its own."""

    outcome = Outcome.SERVER_FAILED


class RejectedError(ModelError):
    """The server answered that this request will never do."""

    outcome = Outcome.REJECTED


class StoppedError(CallError):
    """Nothing came back, on purpose."""


class BudgetSpentError(StoppedError):
    """The budget does not cover what the request may cost."""

    outcome = Outcome.BUDGET_SPENT


class NoPriceError(BudgetSpentError):
    """What the request may cost is not known, so no budget can be kept."""

    outcome = Outcome.NO_PRICE


class NotAllowedError(StoppedError):
    """The person that the request is for may not use the endpoint any more."""

    outcome = Outcome.NOT_ALLOWED


class CancelledError(StoppedError):
    """The caller does not want the answer any more."""

    outcome = Outcome.CANCELLED


class NoPlaceError(StoppedError):
    """Nothing went out: the endpoint has had enough to do for as long as the caller waits."""
