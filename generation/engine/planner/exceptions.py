"""What planning raises when its input is wrong.

ValueError
  PlanningError        anything below
    ProfileError       a profile's field is unknown or has an impossible value
    MissingStatisticsError  the profile normalises over the run and was not told the run's figures
"""


class PlanningError(ValueError):
    """Planning cannot go on; the message names the input, the field and the value."""


class ProfileError(PlanningError):
    """A profile has an unknown field or an impossible value."""

    def __init__(self, field: str, value: object, expected: str) -> None:
        self.field = field
        self.value = value
        super().__init__(f"profile field {field} is {value!r}; expected {expected}")


class MissingStatisticsError(PlanningError):
    """The profile normalises over the takes of a run, and no run statistics were given."""
