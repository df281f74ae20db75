"""Why a provider gave no clip; what is common lies in `backends.exceptions`.

ModelError
  SettingsError             address, model or key are missing or cannot be right; nothing was sent
  UnfitRequestError         the clip is not one that this provider makes; nothing was sent
  MayPassError
    UnreachableError        no connection, or it broke where nothing is paid
  UnclearSubmissionError    the connection or the server broke after the job was sent: it may be
                            paid and running, so it is not sent again
  RejectedError
    QuotaSpentError         no credit is left; waiting does not help
  ModerationError           moderation refused the prompt, the pictures or the result
  JobFailedError            the provider took the job and gave up
  JobTimeoutError           not done within the limit; `job_id` can be asked for again
  MalformedAnswerError      an answer that is not of the published form
  DownloadError             the clip was made, and its file cannot be used
    DownloadTooLargeError   more bytes than allowed
    NotAVideoError          no video by content, or a broken one
"""

from generation.backends.exceptions import MayPassError, ModelError, Outcome, RejectedError


class SettingsError(ModelError):
    """The provider cannot be asked with these settings."""

    outcome = Outcome.WRONG_SETTINGS


class UnfitRequestError(ModelError):
    """The request is outside the provider's limits."""

    outcome = Outcome.UNFIT


class UnreachableError(MayPassError):
    """The server could not be reached, or hung up."""

    outcome = Outcome.NO_CONNECTION


class UnclearSubmissionError(ModelError):
    """A job was sent and no usable answer came; it may have been taken and be paid for."""

    outcome = Outcome.UNCLEAR


class QuotaSpentError(RejectedError):
    """The account has no credit left for it."""

    outcome = Outcome.QUOTA_SPENT


class ModerationError(ModelError):
    """The provider's moderation would not make, or not give out, this clip."""

    outcome = Outcome.REFUSED


class JobFailedError(ModelError):
    """The provider took the job and says that it failed."""

    outcome = Outcome.JOB_FAILED


class JobTimeoutError(ModelError):
    """The job was still running at the end of the time limit."""

    outcome = Outcome.JOB_TIMED_OUT

    def __init__(self, message: str, *, job_id: str) -> None:
        super().__init__(message)
        self.job_id = job_id


class MalformedAnswerError(ModelError):
    """The answer is not what the provider's documentation describes."""

    outcome = Outcome.MALFORMED


class DownloadError(ModelError):
    """The file of a finished clip cannot be used."""

    outcome = Outcome.BAD_FILE


class DownloadTooLargeError(DownloadError):
    """The file has more bytes than are allowed."""

    outcome = Outcome.FILE_TOO_LARGE


class NotAVideoError(DownloadError):
    """The file is no video, or none that can be decoded."""

    outcome = Outcome.NOT_A_VIDEO
