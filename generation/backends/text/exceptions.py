"""Why a text model gave no answer that can be used; what is common lies in `backends.exceptions`.

MayPassError
  NoAnswerInTimeError     the time-out passed
  ConnectionFailedError   the server could not be reached, or hung up
ModelError
  UnusableAnswerError     an answer came and was paid for; it is in `answer`
    ModelRefusedError     the model would not
    EmptyAnswerError      no text
    TruncatedError        the tokens ran out
    NotJsonError          no JSON where a schema was given
    WrongSchemaError      JSON that the schema does not allow
"""

from generation.backends.exceptions import MayPassError, ModelError, Outcome
from generation.backends.text.model import TextAnswer


class NoAnswerInTimeError(MayPassError):
    """The time-out passed before the answer was complete."""

    outcome = Outcome.TIMED_OUT


class ConnectionFailedError(MayPassError):
    """The server could not be reached, or hung up in the middle."""

    outcome = Outcome.NO_CONNECTION


class UnusableAnswerError(ModelError):
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
