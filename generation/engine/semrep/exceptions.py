"""What goes wrong with semantic representations.

ValueError
  SemRepError           a text that holds no representation at all
  RoleResourceError     a file of role counts that cannot be used; names file, row and field
"""

SHOWN_CHARACTERS = 80


class SemRepError(ValueError):
    """The text cannot be read as `PREDICATE(Role: value, ...)`, not even in part."""

    def __init__(self, text: str, reason: str) -> None:
        shown = text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"
        super().__init__(f"semantic representation {shown!r}: {reason}")
        self.text = text
        self.reason = reason


class RoleResourceError(ValueError):
    """A table of roles holds something else than counts and shares of roles."""
