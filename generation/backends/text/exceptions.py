"""Why a text model gave no answer that can be used.

TextModelError
  RetryableError          nothing came back, and asking again may help
    NoAnswerInTimeError   the time-out passed
    RateLimitedError      429; `retry_after_s` where the server says when
    ServerFailedError     408, 409 and 5xx
    ConnectionFailedError the server could not be reached, or hung up
  RejectedError           the server will not take this request: key, model, schema, quota
  UnusableAnswerError     an answer came and was paid for; it is in `answer`
    ModelRefusedError     the model would not
    EmptyAnswerError      no text
    TruncatedError        the tokens ran out
    NotJsonError          no JSON where a schema was given
    WrongSchemaError      JSON that the schema does not allow

A run that was stopped on purpose raises a `StoppedError` of `generation.backends.exceptions`.
"""

from generation.backends.exceptions import CallError, MayPassError, Outcome
from generation.backends.text.model import TextAnswer


class TextModelError(CallError):
    """The root: catch this to go on without an answer."""


class RetryableError(TextModelError, MayPassError):
    """Nothing came back, and asking again may help."""


class NoAnswerInTimeError(RetryableError):
    """The time-out passed before the answer was complete."""

    outcome = Outcome.TIMED_OUT


class RateLimitedError(RetryableError):
    """The server wants fewer requests."""

    outcome = Outcome.RATE_LIMITED


class ServerFailedError(RetryableError):
    """The server has a fault of its own."""

    outcome = Outcome.SERVER_FAILED


class ConnectionFailedError(RetryableError):
    """The server could not be reached, or hung up in the middle."""

    outcome = Outcome.NO_CONNECTION


class RejectedError(TextModelError):
    """The server answered that this request will never do."""

    outcome = Outcome.REJECTED


class UnusableAnswerError(TextModelError):
    """An answer came that cannot be used; asking the same again would cost the same again."""

    def __init__(self, message: str, *, answer: TextAnswer) -> None:
        super().__init__(message)
        self.answer = answer


class ModelRefusedError(UnusableAnswerError):
    """The model, or the server's filter, would not answer."""

    outcome = Outcome.REFUSED


class EmptyAnswerError(UnusableAnswerError):
    """The answer has no text."""

    outcome = Outcome.EMPTY


class TruncatedError(UnusableAnswerError):
    """The answer ends where the tokens ran out."""

    outcome = Outcome.CUT_OFF


class NotJsonError(UnusableAnswerError):
    """The answer is not one JSON document."""

    outcome = Outcome.NOT_JSON


class WrongSchemaError(UnusableAnswerError):
    """The answer is JSON of another shape than the schema's."""

    outcome = Outcome.WRONG_SCHEMA
