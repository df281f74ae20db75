"""Errors of planning cuts.

ValueError
  SplicingError         the family
    WindowError         a step's times are not within the recording; names the step
    OptionError         an edit option or a clip limit that cannot be met
    EditListError       a stored edit list that is not one; names the field
"""


class SplicingError(ValueError):
    """Cuts cannot be planned; the message says why."""


class WindowError(SplicingError):
    """The times of a step are outside the recording, or end before they start."""


class OptionError(SplicingError):
    """An option contradicts another, or the published method."""


class EditListError(SplicingError):
    """A JSON document is not an edit list."""
