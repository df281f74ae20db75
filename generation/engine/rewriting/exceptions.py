"""The errors of writing a plan's texts.

ValueError
  PlanConflictError    two events of a plan exclude each other, or an event points at no step
"""


class PlanConflictError(ValueError):
    """The events of a plan cannot all be realised; names the event and the reason."""

    def __init__(self, event_id: str, reason: str) -> None:
        super().__init__(f"plan event {event_id}: {reason}")
        self.event_id = event_id
        self.reason = reason
