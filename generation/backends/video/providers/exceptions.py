"""Why a provider gave no clip.

ProviderError
  SettingsError             address, model or key are missing or cannot be right; nothing was sent
  UnfitRequestError         the clip is not one that this provider makes; nothing was sent
  RetryableError            nothing was made or lost; `retry_after_s` where the server says when
    RateLimitedError        429, or a code that means it; enough jobs run already
    ServerFailedError       408, 409, 425, 503; every 5xx where nothing is paid; a file that is not
                            ready yet
    UnreachableError        no connection, or it broke where nothing is paid
  UnclearSubmissionError    the connection or the server broke after the job was sent: it may be
                            paid and running, so it is not sent again
  RejectedError             the server will not take this request: key, model, parameters
    QuotaSpentError         no credit is left; waiting does not help
  ModerationError           moderation refused the prompt, the pictures or the result
  JobFailedError            the provider took the job and gave up
  JobTimeoutError           not done within the limit; `job_id` can be asked for again
  MalformedAnswerError      an answer that is not of the published form
  DownloadError             the clip was made, and its file cannot be used
    DownloadTooLargeError   more bytes than allowed
    NotAVideoError          no video by content, or a broken one

A clip that is not wanted any more raises `CancelledError` of `generation.backends.exceptions`.
"""

from decimal import Decimal

from generation.backends.exceptions import CallError, MayPassError, Outcome


class ProviderError(CallError):
    """The root: catch this to go on without the clip.

    `cost` is what the provider reports that the job costs all the same, in the adapter's unit.
    """

    cost: Decimal | None = None


class SettingsError(ProviderError):
    """The provider cannot be asked with these settings."""

    outcome = Outcome.WRONG_SETTINGS


class UnfitRequestError(ProviderError):
    """The request is outside the provider's limits."""

    outcome = Outcome.UNFIT


class RetryableError(ProviderError, MayPassError):
    """Nothing was made or lost, and asking again may help."""


class RateLimitedError(RetryableError):
    """The server wants fewer requests."""

    outcome = Outcome.RATE_LIMITED


class ServerFailedError(RetryableError):
    """The server has a fault of its own."""

    outcome = Outcome.SERVER_FAILED


class UnreachableError(RetryableError):
    """The server could not be reached, or hung up."""

    outcome = Outcome.NO_CONNECTION


class UnclearSubmissionError(ProviderError):
    """A job was sent and no usable answer came; it may have been taken and be paid for."""

    outcome = Outcome.UNCLEAR


class RejectedError(ProviderError):
    """The server answered that this request will never do."""

    outcome = Outcome.REJECTED


class QuotaSpentError(RejectedError):
    """The account has no credit left for it."""

    outcome = Outcome.QUOTA_SPENT


class ModerationError(ProviderError):
    """The provider's moderation would not make, or not give out, this clip."""

    outcome = Outcome.REFUSED


class JobFailedError(ProviderError):
    """The provider took the job and says that it failed."""

    outcome = Outcome.JOB_FAILED


class JobTimeoutError(ProviderError):
    """The job was still running at the end of the time limit."""

    outcome = Outcome.JOB_TIMED_OUT

    def __init__(self, message: str, *, job_id: str) -> None:
        super().__init__(message)
        self.job_id = job_id


class MalformedAnswerError(ProviderError):
    """The answer is not what the provider's documentation describes."""

    outcome = Outcome.MALFORMED


class DownloadError(ProviderError):
    """The file of a finished clip cannot be used."""

    outcome = Outcome.BAD_FILE


class DownloadTooLargeError(DownloadError):
    """The file has more bytes than are allowed."""

    outcome = Outcome.FILE_TOO_LARGE


class NotAVideoError(DownloadError):
    """The file is no video, or none that can be decoded."""

    outcome = Outcome.NOT_A_VIDEO
