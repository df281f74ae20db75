"""Errors of semantic representations.

ValueError
  SemRepError           a text that is not a representation at all
"""

SHOWN_CHARACTERS = 80


class SemRepError(ValueError):
    """The text cannot be read as `PREDICATE(Role: value, ...)`, not even in part."""

    def __init__(self, text: str, reason: str) -> None:
        shown = text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"
        super().__init__(f"semantic representation {shown!r}: {reason}")
        self.text = text
        self.reason = reason
