"""Why an agent gave no usable answer, beside the errors of text models.

ModelError
  LateError               no answer in time; not asked again, since it may still be at work
  RejectedError
    CardError             its card cannot be read, or names an address that is refused
  UnusableAnswerError
    NotTheAnswerError     a reply to another question, or several that differ
"""

from generation.backends.exceptions import ModelError, Outcome, RejectedError
from generation.backends.text.exceptions import UnusableAnswerError


class LateError(ModelError):
    """The time-out passed before the agent had answered."""

    outcome = Outcome.TIMED_OUT


class CardError(RejectedError):
    """The agent's card cannot be used; nothing was asked."""


class NotTheAnswerError(UnusableAnswerError):
    """The reply answers another question, or answers this one differently more than once."""

    outcome = Outcome.MALFORMED
