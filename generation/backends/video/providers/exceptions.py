"""Why a provider gave no clip; errors of all models are in `backends.exceptions`.

ModelError
  SettingsError             address, model or key are missing or wrong; nothing was sent
  UnfitRequestError         this provider cannot make such a clip; nothing was sent
  MayPassError
    UnreachableError        no connection, or it broke where nothing is paid
  UnclearSubmissionError    the connection or the server broke after the job was sent: it may be
                            running and paid, so it is not sent again
  RejectedError
    QuotaSpentError         no credit is left; waiting does not help
  ModerationError           moderation refused the prompt, the pictures or the result
  JobFailedError            the provider accepted the job, and it failed
  JobTimeoutError           not done within the limit; `job_id` can still be queried
  MalformedAnswerError      an answer that does not follow the documentation
  DownloadError             the clip was made, but its file cannot be used
    DownloadTooLargeError   more bytes than allowed
    NotAVideoError          not a video by its content, or a broken one
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
    """A job was sent without a usable answer; it may have been accepted, and be paid for."""

    outcome = Outcome.UNCLEAR


class QuotaSpentError(RejectedError):
    """The account has no credit left for it."""

    outcome = Outcome.QUOTA_SPENT


class ModerationError(ModelError):
    """The provider's moderation refused to make the clip, or to hand it out."""

    outcome = Outcome.REFUSED


class JobFailedError(ModelError):
    """The provider accepted the job and reports that it failed."""

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
    """The file is not a video, or one that cannot be decoded."""

    outcome = Outcome.NOT_A_VIDEO
