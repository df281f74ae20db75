"""What can come of any request to a model, whether it makes text or clips.

MayPassError          nothing came back; each kind of model has its own reasons below this
StoppedError          nothing was asked, or nobody waits for the answer any more, on purpose
  BudgetSpentError    the budget does not cover the request
  NotAllowedError     whoever the request is for may not use the endpoint any more
  CancelledError      whoever asked does not want the answer any more
"""


class MayPassError(Exception):
    """Asking again may help; `retry_after_s` is the least pause that the server asked for."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class StoppedError(Exception):
    """Nothing came back, on purpose."""


class BudgetSpentError(StoppedError):
    """The budget does not cover what the request may cost."""


class NotAllowedError(StoppedError):
    """Whoever the request is for may not use the endpoint any more."""


class CancelledError(StoppedError):
    """Whoever asked does not want the answer any more."""
