"""Refusals that people read, and how they show a value."""

SHOWN_VALUE_CHARACTERS = 80


class NotNowError(Exception):
    """The request cannot be done in the present state; the message says why.

    Every endpoint answers it with 409 and the message (`piev_site.api`).
    """


def shown_value(value: object) -> str:
    """A value as Python writes it, cut to a readable length."""
    if isinstance(value, str | list):
        # No more of millions of numbers is written than is shown.
        value = value[:SHOWN_VALUE_CHARACTERS]
    try:
        shown = repr(value)
    except RecursionError:
        return f"a {type(value).__name__} nested too deeply to show"
    if len(shown) > SHOWN_VALUE_CHARACTERS:
        shown = shown[: SHOWN_VALUE_CHARACTERS - 1] + "…"
    return shown
