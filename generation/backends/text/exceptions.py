"""Why a text model gave no usable answer; errors of all models are in `backends.exceptions`.

MayPassError
  NoAnswerInTimeError     the time-out passed
  ConnectionFailedError   the server could not be reached, or hung up
ModelError
  UnusableAnswerError     an answer came and was paid for; it is in `answer`
    ModelRefusedError     the model refused
    EmptyAnswerError      no text
    TruncatedError        the tokens ran out
    NotJsonError          not JSON although a schema was given
    WrongSchemaError      JSON that does not fit the schema
"""

from generation.backends.exceptions import MayPassError, ModelError, Outcome
from generation.backends.text.model import TextAnswer


class NoAnswerInTimeError(MayPassError):
    """The time-out passed before the answer was complete."""

    outcome = Outcome.TIMED_OUT


class ConnectionFailedError(MayPassError):
    """The server could not be reached, or hung up before the answer was complete."""

    outcome = Outcome.NO_CONNECTION


class UnusableAnswerError(ModelError):
    """The answer cannot be used; asking the same question again would cost the same again."""

    def __init__(self, message: str, *, answer: TextAnswer) -> None:
        super().__init__(message)
        self.answer = answer


class ModelRefusedError(UnusableAnswerError):
    """The model, or a filter of the server, refused to answer."""

    outcome = Outcome.REFUSED


class EmptyAnswerError(UnusableAnswerError):
    """The answer has no text."""

    outcome = Outcome.EMPTY


class TruncatedError(UnusableAnswerError):
    """The answer was cut off when the tokens ran out."""

    outcome = Outcome.CUT_OFF


class NotJsonError(UnusableAnswerError):
    """The answer is not one JSON document."""

    outcome = Outcome.NOT_JSON


class WrongSchemaError(UnusableAnswerError):
    """The answer is JSON that does not fit the schema."""

    outcome = Outcome.WRONG_SCHEMA
