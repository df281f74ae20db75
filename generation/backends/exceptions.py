"""How a request to a model can fail, whatever the model makes.

CallError               the root; `outcome` is recorded with the request
  ModelError            no usable answer; each kind of model has its own errors below this
    MayPassError        no answer, but asking again may help; `retry_after_s` if the server says
                        when
      RateLimitedError  429, or a code that means it
      ServerFailedError 408, 409, 5xx if nothing was paid; a file that is not ready yet
    RejectedError       the server refuses this request: key, model, parameters, quota
  StoppedError          the request was not sent, or given up, on purpose
    BudgetSpentError    the budget does not cover the request
      NoPriceError      the price of the request is unknown, so no budget can be kept
    NotAllowedError     the user that the request is for may no longer use the endpoint
    CancelledError      the caller no longer wants the answer
    NoPlaceError        the endpoint was busy for as long as the caller waits
"""

from decimal import Decimal
from enum import StrEnum
from typing import ClassVar


class Outcome(StrEnum):
    """How a request ended: with an answer, or why without a usable one."""

    ANSWERED = "answered"
    # Its process died or hung up; nobody knows whether it was answered and paid.
    LOST = "lost"
    CANCELLED = "cancelled"
    BUDGET_SPENT = "budget_spent"
    NO_PRICE = "no_price"
    NOT_ALLOWED = "not_allowed"
    # No answer; the next time there may be one.
    TIMED_OUT = "timed_out"
    RATE_LIMITED = "rate_limited"
    SERVER_FAILED = "server_failed"
    NO_CONNECTION = "no_connection"
    # No answer until somebody changes something.
    WRONG_SETTINGS = "wrong_settings"
    UNFIT = "unfit"
    REJECTED = "rejected"
    QUOTA_SPENT = "quota_spent"
    # An answer that cannot be used.
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
    # A bug of this program, or a fault of the machine.
    FAULT = "fault"

    @property
    def label(self) -> str:
        return self.value.replace("_", " ")


class CallError(Exception):
    """A request that ended without a usable answer; every subclass is one reason."""

    outcome: ClassVar[Outcome] = Outcome.FAULT


def outcome_of(error: BaseException) -> Outcome:
    """The outcome to record for a request that raised this error."""
    return error.outcome if isinstance(error, CallError) else Outcome.FAULT


class ModelError(CallError):
    """Catch this to go on without an answer.

    `cost` is what the provider charges in spite of the failure, in the adapter's unit.
    """

    cost: Decimal | None = None


class MayPassError(ModelError):
    """Asking again may help; `retry_after_s` is the shortest pause that the server allows."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class RateLimitedError(MayPassError):
    """The server wants fewer requests."""

    outcome = Outcome.RATE_LIMITED


class ServerFailedError(MayPassError):
    """The server has a problem of its own."""

    outcome = Outcome.SERVER_FAILED


class RejectedError(ModelError):
    """The server refuses this request, and would refuse it again."""

    outcome = Outcome.REJECTED


class StoppedError(CallError):
    """There is no answer because the request was stopped on purpose."""


class BudgetSpentError(StoppedError):
    """The budget does not cover what the request may cost."""

    outcome = Outcome.BUDGET_SPENT


class NoPriceError(BudgetSpentError):
    """The price of the request is unknown, so no budget can be kept."""

    outcome = Outcome.NO_PRICE


class NotAllowedError(StoppedError):
    """The user that the request is for may no longer use the endpoint."""

    outcome = Outcome.NOT_ALLOWED


class CancelledError(StoppedError):
    """The caller no longer wants the answer."""

    outcome = Outcome.CANCELLED


class NoPlaceError(StoppedError):
    """Nothing was sent: the endpoint was busy for as long as the caller waits."""
