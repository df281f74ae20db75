"""Why a text model gave no answer that can be used.

TextModelError
  RetryableError          nothing came back, and asking again may help
    NoAnswerInTimeError   the time-out passed
    RateLimitedError      429; `retry_after_s` where the server says when
    ServerFailedError     408, 409 and 5xx
    ConnectionFailedError the server could not be reached, or hung up
  RejectedError           the server will not take this request: key, model, schema, quota
  UnusableAnswerError     an answer came and was paid for; it is in `answer`
    RefusedError          the model would not
    EmptyAnswerError      no text
    TruncatedError        the tokens ran out
    NotJsonError          no JSON where a schema was given
    WrongSchemaError      JSON that the schema does not allow

A run that was stopped on purpose raises a `StoppedError` of `generation.backends.exceptions`.
"""

from generation.backends.exceptions import MayPassError
from generation.backends.text.model import TextAnswer


class TextModelError(Exception):
    """The root: catch this to go on without an answer."""


class RetryableError(TextModelError, MayPassError):
    """Nothing came back, and asking again may help."""


class NoAnswerInTimeError(RetryableError):
    """The time-out passed before the answer was complete."""


class RateLimitedError(RetryableError):
    """The server wants fewer requests."""


class ServerFailedError(RetryableError):
    """The server has a fault of its own."""


class ConnectionFailedError(RetryableError):
    """The server could not be reached, or hung up in the middle."""


class RejectedError(TextModelError):
    """The server answered that this request will never do."""


class UnusableAnswerError(TextModelError):
    """An answer came that cannot be used; asking the same again would cost the same again."""

    def __init__(self, message: str, *, answer: TextAnswer) -> None:
        super().__init__(message)
        self.answer = answer


class RefusedError(UnusableAnswerError):
    """The model, or the server's filter, would not answer."""


class EmptyAnswerError(UnusableAnswerError):
    """The answer has no text."""


class TruncatedError(UnusableAnswerError):
    """The answer ends where the tokens ran out."""


class NotJsonError(UnusableAnswerError):
    """The answer is not one JSON document."""


class WrongSchemaError(UnusableAnswerError):
    """The answer is JSON of another shape than the schema's."""
